// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graphs/rows.hpp>

#include <cstddef>

namespace octile {

std::vector<std::vector<RowElement>> rows_of(const Graph& graph) {
  std::vector<std::vector<RowElement>> rows(static_cast<std::size_t>(graph.vertex_count()));
  std::uint32_t number = 0;
  // Edges are sorted by (i, j), i < j. So row v gets its edges to lower vertices first, and its columns rise.
  for (const Edge& edge : graph.edges()) {
    rows[static_cast<std::size_t>(edge.i)].push_back({number, static_cast<std::uint32_t>(edge.j)});
    rows[static_cast<std::size_t>(edge.j)].push_back({number, static_cast<std::uint32_t>(edge.i)});
    ++number;
  }
  return rows;
}

}  // namespace octile
