// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/vertex_order.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace octile::reorder {

/// The non-zero pattern of a symmetric matrix without a diagonal, and optionally the positions of its vertices in
/// space: all that reordering uses of a graph.
struct Pattern {
  std::string name;                             ///< of the graph, for messages
  std::vector<std::size_t> row_begin{0};        ///< n + 1
  std::vector<std::int32_t> columns;            ///< of both triangles, rising in each row
  int dimensions = 0;                           ///< 2 or 3 where there are coordinates
  std::vector<std::array<double, 3>> position;  ///< of each vertex (z = 0 in two dimensions); empty without

  std::int32_t vertex_count() const { return static_cast<std::int32_t>(row_begin.size() - 1); }

  /// The vertices that share an edge with `vertex`, rising.
  std::span<const std::int32_t> neighbours(std::int32_t vertex) const {
    const auto row = static_cast<std::size_t>(vertex);
    return std::span(columns).subspan(row_begin[row], row_begin[row + 1] - row_begin[row]);
  }
};

/// The pattern of n vertices and undirected edges. Each edge must be given once, without self-loops; this is not checked.
Pattern make_pattern(std::string name, std::int32_t vertex_count,
                     std::span<const std::pair<std::int32_t, std::int32_t>> edges);

/// 0, 1, …, n−1.
VertexOrder natural_order(std::int32_t vertex_count);

/// Whether `order` contains each of 0 … n−1 once.
bool is_permutation_of(std::span<const std::int32_t> order, std::int32_t vertex_count);

}  // namespace octile::reorder
