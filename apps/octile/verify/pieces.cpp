// SPDX-License-Identifier: BSD-3-Clause
#include "verify/pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "verify/pair_sample.hpp"

namespace octile::app {
namespace {

constexpr std::int32_t outside = -1;

/// The numbers of vertices of pieces. The reference takes about a second for the largest pair.
constexpr std::int32_t sizes_of_pieces[] = {6, 12, 24, 48};

/// The most unknowns of a small pair, and the number of small pairs that suffices.
constexpr std::size_t small = 48 * 48;
constexpr std::ptrdiff_t enough_small_pairs = 4;

/// Vertices by their distance from an end of the first edge; unreachable ones follow by number.
std::vector<std::int32_t> nearest_first(const Graph& graph) {
  const auto count = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::vector<std::int32_t>> neighbours(count);
  for (const Edge& edge : graph.edges()) {
    neighbours[static_cast<std::size_t>(edge.i)].push_back(edge.j);
    neighbours[static_cast<std::size_t>(edge.j)].push_back(edge.i);
  }
  std::vector<std::int32_t> order;
  std::vector<bool> seen(count, false);
  const auto reach = [&](std::int32_t vertex) {
    if (seen[static_cast<std::size_t>(vertex)]) return;
    seen[static_cast<std::size_t>(vertex)] = true;
    order.push_back(vertex);
  };
  if (!graph.edges().empty()) reach(graph.edges().front().i);
  std::size_t next = 0;
  while (next < order.size()) {  // the body extends `order`
    const auto vertex = static_cast<std::size_t>(order[next++]);
    for (const std::int32_t neighbour : neighbours[vertex]) reach(neighbour);
  }
  for (std::int32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) reach(vertex);
  return order;
}

LabelColumns gathered(const LabelColumns& labels, const std::vector<std::size_t>& source) {
  LabelColumns taken;
  for (const auto& [attribute, column] : labels) taken.emplace(attribute, gather(column, source));
  return taken;
}

}  // namespace

Graph piece_of(const Graph& graph, std::int32_t vertices) {
  if (vertices >= graph.vertex_count()) return graph;
  std::vector<std::int32_t> taken = nearest_first(graph);
  taken.resize(static_cast<std::size_t>(vertices));
  std::ranges::sort(taken);
  std::vector<std::int32_t> number(static_cast<std::size_t>(graph.vertex_count()), outside);
  for (std::size_t k = 0; k < taken.size(); ++k)
    number[static_cast<std::size_t>(taken[k])] = static_cast<std::int32_t>(k);
  std::vector<Edge> edges;
  std::vector<std::size_t> edge_numbers;
  for (std::size_t k = 0; k < graph.edges().size(); ++k) {
    const Edge& edge = graph.edges()[k];
    const std::int32_t i = number[static_cast<std::size_t>(edge.i)];
    const std::int32_t j = number[static_cast<std::size_t>(edge.j)];
    if (i == outside || j == outside) continue;
    edges.push_back({i, j, edge.weight});
    edge_numbers.push_back(k);
  }
  const std::vector<std::size_t> vertex_numbers(taken.begin(), taken.end());
  Graph piece =
      Graph::from_edges(fmt::format("{} vertices of {}", vertices, graph.name()), vertices, std::move(edges),
                        gathered(graph.vertex_labels(), vertex_numbers), gathered(graph.edge_labels(), edge_numbers));
  std::vector<double> starting;
  starting.reserve(vertex_numbers.size());
  for (const std::size_t vertex : vertex_numbers) starting.push_back(graph.starting_probability()[vertex]);
  const double sum = std::accumulate(starting.begin(), starting.end(), 0.0);
  if (sum > 0) {
    for (double& probability : starting) probability /= sum;
    piece.set_starting_probability(std::move(starting));
  }
  return piece;
}

bool needs_pieces(std::span<const Graph> graphs, std::span<const Pair> sample) {
  const auto is_small = [graphs](Pair pair) { return unknowns(graphs, pair) <= small; };
  const auto all = static_cast<std::ptrdiff_t>(sample.size());
  return std::ranges::count_if(sample, is_small) < std::min(enough_small_pairs, all);
}

Pieces pieces_of(std::span<const Graph> graphs, std::span<const Pair> sample) {
  Pieces pieces;
  const std::vector<Graph> whole = subset_of(graphs, sample).graphs;
  for (const std::int32_t size : sizes_of_pieces) {
    const auto number = static_cast<std::int32_t>(pieces.graphs.size());
    pieces.graphs.push_back(piece_of(whole[static_cast<std::size_t>(number) % whole.size()], size));
    if (number > 0) pieces.pairs.push_back({number - 1, number});
    pieces.pairs.push_back({number, number});
  }
  return pieces;
}

}  // namespace octile::app
