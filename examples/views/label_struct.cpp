// SPDX-License-Identifier: BSD-3-Clause
//
// Labels that are a struct of yours, and a base kernel of yours on them. The same kernel as text gives the same values, and a kernel
// that leaves its range is found.
#include "label_struct.hpp"

#include <octile/base_kernels.hpp>
#include <octile/error.hpp>
#include <octile/exponential.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

/// κe: any type with such an `evaluate`, which is symmetric, positive definite and within [0, 1].
struct BondKernel {
  double other_order;
  double length_scale;

  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(const Bond& a, const Bond& b) const {
    const T difference = static_cast<T>((a.length - b.length) / length_scale);
    return (a.order == b.order ? T(1) : static_cast<T>(other_order)) *
           octile::exponential(difference * difference / T(-2));
  }
};

namespace {

int run() {
  const Space space;
  const Rings rings = rings_at_start(space, 8);
  const auto prepared = octile::prepare(space, rings.batch(), rings.capacity());
  octile::require_valid(space, prepared);

  const octile::Stopping stopping(octile::StoppingMeaning::probability, 0.05);
  const octile::TypedKernel kernel{octile::KroneckerDelta(0.3), BondKernel{0.5, 0.2}, stopping};
  const Kokkos::View<double**, Memory> values("values", rings.graphs, rings.graphs);
  const Kokkos::View<double**, Memory> of_text("of_text", rings.graphs, rings.graphs);
  const Kokkos::View<octile::PairResult*, Memory> results("results", rings.graphs * (rings.graphs + 1) / 2);
  octile::SolveHandle<Space> handle;
  octile::solve(space, handle, prepared, octile::Symmetric(), kernel, octile::Outputs{values, results});
  octile::require_converged(space, handle, results);
  solve_as_text(space, handle, prepared, stopping, of_text);

  double largest = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Space>(space, 0, rings.graphs * rings.graphs),
      KOKKOS_LAMBDA(const int k, double& difference) {
        const double value = values(k / rings.graphs, k % rings.graphs);
        const double other = of_text(k / rings.graphs, k % rings.graphs);
        difference = Kokkos::max(difference, Kokkos::abs(value / other - 1));
      },
      Kokkos::Max<double>(largest));
  const bool same = largest < 1e-6;
  std::printf("a struct's own kernel and the same as text: %s\n", same ? "the same values" : "they differ");

  const octile::TypedKernel too_large{kernel.vertex, BondKernel{1.5, 0.2}, stopping};
  octile::solve(space, handle, prepared, octile::Symmetric(), too_large, octile::Outputs{values});
  try {
    octile::require_valid(space, handle);
  } catch (const octile::Error& error) {
    std::printf("refused: %s\n", error.what());
    return same ? 0 : 1;
  }
  return 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
