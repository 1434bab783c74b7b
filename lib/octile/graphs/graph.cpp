// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graph.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

void check_vertex_count(const std::string& name, std::int64_t count) {
  if (count < 1) throw Error(fmt::format("graph '{}': {} vertices; a graph has at least one", name, count));
}

/// `what` and `whats` are a starting value and several.
void check_starting(const std::string& name, std::size_t vertices, std::span<const double> values,
                    std::string_view what, std::string_view whats) {
  if (values.size() != vertices) {
    throw Error(
        fmt::format("graph '{}': {} starting {}; expected {}, one a vertex", name, values.size(), whats, vertices));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k]) && values[k] >= 0) continue;
    throw Error(fmt::format("graph '{}': starting {} of vertex {} is {}; allowed is a finite number >= 0", name, what,
                            k, values[k]));
  }
}

void check_edge(const std::string& name, std::int32_t vertex_count, std::int64_t i, std::int64_t j, double weight) {
  for (const std::int64_t vertex : {i, j}) {
    if (vertex < 0 || vertex >= vertex_count) {
      throw Error(fmt::format("graph '{}': edge ({}, {}): vertex {} does not exist; allowed is 0 to {}", name, i, j,
                              vertex, vertex_count - 1));
    }
  }
  if (i == j)
    throw Error(fmt::format("graph '{}': edge ({}, {}) is a self-loop; allowed are two vertices", name, i, j));
  if (!std::isfinite(weight) || weight < 0) {
    throw Error(
        fmt::format("graph '{}': edge ({}, {}) has weight {}; allowed is a finite number >= 0", name, i, j, weight));
  }
}

void check_columns(const std::string& name, std::string_view what, const LabelColumns& columns, std::size_t expected) {
  for (const auto& [attribute, column] : columns) {
    if (column_size(column) != expected) {
      throw Error(fmt::format("graph '{}': {} label '{}' has {} values; expected {}, one a {}", name, what, attribute,
                              column_size(column), expected, what));
    }
    const auto refuse = [&, &attribute = attribute](std::size_t index, double value) {
      throw Error(fmt::format("graph '{}': {} label '{}' is {} at {} {}; allowed is a finite number", name, what,
                              attribute, value, what, index));
    };
    if (const auto* reals = std::get_if<std::vector<double>>(&column)) {
      for (std::size_t k = 0; k < reals->size(); ++k) {
        if (!std::isfinite((*reals)[k])) refuse(k, (*reals)[k]);
      }
    } else if (const auto* lists = std::get_if<std::vector<RealList>>(&column)) {
      for (std::size_t k = 0; k < lists->size(); ++k) {
        for (const double value : (*lists)[k]) {
          if (!std::isfinite(value)) refuse(k, value);
        }
      }
    }
  }
}

LabelColumns gather_all(const LabelColumns& columns, const std::vector<std::size_t>& source) {
  LabelColumns gathered;
  for (const auto& [attribute, column] : columns) gathered.emplace(attribute, gather(column, source));
  return gathered;
}

/// Indices of the edges of non-zero weight, sorted by (i, j).
std::vector<std::size_t> canonical_order(const std::vector<Edge>& edges) {
  std::vector<std::size_t> order;
  order.reserve(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].weight > 0) order.push_back(k);
  }
  std::ranges::sort(order, {}, [&edges](std::size_t k) { return std::pair(edges[k].i, edges[k].j); });
  return order;
}

void check_row_offsets(const std::string& name, std::span<const std::int32_t> row_offsets, std::size_t entries) {
  if (row_offsets.empty()) check_vertex_count(name, 0);
  check_vertex_count(name, std::ssize(row_offsets) - 1);
  bool valid = row_offsets.front() == 0 && static_cast<std::size_t>(row_offsets.back()) == entries;
  for (std::size_t row = 0; row + 1 < row_offsets.size(); ++row) valid &= row_offsets[row] <= row_offsets[row + 1];
  if (!valid) {
    throw Error(fmt::format("graph '{}': row offsets must not decrease, and run from 0 to the number of columns, {}",
                            name, entries));
  }
}

}  // namespace

