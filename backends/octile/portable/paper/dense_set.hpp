// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::portable {

/// The full adjacency and edge label matrices of a set of graphs, which the dense primitives stream. Element (i, j) of
/// graph g with n vertices is at begin(g) + i n + j. Where there is no edge the weight is 0 and the label is
/// the type's default, for which the base kernel must be finite.
template <class Scalar, class EdgeLabel, class MemorySpace>
struct DenseMatrices {
  Array<std::uint64_t, MemorySpace> begin;  ///< graphs + 1
  Array<Scalar, MemorySpace> weights;
  Array<EdgeLabel, MemorySpace> labels;
};

/// Bytes of the matrices of a set.
template <class Scalar, class EdgeLabel>
std::size_t dense_bytes(std::span<const Graph> graphs) {
  std::size_t elements = 0;
  for (const Graph& graph : graphs) {
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    elements += n * n;
  }
  return elements * (sizeof(Scalar) + sizeof(EdgeLabel)) + (graphs.size() + 1) * sizeof(std::uint64_t);
}

/// Lays out a set of graphs as full matrices, in the memory of `space`. `edge_label(g, e)` is as for `pack_octiles`.
/// Fences `space`, since the host's matrices must outlive their copies.
template <class Scalar, class EdgeLabel, class ExecutionSpace, class ReadEdge>
auto dense_matrices(const ExecutionSpace& space, std::span<const Graph> graphs, const ReadEdge& edge_label) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  std::vector<std::uint64_t> begin{0};
  for (const Graph& graph : graphs) {
    const auto n = static_cast<std::uint64_t>(graph.vertex_count());
    begin.push_back(begin.back() + n * n);
  }
  std::vector<Scalar> weights(begin.back(), Scalar(0));
  std::vector<EdgeLabel> labels(begin.back(), EdgeLabel{});
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto n = static_cast<std::size_t>(graphs[g].vertex_count());
    for (std::size_t e = 0; e < graphs[g].edge_count(); ++e) {
      const Edge& edge = graphs[g].edges()[e];
      const auto i = static_cast<std::size_t>(edge.i);
      const auto j = static_cast<std::size_t>(edge.j);
      for (const std::size_t element : {begin[g] + i * n + j, begin[g] + j * n + i}) {
        weights[element] = static_cast<Scalar>(edge.weight);
        labels[element] = edge_label(g, e);
      }
    }
  }
  DenseMatrices<Scalar, EdgeLabel, MemorySpace> matrices;
  matrices.begin = octile::detail::to_memory<MemorySpace>(space, "dense_begin", begin);
  matrices.weights = octile::detail::to_memory<MemorySpace>(space, "dense_weights", weights);
  matrices.labels = octile::detail::to_memory<MemorySpace>(space, "dense_labels", labels);
  space.fence("octile::dense_matrices");
  return matrices;
}

}  // namespace octile::portable
