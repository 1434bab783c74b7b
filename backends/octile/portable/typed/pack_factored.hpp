// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/graphs/rows.hpp>
#include <octile/graphs/vertex_lists.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/portable/xmv/factored_set.hpp>
#include <octile/stopping.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::portable {

/// Bytes of a `FactoredSet` with so many terms an element.
template <class Scalar>
std::size_t factored_bytes(std::span<const Graph> graphs, const Factors& factors, std::size_t terms) {
  std::size_t bytes = sizeof(std::uint32_t) + factors.errors.size() * sizeof(double);
  const std::size_t term = sizeof(Scalar) + (factors.sparse() ? sizeof(std::uint32_t) : 0);
  for (const Graph& graph : graphs) {
    bytes += 2 * graph.edge_count() * (sizeof(std::uint32_t) + terms * term) +
             static_cast<std::size_t>(graph.vertex_count()) * (2 * sizeof(double) + 2 * sizeof(std::uint32_t)) +
             sizeof(std::uint32_t);
  }
  return bytes;
}

/// Packs a set whose edge kernel is factored, in the memory of `space`, with `terms` terms an element, of which those beyond the factors'
/// are 0. The only fence is on `space`, at the end.
template <class Scalar, class ExecutionSpace>
auto pack_factored(const ExecutionSpace& space, std::span<const Graph> graphs, const Stopping& stopping,
                   const plan::LoweredSet& lowered, const Factors& factors, std::size_t terms) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  VertexLists<std::uint32_t> vertices;
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<Scalar> values;
  std::vector<std::uint32_t> indices;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    for (const std::vector<RowElement>& row : rows_of(graph)) {
      for (const auto& [e, column] : row) {
        const auto weight = static_cast<Scalar>(graph.edges()[e].weight);
        columns.push_back(column);
        const std::size_t record = lowered.edge.ids[g][e] * factors.terms;
        for (std::size_t t = record; t < record + factors.terms; ++t) {
          values.push_back(static_cast<Scalar>(static_cast<double>(weight) * factors.values[t]));
          if (factors.sparse()) indices.push_back(factors.indices[t]);
        }
        values.resize(columns.size() * terms);
      }
      row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    vertices.add(graph, rounded_degrees<Scalar>(graph, stopping),
                 [&](std::size_t v) { return lowered.vertex.ids[g][v]; });
  }
  FactoredSet<Scalar, MemorySpace> set;
  vertices.copy_to(set, [&](const char* name, const auto& list) {
    return octile::detail::to_memory<MemorySpace>(space, name, list);
  });
  set.row_begin = octile::detail::to_memory<MemorySpace>(space, "row_begin", row_begin);
  set.columns = octile::detail::to_memory<MemorySpace>(space, "columns", columns);
  set.factors = octile::detail::to_memory<MemorySpace>(space, "factors", values);
  if (!factors.sparse()) set.errors = octile::detail::to_memory<MemorySpace>(space, "factor_errors", factors.errors);
  set.indices = octile::detail::to_memory<MemorySpace>(space, "factor_indices", indices);
  set.q = stopping.q();
  set.rank = static_cast<int>(factors.sparse() ? factors.rank : terms);
  set.terms = static_cast<int>(terms);
  space.fence("octile::pack_factored");
  return set;
}

}  // namespace octile::portable
