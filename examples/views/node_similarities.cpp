// SPDX-License-Identifier: BSD-3-Clause
//
// Similarities of atoms, which stay on the device: each atom of some rings finds the atom of a reference that it resembles most.
#include "rings.hpp"

#include <octile/base_kernels.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>

namespace {

using Numbers = Kokkos::View<double*, Memory>;
using Places = Kokkos::View<int*, Memory>;

/// For each atom i of pair k, the atom j of the other ring with the largest x_ij. Pair k is ring k with the last one.
void find_nearest(const Space& space, const Rings& rings, const Numbers& x, const Places& begin,
                  const Places& nearest) {
  const int reference = rings.graphs - 1;
  Kokkos::parallel_for(
      "find_nearest", Kokkos::RangePolicy<Space>(space, 0, reference), KOKKOS_LAMBDA(const int k) {
        const int columns = Rings::atoms(reference);
        for (int i = 0; i < Rings::atoms(k); ++i) {
          int best = 0;
          for (int j = 1; j < columns; ++j) {
            if (x(begin(k) + i * columns + j) > x(begin(k) + i * columns + best)) best = j;
          }
          nearest(rings.graph_offsets(k) + i) = best;
        }
      });
}

/// The largest relative difference between a pair's K and the mean of its x, which is K where all atoms start alike.
double largest_difference(const Space& space, const Kokkos::View<double**, Memory>& values, const Numbers& x,
                          const Places& begin) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(values.extent(0))),
      KOKKOS_LAMBDA(const int k, double& difference) {
        double sum = 0;
        for (int e = begin(k); e < begin(k + 1); ++e) sum += x(e);
        const double mean = sum / (begin(k + 1) - begin(k));
        difference = Kokkos::max(difference, Kokkos::abs(mean / values(k, 0) - 1));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

int run() {
  const Space space;
  const Rings rings = rings_at_start(space, 9);
  const auto prepared = octile::prepare(space, rings.batch(), rings.capacity());

  const int reference = rings.graphs - 1;
  const octile::Rectangle pairs{0, reference, reference, 1};  // all others with it
  const Places begin("begin", reference + 1);
  octile::nodewise_begin(space, prepared, pairs, begin);
  const Numbers x("x", rings.vertices * Rings::atoms(reference));  // room for all
  const Kokkos::View<double**, Memory> values("values", reference, 1);
  const Kokkos::View<octile::PairResult*, Memory> results("results", reference);
  const octile::TypedKernel kernel{octile::KroneckerDelta(0.3),
                                   octile::field<&Bond::length>(octile::SquareExponential(0.1)),
                                   octile::Stopping(octile::StoppingMeaning::probability, 0.05)};
  octile::SolveHandle<Space> handle;
  octile::solve(space, handle, prepared, pairs, kernel, octile::Outputs{values, results, octile::Nodewise{x, begin}});
  const Places nearest("nearest", rings.vertices);
  find_nearest(space, rings, x, begin, nearest);
  octile::require_converged(space, handle, results);

  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), nearest);
  std::printf("atoms of the first ring resemble atoms");
  for (int i = 0; i < Rings::atoms(0); ++i) std::printf(" %d", host(i));
  std::printf(" of the last\n");
  const bool means = largest_difference(space, values, x, begin) < 1e-6;
  std::printf("the mean of x is K: %s\n", means ? "yes" : "no");
  return means ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