Graph Graph::from_edges(std::string name, std::int32_t vertex_count, std::vector<Edge> edges,
                        LabelColumns vertex_labels, const LabelColumns& edge_labels) {
  check_vertex_count(name, vertex_count);
  for (Edge& edge : edges) {
    check_edge(name, vertex_count, edge.i, edge.j, edge.weight);
    if (edge.i > edge.j) std::swap(edge.i, edge.j);
  }
  check_columns(name, "vertex", vertex_labels, static_cast<std::size_t>(vertex_count));
  check_columns(name, "edge", edge_labels, edges.size());

  std::vector<Edge> sorted = edges;
  std::ranges::sort(sorted, {}, [](const Edge& edge) { return std::pair(edge.i, edge.j); });
  const auto twice =
      std::ranges::adjacent_find(sorted, [](const Edge& a, const Edge& b) { return a.i == b.i && a.j == b.j; });
  if (twice != sorted.end()) {
    throw Error(fmt::format("graph '{}': edge ({}, {}) is given twice; allowed is once, in either direction", name,
                            twice->i, twice->j));
  }

  const std::vector<std::size_t> order = canonical_order(edges);
  Graph graph;
  graph.name_ = std::move(name);
  graph.vertex_count_ = vertex_count;
  graph.edges_.reserve(order.size());
  for (const std::size_t k : order) graph.edges_.push_back(edges[k]);
  graph.vertex_labels_ = std::move(vertex_labels);
  graph.edge_labels_ = gather_all(edge_labels, order);
  graph.starting_.assign(static_cast<std::size_t>(vertex_count), 1.0 / vertex_count);
  return graph;
}

Graph Graph::from_adjacency(std::string name, std::span<const std::int32_t> row_offsets,
                            std::span<const std::int32_t> columns, std::span<const double> weights,
                            LabelColumns vertex_labels, const LabelColumns& edge_labels) {
  check_row_offsets(name, row_offsets, columns.size());
  if (weights.size() != columns.size()) {
    throw Error(
        fmt::format("graph '{}': {} weights for {} columns; expected one each", name, weights.size(), columns.size()));
  }
  check_columns(name, "edge", edge_labels, columns.size());
  const auto vertex_count = static_cast<std::int32_t>(row_offsets.size() - 1);

  std::vector<Edge> entries(columns.size());
  for (std::int32_t row = 0; row < vertex_count; ++row) {
    for (auto k = static_cast<std::size_t>(row_offsets[row]); k < static_cast<std::size_t>(row_offsets[row + 1]); ++k) {
      entries[k] = {row, columns[k], weights[k]};
      check_edge(name, vertex_count, row, columns[k], weights[k]);
    }
  }
  // Entries of weight zero are no edges, so only positive ones need their mirror image.
  std::vector<std::size_t> order = canonical_order(entries);
  const auto key = [&entries](std::size_t k) { return std::pair(entries[k].i, entries[k].j); };
  const auto twice = std::ranges::adjacent_find(order, {}, key);
  if (twice != order.end()) {
    throw Error(fmt::format("graph '{}': entry ({}, {}) is given twice", name, entries[*twice].i, entries[*twice].j));
  }
  std::vector<std::size_t> upper;
  for (const std::size_t k : order) {
    const Edge& entry = entries[k];
    const auto mirror = std::ranges::lower_bound(order, std::pair(entry.j, entry.i), {}, key);
    const bool present = mirror != order.end() && key(*mirror) == std::pair(entry.j, entry.i);
    if (!present || entries[*mirror].weight != entry.weight) {
      throw Error(fmt::format("graph '{}': weight of ({}, {}) is {}, of ({}, {}) {}; allowed is a symmetric matrix",
                              name, entry.i, entry.j, entry.weight, entry.j, entry.i,
                              present ? entries[*mirror].weight : 0.0));
    }
    for (const auto& [attribute, column] : edge_labels) {
      const LabelValue here = column_value(column, k);
      const LabelValue there = column_value(column, *mirror);
      if (here != there) {
        throw Error(fmt::format("graph '{}': edge label '{}' of ({}, {}) is {}, of ({}, {}) {}; allowed are equal ones",
                                name, attribute, entry.i, entry.j, to_string(here), entry.j, entry.i,
                                to_string(there)));
      }
    }
    if (entry.i < entry.j) upper.push_back(k);
  }
  std::vector<Edge> edges;
  edges.reserve(upper.size());
  for (const std::size_t k : upper) edges.push_back(entries[k]);
  return from_edges(std::move(name), vertex_count, std::move(edges), std::move(vertex_labels),
                    gather_all(edge_labels, upper));
}

