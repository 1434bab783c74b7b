// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/portable/typed/solver.hpp>
#include <octile/portable/xmv/naive.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace octile::portable {

/// Makes the naive primitive with memory for the matrices of given pairs.
template <class Scalar, class MemorySpace>
struct NaiveRoom {
  int team;
  std::vector<std::size_t> elements_of;  ///< non-zeros of each graph's matrix

  int threads() const { return team; }

  std::size_t entries(std::span<const Pair> pairs) const {
    std::size_t most = 0;
    for (const Pair& pair : pairs) {
      most = std::max(
          most, elements_of[static_cast<std::size_t>(pair.first)] * elements_of[static_cast<std::size_t>(pair.second)]);
    }
    if (most > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error("a pair's product matrix would have " + std::to_string(most) + " non-zeros; allowed are " +
                  std::to_string(std::numeric_limits<int>::max()) + " for primitive naive");
    }
    return most;
  }

  std::size_t pair_bytes(std::size_t elements, std::span<const Pair> pairs) const {
    return NaiveXmv<Scalar, MemorySpace>::slot_bytes(elements, entries(pairs));
  }

  template <class ExecutionSpace>
  auto make(const ExecutionSpace& space, std::size_t slots, std::size_t elements, std::span<const Pair> pairs) const {
    return NaiveXmv<Scalar, MemorySpace>(space, team, slots, elements, entries(pairs));
  }
};

template <class Scalar, class ExecutionSpace>
std::unique_ptr<PairSolver> make_naive_solver_in(const SolverSetup& setup) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using EdgeKernel = RuntimeKernel<Scalar, MemorySpace>;
  using Room = NaiveRoom<Scalar, MemorySpace>;
  const ExecutionSpace space;
  const plan::LoweredSet lowered(setup);
  const std::size_t bytes = octile_bytes<Scalar, std::uint32_t>(setup.graphs);
  plan::require_memory(setup, bytes);
  const std::string description = describe(setup, lowered, ExecutionSpace::name(), setup.primitive.name(), bytes);
  auto set = pack_octiles<Scalar, std::uint32_t, std::uint32_t>(
      space, setup.graphs, setup.kernel.stopping,
      [&lowered](std::size_t g, std::size_t v) { return lowered.vertex.ids[g][v]; },
      [&lowered](std::size_t g, std::size_t e) { return lowered.edge.ids[g][e]; });
  Room room{fine_grained<ExecutionSpace> ? large_team : 1, {}};
  for (const Graph& graph : setup.graphs) room.elements_of.push_back(2 * graph.edge_count());
  return std::make_unique<Solver<ExecutionSpace, decltype(set), EdgeKernel, Room>>(
      space, setup, set, RuntimeVertexKernel<MemorySpace>(space, lowered.vertex, setup.vertex_tables),
      EdgeKernel(space, lowered.edge), bytes, description,
      Tier<Room>{std::move(room), std::numeric_limits<std::size_t>::max(), VectorPlace::workspace});
}

/// A solver by the naive primitive, on the default instance of `ExecutionSpace`.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_naive_solver(const SolverSetup& setup) {
  return setup.precision == Precision::float32 ? make_naive_solver_in<float, ExecutionSpace>(setup)
                                               : make_naive_solver_in<double, ExecutionSpace>(setup);
}

}  // namespace octile::portable
