// SPDX-License-Identifier: BSD-3-Clause
//
// Two workers share the pairs of a matrix without MPI: each is a thread of the host with an instance of its own. Where its next
// share begins, a worker learns from a counter on the device. That number is all that comes to the host.
#include "rings.hpp"

#include <octile/base_kernels.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

namespace {

constexpr int share = 20;  // pairs that a worker takes at once

using Prepared = octile::PreparedGraphs<double, int, Bond, Memory>;
using Counter = Kokkos::View<int, Memory>;

/// All pairs, in any order: the costly ones had better come first.
struct Work {
  Kokkos::View<octile::Pair*, Memory> pairs;
  Kokkos::View<double*, Memory> values{"values", pairs.extent(0)};
  Kokkos::View<octile::PairResult*, Memory> results{"results", pairs.extent(0)};
  Counter next{"next"};
};

auto kernel() {
  return octile::TypedKernel{octile::KroneckerDelta(0.3), octile::field<&Bond::length>(octile::SquareExponential(0.1)),
                             octile::Stopping(octile::StoppingMeaning::probability, 0.05)};
}

/// Where the next share begins. Waits for the instance.
int take_share(const Space& space, const Counter& next, const Counter& mine) {
  Kokkos::parallel_for(
      "take_share", Kokkos::RangePolicy<Space>(space, 0, 1),
      KOKKOS_LAMBDA(int) { mine() = Kokkos::atomic_fetch_add(&next(), share); });
  int first = 0;
  Kokkos::deep_copy(space, Kokkos::View<int, Kokkos::HostSpace>(&first), mine);
  space.fence("shared_pairs: which share");
  return first;
}

void take_part(const Space& space, const Prepared& prepared, const Work& work, int& taken) {
  octile::SolveHandle<Space> handle;
  const Counter mine("mine");
  const int count = static_cast<int>(work.pairs.extent(0));
  for (int first = take_share(space, work.next, mine); first < count; first = take_share(space, work.next, mine)) {
    const std::pair range(first, std::min(first + share, count));
    octile::solve(space, handle, prepared, octile::PairList{Kokkos::subview(work.pairs, range)}, kernel(),
                  octile::Outputs{Kokkos::subview(work.values, range), Kokkos::subview(work.results, range)});
    taken += range.second - range.first;
  }
}

/// Row by row, each with the graphs from its own on.
Kokkos::View<octile::Pair*, Memory> all_pairs(const Space& space, int graphs) {
  Kokkos::View<octile::Pair*, Memory> pairs("pairs", graphs * (graphs + 1) / 2);
  Kokkos::parallel_for(
      "all_pairs", Kokkos::RangePolicy<Space>(space, 0, graphs), KOKKOS_LAMBDA(const int i) {
        for (int j = i; j < graphs; ++j) pairs(i * graphs - i * (i - 1) / 2 + j - i) = {i, j};
      });
  return pairs;
}

int run() {
  const Space space;
  const Rings rings = rings_at_start(space, 20);
  const Prepared prepared = octile::prepare(space, rings.batch(), rings.capacity());
  octile::require_valid(space, prepared);
  const Work work{all_pairs(space, rings.graphs)};
  space.fence("shared_pairs: all is there for the workers");

  const auto instances = two_instances(space);
  int taken[2] = {0, 0};
  std::thread other(take_part, std::cref(instances[1]), std::cref(prepared), std::cref(work), std::ref(taken[1]));
  take_part(instances[0], prepared, work, taken[0]);
  other.join();
  octile::require_converged(space, work.results);

  const Work alone{work.pairs};
  octile::SolveHandle<Space> handle;
  octile::solve(space, handle, prepared, octile::PairList{alone.pairs}, kernel(),
                octile::Outputs{alone.values, alone.results});
  int differences = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(work.pairs.extent(0))),
      KOKKOS_LAMBDA(const int k, int& count) {
        if (work.values(k) != alone.values(k)) ++count;
      },
      differences);
  std::printf("two workers took %d pairs: %d values differ from those of one\n", taken[0] + taken[1], differences);
  return differences == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