std::vector<double> Graph::weighted_degrees() const {
  std::vector<double> degrees(static_cast<std::size_t>(vertex_count_), 0.0);
  for (const Edge& edge : edges_) {
    degrees[static_cast<std::size_t>(edge.i)] += edge.weight;
    degrees[static_cast<std::size_t>(edge.j)] += edge.weight;
  }
  return degrees;
}

void Graph::set_starting_probability(std::vector<double> probability) {
  check_starting(name_, starting_.size(), probability, "probability", "probabilities");
  const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6) {
    throw Error(fmt::format("graph '{}': starting probabilities sum to {}; allowed is 1", name_, sum));
  }
  starting_ = std::move(probability);
}

void Graph::set_starting_weights(std::vector<double> weights) {
  check_starting(name_, starting_.size(), weights, "weight", "weights");
  if (std::ranges::max(weights) == 0) {
    throw Error(fmt::format("graph '{}': all starting weights are 0; allowed is one above 0 or more", name_));
  }
  starting_ = std::move(weights);
}

Graph Graph::scaled(double factor) const {
  Graph graph = *this;
  for (Edge& edge : graph.edges_) {
    edge.weight *= factor;
    if (std::isfinite(edge.weight)) continue;
    throw Error(fmt::format("graph '{}': weight of edge ({}, {}) times {} is {}; allowed is a finite number", name_,
                            edge.i, edge.j, factor, edge.weight));
  }
  return graph;
}

Graph Graph::scaled_with_stopping(double factor) const {
  Graph graph = scaled(factor);
  graph.stopping_scale_ *= factor;
  return graph;
}

void Graph::set_targets(std::map<std::string, double> targets) {
  for (const auto& [target, value] : targets) {
    if (std::isfinite(value)) continue;
    throw Error(
        fmt::format("graph '{}': target '{}' is {}; allowed is a finite number, or none", name_, target, value));
  }
  targets_ = std::move(targets);
}

Graph Graph::reordered(std::span<const std::int32_t> order) const {
  const auto count = static_cast<std::size_t>(vertex_count_);
  std::vector<std::int32_t> position(count, -1);
  bool permutation = order.size() == count;
  for (std::size_t k = 0; permutation && k < count; ++k) {
    permutation = order[k] >= 0 && order[k] < vertex_count_ && position[static_cast<std::size_t>(order[k])] < 0;
    if (permutation) position[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
  }
  if (!permutation) {
    throw Error(fmt::format("graph '{}': the order is no permutation of its {} vertices", name_, vertex_count_));
  }
  std::vector<Edge> edges = edges_;
  for (Edge& edge : edges) {
    edge.i = position[static_cast<std::size_t>(edge.i)];
    edge.j = position[static_cast<std::size_t>(edge.j)];
  }
  const std::vector<std::size_t> source(order.begin(), order.end());
  Graph graph = from_edges(name_, vertex_count_, std::move(edges), gather_all(vertex_labels_, source), edge_labels_);
  for (std::size_t k = 0; k < count; ++k) graph.starting_[k] = starting_[source[k]];
  graph.targets_ = targets_;
  graph.stopping_scale_ = stopping_scale_;
  return graph;
}

std::vector<std::int32_t> Graph::components() const {
  // Union-find with path halving; the smaller index is the root, so numbering by first appearance is by root.
  std::vector<std::int32_t> parent(static_cast<std::size_t>(vertex_count_));
  std::iota(parent.begin(), parent.end(), 0);
  const auto at = [&parent](std::int32_t vertex) -> std::int32_t& { return parent[static_cast<std::size_t>(vertex)]; };
  const auto root = [&at](std::int32_t vertex) {
    while (at(vertex) != vertex) vertex = at(vertex) = at(at(vertex));
    return vertex;
  };
  for (const Edge& edge : edges_) {
    const auto [low, high] = std::minmax({root(edge.i), root(edge.j)});
    at(high) = low;
  }
  std::vector<std::int32_t> component(parent.size());
  std::int32_t count = 0;
  for (std::int32_t vertex = 0; vertex < vertex_count_; ++vertex) {
    const std::int32_t its_root = root(vertex);
    component[static_cast<std::size_t>(vertex)] =
        its_root == vertex ? count++ : component[static_cast<std::size_t>(its_root)];
  }
  return component;
}

}  // namespace octile
