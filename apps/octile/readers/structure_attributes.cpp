// SPDX-License-Identifier: BSD-3-Clause
#include "readers/structure_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace octile::app {
namespace {

/// `graph` with one more column of vertex labels.
Graph with_labels(const Graph& graph, std::string_view name, std::vector<std::int64_t> values) {
  LabelColumns labels = graph.vertex_labels();
  labels.emplace(std::string(name), std::move(values));
  Graph labelled =
      Graph::from_edges(graph.name(), graph.vertex_count(), graph.edges(), std::move(labels), graph.edge_labels());
  labelled.set_starting_weights({graph.starting_probability().begin(), graph.starting_probability().end()});
  labelled.set_targets(graph.targets());
  return labelled;
}

}  // namespace

std::vector<std::int64_t> degrees(const Graph& graph) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(graph.vertex_count()), 0);
  for (const Edge& edge : graph.edges()) {
    ++found[static_cast<std::size_t>(edge.i)];
    ++found[static_cast<std::size_t>(edge.j)];
  }
  return found;
}

std::vector<std::int64_t> core_numbers(const Graph& graph) {
  const auto count = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::vector<std::size_t>> neighbors(count);
  for (const Edge& edge : graph.edges()) {
    neighbors[static_cast<std::size_t>(edge.i)].push_back(static_cast<std::size_t>(edge.j));
    neighbors[static_cast<std::size_t>(edge.j)].push_back(static_cast<std::size_t>(edge.i));
  }
  // The vertex of the least edges that are left is taken away, over and over. `waiting` has each vertex under its number of edges,
  // and again under each smaller one that it comes to.
  std::vector<std::int64_t> left = degrees(graph);
  std::vector<std::vector<std::size_t>> waiting(count + 1);
  for (std::size_t k = 0; k < count; ++k) waiting[static_cast<std::size_t>(left[k])].push_back(k);
  std::vector<std::int64_t> core(count, -1);
  std::int64_t most = 0;
  for (std::size_t edges = 0; edges < waiting.size();) {
    if (waiting[edges].empty()) {
      ++edges;
      continue;
    }
    const std::size_t vertex = waiting[edges].back();
    waiting[edges].pop_back();
    if (core[vertex] >= 0 || left[vertex] != static_cast<std::int64_t>(edges)) continue;
    most = std::max(most, left[vertex]);
    core[vertex] = most;
    for (const std::size_t neighbor : neighbors[vertex]) {
      if (core[neighbor] >= 0) continue;
      --left[neighbor];
      waiting[static_cast<std::size_t>(left[neighbor])].push_back(neighbor);
      edges = std::min(edges, static_cast<std::size_t>(left[neighbor]));
    }
  }
  return core;
}

void add_structure_attributes(std::span<Graph> graphs, const Expression& vertex) {
  const std::set<std::string> read = vertex.attributes();
  for (const StructureAttribute& attribute : structure_attributes) {
    if (!read.contains(std::string(attribute.name))) continue;
    const auto has_it = [&](const Graph& graph) { return graph.vertex_labels().contains(attribute.name); };
    if (std::ranges::any_of(graphs, has_it)) continue;
    for (Graph& graph : graphs) graph = with_labels(graph, attribute.name, attribute.column(graph));
  }
}

}  // namespace octile::app
