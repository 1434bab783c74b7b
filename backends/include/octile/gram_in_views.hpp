// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/error.hpp>
#include <octile/graph_batch.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// The easy door for graphs in Views: one call that prepares, solves and waits. A code that comes back with other graphs or another kernel
// keeps what `prepare` and `SolveHandle` hold (`octile/solve_graphs.hpp`), which waits for nothing and allocates nothing.
namespace octile {

/// Kernels of graphs in Views, in the memory of the execution space that computed them. Nothing is queued that writes them.
template <class MemorySpace>
struct GramInViews {
  /// N×N, exactly symmetric; of two batches rows × columns. Normalised if asked.
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> values;
  /// For one batch, the result of pair (i, j), i ≤ j, row by row (`pair_index` of `octile/gram.hpp`); for two batches,
  /// of (i, j), row by row. Values in it are not normalised.
  Kokkos::View<PairResult*, MemorySpace> results;
};

/// x_ii' of one pair, n×m, and its result, in the memory of the execution space that computed them: K = Σ p_i p'_i' x_ii'.
template <class MemorySpace>
struct NodewiseInViews {
  PairResult result;                                                    ///< K, its status, iterations and residual
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> similarity;  ///< x_ii' at (i, i')
};

namespace detail {

/// Room for the kernels of so many pairs.
template <class ExecutionSpace>
auto room_for_gram(const ExecutionSpace& space, std::size_t rows, std::size_t columns, std::size_t pairs) {
  GramInViews<typename ExecutionSpace::memory_space> gram;
  allocating("a Gram matrix", [&] {
    gram.values =
        decltype(gram.values)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::gram"), rows, columns);
    make(space, gram.results, "results", pairs);
  });
  return gram;
}

/// Throws `Error` if there is a fault in one of two batches. Fences `space`.
template <class ExecutionSpace, class Prepared>
void require_valid(const ExecutionSpace& space, const Prepared& graphs, const char* batch) {
  if (const auto fault = graphs.fault(space)) throw Error(std::string("of the ") + batch + ": " + fault->message());
}

/// The number of vertices of one graph. Fences `space`.
template <class ExecutionSpace, class Prepared>
std::size_t vertices_of(const ExecutionSpace& space, const Prepared& graphs, std::int32_t graph) {
  const auto ends =
      to_host(space, "vertices_of", Kokkos::subview(graphs.set().vertex_begin, std::pair(graph, graph + 2)));
  return ends(1) - ends(0);
}

}  // namespace detail

/// K of all pairs of a batch, in precision `Scalar`; each pair is solved once. Fences `space`: values are there when it returns. A pair
/// that did not converge keeps its value and its status.
/// Throws `Error` for a batch or a kernel that is wrong, where it names what is and what was allowed, and where memory is short.
template <class Scalar = double, class ExecutionSpace, class... Views, class VertexKernel, class EdgeKernel,
          class Starting>
GramInViews<typename ExecutionSpace::memory_space> gram(const ExecutionSpace& space, const GraphBatch<Views...>& batch,
                                                        const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel,
                                                        const GraphSolveOptions& options = {}) {
  const auto graphs = prepare<Scalar>(space, batch);
  require_valid(space, graphs);
  const std::size_t n = graphs.size();
  auto gram = detail::room_for_gram(space, n, n, n * (n + 1) / 2);
  SolveHandle<ExecutionSpace, Scalar> handle;
  solve(space, handle, graphs, Symmetric(), kernel, Outputs{gram.values, gram.results}, options);
  require_valid(space, handle);
  return gram;
}

/// K of each graph of one batch with each of another: values are rows × columns. Precision, fence and errors are those
/// of `gram` of one batch.
template <class Scalar = double, class ExecutionSpace, class... OfRows, class... OfColumns, class VertexKernel,
          class EdgeKernel, class Starting>
GramInViews<typename ExecutionSpace::memory_space> gram(const ExecutionSpace& space, const GraphBatch<OfRows...>& rows,
                                                        const GraphBatch<OfColumns...>& columns,
                                                        const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel,
                                                        const GraphSolveOptions& options = {}) {
  const auto first = prepare<Scalar>(space, rows);
  const auto second = prepare<Scalar>(space, columns);
  detail::require_valid(space, first, "rows");
  detail::require_valid(space, second, "columns");
  auto gram = detail::room_for_gram(space, first.size(), second.size(), first.size() * second.size());
  SolveHandle<ExecutionSpace, Scalar> handle;
  solve(space, handle, first, second, AllPairs(), kernel, Outputs{gram.values, gram.results}, options);
  require_valid(space, handle);
  return gram;
}

/// x of one pair of a batch's graphs, on the device. Fences and throws as `gram` does, and for a pair that names no two graphs.
template <class Scalar = double, class ExecutionSpace, class... Views, class VertexKernel, class EdgeKernel,
          class Starting>
NodewiseInViews<typename ExecutionSpace::memory_space> nodewise(
    const ExecutionSpace& space, const GraphBatch<Views...>& batch, Pair pair,
    const TypedKernel<VertexKernel, EdgeKernel, Starting>& kernel, const GraphSolveOptions& options = {}) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto graphs = prepare<Scalar>(space, batch);
  require_valid(space, graphs);
  if (!detail::are_graphs(pair, static_cast<std::int32_t>(graphs.size()))) {
    throw Error("graphs " + std::to_string(pair.first) + " and " + std::to_string(pair.second) + " of a batch of " +
                std::to_string(graphs.size()) + "; allowed are numbers from 0 to one less");
  }
  const std::size_t n = detail::vertices_of(space, graphs, pair.first);
  const std::size_t m = detail::vertices_of(space, graphs, pair.second);
  NodewiseInViews<MemorySpace> nodes;
  Kokkos::View<Pair*, MemorySpace> pairs;
  Kokkos::View<PairResult*, MemorySpace> results;
  Kokkos::View<std::size_t*, MemorySpace> begin;
  detail::allocating("node-wise results", [&] {
    nodes.similarity =
        decltype(nodes.similarity)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::similarity"), n, m);
    detail::make(space, pairs, "pairs", 1);
    detail::make(space, results, "results", 1);
    detail::make(space, begin, "begin", 1);
  });
  Kokkos::deep_copy(space, pairs, pair);
  const Kokkos::View<double*, MemorySpace, Kokkos::MemoryUnmanaged> x(nodes.similarity.data(), n * m);
  SolveHandle<ExecutionSpace, Scalar> handle;
  solve(space, handle, graphs, PairList{pairs}, kernel, Outputs{NotGiven(), results, Nodewise{x, begin}}, options);
  require_valid(space, handle);
  nodes.result = detail::to_host(space, "nodewise", results)(0);
  return nodes;
}

}  // namespace octile
