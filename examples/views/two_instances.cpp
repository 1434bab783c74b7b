// SPDX-License-Identifier: BSD-3-Clause
//
// Two systems that change from step to step, each on an instance of an execution space and with a handle of its own. The two are
// queued by one thread, step by step; on a GPU they run at the same time. Alone each gives the same bits.
#include "rings.hpp"

#include <octile/base_kernels.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>

namespace {

constexpr int steps = 50;

/// A system on an instance of its own.
struct System {
  Space space;
  Rings rings;
  Kokkos::View<double**, Memory> values{"values", std::size_t(rings.graphs), std::size_t(rings.graphs)};
  Kokkos::View<octile::PairResult*, Memory> results{"results",
                                                    std::size_t(rings.graphs) * (std::size_t(rings.graphs) + 1) / 2};
  octile::SolveHandle<Space> handle;
  octile::PreparedGraphs<double, int, Bond, Memory> prepared{space, rings.capacity()};

  System(const Space& instance, int graphs) : space(instance), rings{graphs} {}

  void step(int number) {
    const octile::TypedKernel kernel{octile::KroneckerDelta(0.3),
                                     octile::field<&Bond::length>(octile::SquareExponential(0.1)),
                                     octile::Stopping(octile::StoppingMeaning::probability, 0.05)};
    move(space, rings, number);
    prepared.assign(space, rings.batch());
    octile::solve(space, handle, prepared, octile::Symmetric(), kernel, octile::Outputs{values, results});
  }
};

/// How many values differ between two systems.
int count_differences(const System& one, const System& other) {
  const auto values = one.values;
  const auto others = other.values;
  const int graphs = one.rings.graphs;
  int differences = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::RangePolicy<Space>(one.space, 0, graphs * graphs),
      KOKKOS_LAMBDA(const int k, int& count) {
        if (values(k / graphs, k % graphs) != others(k / graphs, k % graphs)) ++count;
      },
      differences);
  return differences;
}

int run() {
  const auto instances = two_instances(Space());
  System small(instances[0], 6);
  System large(instances[1], 10);
  for (int step = 0; step < steps; ++step) {
    small.step(step);
    large.step(step);
  }
  octile::require_converged(small.space, small.results);
  octile::require_converged(large.space, large.results);

  System small_alone(instances[0], 6);
  System large_alone(instances[1], 10);
  for (int step = 0; step < steps; ++step) small_alone.step(step);
  small_alone.space.fence("two_instances: one after the other");
  for (int step = 0; step < steps; ++step) large_alone.step(step);
  Kokkos::fence("two_instances: all is there to compare");
  const int differences = count_differences(small, small_alone) + count_differences(large, large_alone);
  std::printf("two instances side by side, %d steps: %d values differ from those of each alone\n", steps, differences);
  return differences == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
