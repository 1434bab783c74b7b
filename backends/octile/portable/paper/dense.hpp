// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/error.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/portable/paper/register_blocking.hpp>
#include <octile/portable/paper/shared_tiling.hpp>
#include <octile/portable/paper/tiling_blocking.hpp>
#include <octile/portable/typed/solver.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace octile::portable {

template <class Scalar, class ExecutionSpace>
std::unique_ptr<PairSolver> make_dense_solver_in(const SolverSetup& setup) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Runtime = RuntimeKernel<Scalar, MemorySpace>;
  constexpr int lanes = lanes_of<ExecutionSpace>;
  const ExecutionSpace space;
  plan::LoweredSet lowered(setup);
  const Primitive& primitive = setup.primitive;

  const auto make = [&]<class EdgeLabel, class EdgeKernel>(std::type_identity<EdgeLabel>, const auto& read_edge,
                                                           const EdgeKernel& edge_kernel) {
    const std::size_t bytes =
        octile_bytes<Scalar, EdgeLabel>(setup.graphs) + dense_bytes<Scalar, EdgeLabel>(setup.graphs);
    plan::require_memory(setup, bytes);
    const std::string description = describe(setup, lowered, ExecutionSpace::name(), primitive.name(), bytes);
    auto set = pack_octiles<Scalar, std::uint32_t, EdgeLabel>(
        space, setup.graphs, setup.kernel.stopping,
        [&](std::size_t g, std::size_t v) { return lowered.vertex.ids[g][v]; }, read_edge);
    const auto finish = [&]<class Xmv>(const Xmv& xmv) {
      return std::unique_ptr<PairSolver>(std::make_unique<Solver<ExecutionSpace, decltype(set), EdgeKernel, Xmv>>(
          space, setup, set, RuntimeVertexKernel<MemorySpace>(space, lowered.vertex, setup.vertex_tables), edge_kernel,
          bytes, description, Tier<Xmv>{xmv, std::numeric_limits<std::size_t>::max(), VectorPlace::workspace}));
    };
    const auto matrices = dense_matrices<Scalar, EdgeLabel>(space, setup.graphs, read_edge);
    const auto fixed = [&]<class Xmv>(std::type_identity<Xmv>) {
      return finish(FixedXmv<Xmv>{Xmv(matrices, primitive.t, primitive.r)});
    };
    // The paper's choice t = r = 8 has t and r at compile time. Only it is compiled for the square exponential.
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
  // Dense primitives also evaluate κe where there is no edge, on label 0, so a set without edges needs that label too.
  if (lowered.edge.record_count == 0 && !lowered.edge.constant()) {
    lowered.edge = lower({}, Expression::parse("1"), LabelSite::edge);
    lowered.edge.ids.assign(setup.graphs.size(), {});
  }
  const LoweredKernel& edge = lowered.edge;
  if (edge.square_exponential() && !edge.tabulated() &&
      primitive == Primitive{PrimitiveFamily::tiling_blocking, 8, 8}) {
    const auto number = [&lowered](std::size_t g, std::size_t e) { return lowered.edge_number(g, e); };
    return make(std::type_identity<double>(), number, SquareExponential::of_rate(edge.program[0].parameter));
  }
  return make(
      std::type_identity<std::uint32_t>(), [&edge](std::size_t g, std::size_t e) { return edge.ids[g][e]; },
      Runtime(space, edge));
}

/// A solver by one of the dense primitives, on the default instance of `ExecutionSpace`.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_dense_solver(const SolverSetup& setup) {
  return setup.precision == Precision::float32 ? make_dense_solver_in<float, ExecutionSpace>(setup)
                                               : make_dense_solver_in<double, ExecutionSpace>(setup);
}

}  // namespace octile::portable
