// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/register_blocking.hpp>
#include <octile/portable/paper/shared_tiling.hpp>
#include <octile/portable/paper/tiling_blocking.hpp>
#include <octile/portable/solver.hpp>
#include <octile/portable/xmv/naive.hpp>

#include <limits>
#include <type_traits>

namespace octile::portable {

/// Makes the naive primitive with room for the matrices of the pairs at hand.
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
      throw Error(fmt::format("a pair's product matrix would have {} non-zeros; allowed are {} for primitive naive",
                              most, std::numeric_limits<int>::max()));
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
std::unique_ptr<PairSolver> make_dense_solver_in(const SolverSetup& setup) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Runtime = RuntimeKernel<Scalar, MemorySpace>;
  constexpr int lanes = lanes_of<ExecutionSpace>;
  const ExecutionSpace space;
  plan::LoweredSet lowered(setup);
  const Primitive& primitive = setup.primitive;
  const bool naive = primitive.family == PrimitiveFamily::naive;

  const auto make = [&]<class EdgeLabel, class EdgeKernel>(std::type_identity<EdgeLabel>, const auto& read_edge,
                                                           const EdgeKernel& edge_kernel) {
    const std::size_t bytes =
        octile_bytes<Scalar, EdgeLabel>(setup.graphs) + (naive ? 0 : dense_bytes<Scalar, EdgeLabel>(setup.graphs));
    plan::require_memory(setup, bytes);
    const std::string description = describe(setup, lowered, ExecutionSpace::name(), primitive.name(), bytes);
    auto set = pack_octiles<Scalar, std::uint32_t, EdgeLabel>(
        space, setup.graphs, setup.kernel.stopping,
        [&](std::size_t g, std::size_t v) { return lowered.vertex.ids[g][v]; }, read_edge);
    const auto finish = [&]<class Xmv>(const Xmv& xmv) {
      return std::unique_ptr<PairSolver>(std::make_unique<Solver<ExecutionSpace, decltype(set), EdgeKernel, Xmv>>(
          space, setup, set, RuntimeKernel<double, MemorySpace>(space, lowered.vertex), edge_kernel, bytes, description,
          Tier<Xmv>{xmv, std::numeric_limits<std::size_t>::max(), VectorPlace::workspace}));
    };
    if constexpr (std::is_same_v<EdgeKernel, Runtime>) {
      if (naive) {
        NaiveRoom<Scalar, MemorySpace> room{fine_grained<ExecutionSpace> ? large_team : 1, {}};
        for (const Graph& graph : setup.graphs) room.elements_of.push_back(2 * graph.edge_count());
        return finish(room);
      }
    }
    const auto matrices = dense_matrices<Scalar, EdgeLabel>(space, setup.graphs, read_edge);
    const auto fixed = [&]<class Xmv>(std::type_identity<Xmv>) {
      return finish(FixedXmv<Xmv>{Xmv(matrices, primitive.t, primitive.r)});
    };
    // The paper's choice, t = r = 8, has them at compile time; it alone is compiled for the square exponential.
    if (primitive == Primitive{PrimitiveFamily::tiling_blocking, 8, 8}) {
      return fixed(std::type_identity<TilingBlocking<Scalar, EdgeLabel, MemorySpace, lanes, 8, 8>>());
    }
    if constexpr (std::is_same_v<EdgeKernel, Runtime>) {
      if (primitive.family == PrimitiveFamily::tiling_blocking) {
        return fixed(std::type_identity<TilingBlocking<Scalar, EdgeLabel, MemorySpace, lanes, 0, 0>>());
      }
      if (primitive.family == PrimitiveFamily::register_blocking) {
        return fixed(std::type_identity<RegisterBlocking<Scalar, EdgeLabel, MemorySpace, lanes, 0, 0>>());
      }
      return fixed(std::type_identity<SharedTiling<Scalar, EdgeLabel, MemorySpace, lanes, 0, 0>>());
    } else {
      throw Error("no such dense primitive for this edge kernel");  // unreachable: chosen below
    }
  };
  // Dense primitives evaluate κe where there is no edge too, on label 0: a set without edges still needs that one.
  if (lowered.edge.record_count == 0 && !lowered.edge.constant()) {
    lowered.edge = lower({}, Expression::parse("1"), LabelSite::edge);
    lowered.edge.ids.assign(setup.graphs.size(), {});
  }
  const LoweredKernel& edge = lowered.edge;
  if (edge.square_exponential() && !edge.tabulated() &&
      primitive == Primitive{PrimitiveFamily::tiling_blocking, 8, 8}) {
    const auto number = [&lowered](std::size_t g, std::size_t e) {
      return static_cast<Scalar>(lowered.edge_number(g, e));
    };
    return make(std::type_identity<Scalar>(), number, SquareExponential::of_rate(edge.program[0].parameter));
  }
  return make(
      std::type_identity<std::uint32_t>(), [&edge](std::size_t g, std::size_t e) { return edge.ids[g][e]; },
      Runtime(space, edge));
}

/// A solver by one of the dense primitives, or by the naive one, on the default instance of `ExecutionSpace`.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_dense_solver(const SolverSetup& setup) {
  return setup.precision == Precision::float32 ? make_dense_solver_in<float, ExecutionSpace>(setup)
                                               : make_dense_solver_in<double, ExecutionSpace>(setup);
}

}  // namespace octile::portable
