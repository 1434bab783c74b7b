// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/cuda/run/engine.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>
#include <octile/cuda/typed/set.cuh>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/schedule.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace octile::cuda {

/// A Gram matrix in the memory of the execution space that computed it.
template <class MemorySpace>
struct DeviceGram {
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> values;  ///< N×N, exactly symmetric, not normalised
  Kokkos::View<const Pair*, MemorySpace> pairs;                     ///< costliest first
  Kokkos::View<PairResult*, MemorySpace> results;                   ///< in the order of `pairs`
};

/// Queues filling both triangles of the matrix from the results of its pairs.
template <class ExecutionSpace, class MemorySpace>
void fill_symmetric(const ExecutionSpace& space, const DeviceGram<MemorySpace>& gram) {
  Kokkos::parallel_for(
      "octile::symmetric_matrix", Kokkos::RangePolicy<ExecutionSpace>(space, 0, gram.pairs.extent(0)),
      KOKKOS_LAMBDA(const std::size_t k) {
        const Pair pair = gram.pairs(k);
        gram.values(pair.first, pair.second) = gram.results(k).value;
        gram.values(pair.second, pair.first) = gram.results(k).value;
      });
}

/// Gram matrices by the native solver, in float32, for base kernels that are compile-time types (see `BaseKernel`) over
/// labels of any trivially copyable types: for graphs of the host what `gram` of `octile/gram_in_views.hpp` is for graphs in Views.
///
///     octile::cuda::GramSolver solver(space, graphs, stopping, vertex_kernel, edge_kernel, read_vertex, read_edge);
///     const auto& gram = solver.enqueue();      // queued on `space`, not waited for
///
/// `read_vertex(g, v)` and `read_edge(g, e)` give the labels of vertex v and of edge `graphs[g].edges()[e]`. The set is
/// copied in the constructor, with a fence of `space`; `enqueue` does not fence and may be called again: memory is
/// allocated in the first call. The solver must outlive what it queued. Where float32 does not suffice for the
/// tolerance, the pair's status is `stagnated`.
template <class VertexKernel, class EdgeKernel, class VertexLabel, class EdgeLabel>
class GramSolver {
 public:
  using Space = Kokkos::Cuda;               ///< where pairs are solved
  using MemorySpace = Space::memory_space;  ///< where the matrix lies

  static_assert(BaseKernel<VertexKernel, VertexLabel>);
  static_assert(BaseKernel<EdgeKernel, EdgeLabel>);

  /// Packs the graphs and copies them to the GPU. `memory`: the most bytes of work space.
  template <class ReadVertex, class ReadEdge>
  GramSolver(const Space& space, std::span<const Graph> graphs, const Stopping& stopping,
             const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel, const ReadVertex& read_vertex,
             const ReadEdge& read_edge, const SolveOptions& options = {1e-6, 2000},
             std::size_t memory = workspace_limit)
      : GramSolver(space, graphs, stopping, vertex_kernel, edge_kernel, options, memory,
                   built(graphs, stopping, read_vertex, read_edge)) {}

  /// Queues the solves of all pairs on the instance, and the matrix behind them.
  const DeviceGram<MemorySpace>& enqueue() {
    engine_.enqueue(pairs_);
    const std::size_t count = pairs_.size();
    gram_.pairs = Kokkos::View<const Pair*, MemorySpace>(first_of(engine_.pairs(), count));
    gram_.results = first_of(engine_.results(), count);
    fill_symmetric(engine_.space(), gram_);
    return gram_;
  }

 private:
  using Builder = SetBuilder<Product::slices, VertexLabel, EdgeLabel>;

  template <class ReadVertex, class ReadEdge>
  static Builder built(std::span<const Graph> graphs, const Stopping& stopping, const ReadVertex& read_vertex,
                       const ReadEdge& read_edge) {
    Builder builder;
    builder.add_all(graphs, stopping, read_vertex, read_edge);
    return builder;
  }

  GramSolver(const Space& space, std::span<const Graph> graphs, const Stopping& stopping,
             const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel, const SolveOptions& options,
             std::size_t memory, Builder builder)
      : pairs_(costliest_first(CostModel(graphs))),
        engine_(space, set_on_host(std::move(builder), vertex_kernel, TypedKernel<EdgeKernel, EdgeLabel>{edge_kernel}),
                VertexTable{}, nullptr, stopping, options, memory) {
    gram_.values = decltype(gram_.values)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::gram"),
                                          graphs.size(), graphs.size());
  }

  std::vector<Pair> pairs_;
  Engine engine_;
  DeviceGram<MemorySpace> gram_;
};

template <class VertexKernel, class EdgeKernel, class ReadVertex, class ReadEdge, class... Rest>
GramSolver(const Kokkos::Cuda&, std::span<const Graph>, const Stopping&, const VertexKernel&, const EdgeKernel&,
           const ReadVertex&, const ReadEdge&, const Rest&...)
    -> GramSolver<VertexKernel, EdgeKernel, std::decay_t<std::invoke_result_t<ReadVertex, std::size_t, std::size_t>>,
                  std::decay_t<std::invoke_result_t<ReadEdge, std::size_t, std::size_t>>>;

}  // namespace octile::cuda
