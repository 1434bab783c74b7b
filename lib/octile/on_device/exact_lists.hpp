// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/exact_set.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/on_device/pairs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace octile {

/// An `ExactSet` as lists that a device reads, with vertices in an order of its own.
struct ExactLists {
  std::vector<std::uint32_t> vertex_begin;
  std::vector<detail::ExactVertex> vertices;  ///< and one more, where ends end
  std::vector<detail::ExactEnd> ends;
  std::vector<detail::ExactEdge> edges;
  std::vector<std::uint32_t> by_degree;        ///< of each graph its vertices, those with most edges first
  std::vector<std::uint32_t> most_neighbours;  ///< of each graph

  ExactLists(const ExactSet& set, const std::vector<VertexOrder>& orders) {
    const ExactGraphs& graphs = set.graphs();
    ends.resize(2 * graphs.ends.size());
    std::vector<std::uint32_t> other(ends.size());
    std::uint32_t end = 0;
    std::vector<std::uint32_t> place;
    std::vector<std::uint32_t> next;
    for (std::size_t g = 0; g + 1 < graphs.vertex_begin.size(); ++g) {
      const std::size_t first = graphs.vertex_begin[g];
      const std::size_t n = graphs.vertex_begin[g + 1] - first;
      vertex_begin.push_back(static_cast<std::uint32_t>(first));
      place.resize(n);
      next.resize(n);
      const std::span<const std::uint32_t> records = set.vertex_kernel().ids(g);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t v = vertex_at(orders[g], k);
        place[v] = static_cast<std::uint32_t>(k);
        const auto neighbours = static_cast<std::uint32_t>(graphs.neighbours[first + v]);
        vertices.push_back({graphs.degrees[first + v], graphs.inverse_degrees[first + v], graphs.starting[first + v],
                            graphs.inverse_starting[first + v],
                            set.vertex_kernel().lowered().constant() ? 0 : records[v], end, 0, neighbours});
        next[k] = end;
        end += neighbours;
      }
      const bool labelled = !set.edge_kernel().lowered().constant();
      const std::span<const std::uint32_t> edge_records = set.edge_kernel().ids(g);
      for (std::size_t e = graphs.edge_begin[g]; e < graphs.edge_begin[g + 1]; ++e) {
        const std::uint32_t record = labelled ? edge_records[e - graphs.edge_begin[g]] : 0;
        const std::uint32_t i = place[static_cast<std::size_t>(graphs.ends[e].i)];
        const std::uint32_t j = place[static_cast<std::size_t>(graphs.ends[e].j)];
        other[next[i]] = next[j];
        other[next[j]] = next[i];
        ends[next[i]++] = {graphs.weights[e], j, record};
        ends[next[j]++] = {graphs.weights[e], i, record};
      }
    }
    vertex_begin.push_back(static_cast<std::uint32_t>(vertices.size()));
    vertices.push_back({1, 1, 0, 0, 0, end, 0, 0});
    list_edges(other);
    sort_by_degree();
  }

  double ends_a_vertex() const { return static_cast<double>(ends.size()) / static_cast<double>(vertices.size()); }
  /// Vertices of the largest graph.
  std::size_t most_vertices() const {
    return most([](std::uint32_t begin, std::uint32_t end) { return end - begin; });
  }
  /// Ends of edges of the graph that has most.
  std::size_t most_ends() const {
    return most(
        [this](std::uint32_t begin, std::uint32_t end) { return vertices[end].first_end - vertices[begin].first_end; });
  }

 private:
  /// The largest number of a graph, which `of` has from where its vertices begin and end.
  template <class Of>
  std::size_t most(const Of& of) const {
    std::uint32_t largest = 0;
    for (std::size_t g = 0; g + 1 < vertex_begin.size(); ++g)
      largest = std::max(largest, of(vertex_begin[g], vertex_begin[g + 1]));
    return largest;
  }

  /// Lists each edge at its earlier vertex. `other` has the place of an end's other end.
  void list_edges(const std::vector<std::uint32_t>& other) {
    edges.reserve(ends.size() / 2);
    for (std::size_t v = 0; v + 1 < vertices.size(); ++v) {
      vertices[v].first_edge = static_cast<std::uint32_t>(edges.size());
      for (std::uint32_t end = vertices[v].first_end; end < vertices[v].last_end(); ++end) {
        // Ends stand in the order of their vertices.
        if (other[end] > end) edges.push_back({end, other[end], ends[other[end]].column, ends[end].column});
      }
    }
    vertices.back().first_edge = static_cast<std::uint32_t>(edges.size());
  }

  void sort_by_degree() {
    by_degree.resize(vertices.size() - 1);
    for (std::size_t g = 0; g + 1 < vertex_begin.size(); ++g) {
      const std::span of_graph = std::span(by_degree).subspan(vertex_begin[g], vertex_begin[g + 1] - vertex_begin[g]);
      std::iota(of_graph.begin(), of_graph.end(), std::uint32_t(0));
      std::ranges::stable_sort(of_graph, std::ranges::greater(),
                               [&](std::uint32_t v) { return vertices[vertex_begin[g] + v].neighbours; });
      most_neighbours.push_back(of_graph.empty() ? 0 : vertices[vertex_begin[g] + of_graph[0]].neighbours);
    }
  }
};

}  // namespace octile
