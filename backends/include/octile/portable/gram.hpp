// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/cost_model.hpp>
#include <octile/device_gram.hpp>
#include <octile/pair_schedule.hpp>
#include <octile/portable/solve.hpp>
#include <octile/solve.hpp>
#include <octile/to_memory.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace octile::portable {

/// The Gram matrix of a packed set, for base kernels that are compile-time types
/// (see `BaseKernel`) over the set's labels. `graphs` are those that the set was
/// packed from. The work is queued on `space` and not waited for. The only fence
/// follows the copy of the list of pairs, before the solves.
template <class ExecutionSpace, class Set, class VertexKernel, class EdgeKernel>
DeviceGram<typename Set::memory_space> gram(const ExecutionSpace& space, std::span<const Graph> graphs, const Set& set,
                                            const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel,
                                            const SolveOptions& options = {}) {
  using MemorySpace = typename Set::memory_space;
  static_assert(BaseKernel<VertexKernel, typename Set::vertex_label_type>);
  static_assert(BaseKernel<EdgeKernel, typename Set::edge_label_type>);
  std::size_t largest = 0;
  for (const Graph& graph : graphs) largest = std::max(largest, static_cast<std::size_t>(graph.vertex_count()));

  DeviceGram<MemorySpace> gram;
  const std::vector<Pair> pairs = costliest_first(CostModel(graphs));
  gram.pairs = detail::to_memory<MemorySpace>(space, "pairs", pairs);
  space.fence("octile::gram");
  gram.results =
      decltype(gram.results)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::results"), pairs.size());
  gram.values = decltype(gram.values)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::gram"),
                                      graphs.size(), graphs.size());
  const auto xmv = default_xmv<ExecutionSpace, Set>();
  using Scalar = typename Set::scalar_type;
  const std::size_t slots =
      std::min({concurrent_teams(space, xmv.threads()), pairs.size(),
                std::max<std::size_t>(workspace_limit / pair_bytes<Scalar, ExecutionSpace>(largest * largest), 1)});
  const Workspace<Scalar, MemorySpace> workspace(space, largest * largest, slots);
  solve(space, set, vertex_kernel, edge_kernel, xmv, gram.pairs, gram.results, workspace, options);
  fill_symmetric(space, gram);
  return gram;
}

}  // namespace octile::portable
