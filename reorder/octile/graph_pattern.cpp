// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graph_pattern.hpp>

#include <array>
#include <utility>
#include <vector>

namespace octile::reorder {
namespace {

constexpr std::array axes{"x", "y", "z"};

/// A real vertex attribute, or null.
const std::vector<double>* real_column(const Graph& graph, const char* name) {
  const auto found = graph.vertex_labels().find(name);
  return found == graph.vertex_labels().end() ? nullptr : std::get_if<std::vector<double>>(&found->second);
}

void add_coordinates(const Graph& graph, Pattern& pattern) {
  std::vector<const std::vector<double>*> columns;
  for (const char* axis : axes) {
    const std::vector<double>* column = real_column(graph, axis);
    if (column == nullptr) break;
    columns.push_back(column);
  }
  if (columns.size() < 2) return;
  pattern.dimensions = static_cast<int>(columns.size());
  pattern.position.resize(static_cast<std::size_t>(graph.vertex_count()));
  for (std::size_t d = 0; d < columns.size(); ++d) {
    for (std::size_t vertex = 0; vertex < pattern.position.size(); ++vertex) {
      pattern.position[vertex][d] = (*columns[d])[vertex];
    }
  }
}

}  // namespace

Pattern pattern_of(const Graph& graph) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  edges.reserve(graph.edge_count());
  for (const Edge& edge : graph.edges()) edges.emplace_back(edge.i, edge.j);
  Pattern pattern = make_pattern(graph.name(), graph.vertex_count(), edges);
  add_coordinates(graph, pattern);
  return pattern;
}

}  // namespace octile::reorder
