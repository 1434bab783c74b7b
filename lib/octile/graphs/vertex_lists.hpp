// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/interruption.hpp>
#include <octile/stopping.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace octile {

/// d_i of a graph, from its weights rounded to Scalar. So D − A keeps its row sums, on which the condition depends. Where all weights of
/// a vertex round to 0 it keeps their true sum: it is not isolated, and its rows are out of the range of Scalar, which ends a pair as a
/// breakdown.
template <class Scalar>
std::vector<double> rounded_degrees(const Graph& graph, const Stopping& stopping) {
  std::vector<double> sums(static_cast<std::size_t>(graph.vertex_count()), 0.0);
  bool vanished = false;
  for (const Edge& edge : graph.edges()) {
    const auto weight = static_cast<double>(static_cast<Scalar>(edge.weight));
    vanished = vanished || weight == 0;
    sums[static_cast<std::size_t>(edge.i)] += weight;
    sums[static_cast<std::size_t>(edge.j)] += weight;
  }
  if (vanished) {
    const std::vector<double> exact = graph.weighted_degrees();
    for (std::size_t v = 0; v < sums.size(); ++v) {
      if (sums[v] == 0) sums[v] = exact[v];
    }
  }
  return stopping.degrees(std::move(sums), graph.stopping_scale());
}

/// The vertices of a set on the host, graph after graph, which all layouts share:
///
///     graph g   vertices  begin[g] … begin[g+1]
///     vertex v  degrees[v], starting[v], labels[v]
template <class Label>
struct VertexLists {
  std::vector<std::uint32_t> begin{0};  ///< graphs + 1
  std::vector<double> degrees;          ///< d_i
  std::vector<double> starting;         ///< p_i
  std::vector<Label> labels;

  /// Adds a graph with these degrees; `label(v)` gives the label of vertex v. With an order, vertex k of the set is
  /// `order[k]`. Throws `Interrupted` if the thread is asked to stop: every layout calls this for each graph.
  template <class ReadLabel, class Order = std::span<const std::int32_t>>
  void add(const Graph& graph, std::span<const double> degrees_of_graph, const ReadLabel& label,
           const Order& order = {}) {
    stop_if_asked();
    for (std::size_t k = 0; k < degrees_of_graph.size(); ++k) {
      const std::size_t v = order.empty() ? k : static_cast<std::size_t>(order[k]);
      degrees.push_back(degrees_of_graph[v]);
      starting.push_back(graph.starting_probability()[v]);
      labels.push_back(label(v));
    }
    begin.push_back(static_cast<std::uint32_t>(degrees.size()));
  }

  /// Appends the graphs of another list.
  void append(const VertexLists& more) {
    const auto first = static_cast<std::uint32_t>(degrees.size());
    for (std::size_t g = 1; g < more.begin.size(); ++g) begin.push_back(first + more.begin[g]);
    degrees.insert(degrees.end(), more.degrees.begin(), more.degrees.end());
    starting.insert(starting.end(), more.starting.begin(), more.starting.end());
    labels.insert(labels.end(), more.labels.begin(), more.labels.end());
  }

  /// Copies the arrays to those of `set` by `copy(name, values)`, without a fence.
  template <class Set, class Copy>
  void copy_to(Set& set, const Copy& copy) const {
    set.vertex_begin = copy("vertex_begin", begin);
    set.degrees = copy("degrees", degrees);
    set.starting = copy("starting", starting);
    set.vertex_labels = copy("vertex_labels", labels);
  }
};

}  // namespace octile
