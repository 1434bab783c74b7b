// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/vertex_lists.hpp>
#include <octile/stopping.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace octile {

namespace detail {

/// One element of the full matrix, with the number of the edge that it comes from.
struct Element {
  std::uint32_t octile_row;
  std::uint32_t octile_column;
  int bit;
  std::uint32_t edge;
};

/// Elements of both triangles, sorted by octile row, octile column, and bit.
inline std::vector<Element> octile_order(const Graph& graph) {
  std::vector<Element> elements;
  elements.reserve(2 * graph.edge_count());
  const auto put = [&elements](std::int32_t i, std::int32_t j, std::size_t edge) {
    elements.push_back({static_cast<std::uint32_t>(i / octile_size), static_cast<std::uint32_t>(j / octile_size),
                        octile_bit(i % octile_size, j % octile_size), static_cast<std::uint32_t>(edge)});
  };
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    put(graph.edges()[edge].i, graph.edges()[edge].j, edge);
    put(graph.edges()[edge].j, graph.edges()[edge].i, edge);
  }
  std::ranges::sort(elements, {}, [](const Element& element) {
    return std::tuple(element.octile_row, element.octile_column, element.bit);
  });
  return elements;
}

/// Builds the arrays of `OctileSet` on the host, graph by graph.
template <class Scalar, class EdgeLabel>
struct OctileLists {
  std::vector<std::uint32_t> octile_row_begin{0};
  std::vector<std::uint32_t> octile_begin{0};
  std::vector<OctileHead> octiles;
  std::vector<Scalar> weights;
  std::vector<EdgeLabel> edge_labels;
  bool empty_too = false;  ///< store octiles without an element too: the whole matrix
  bool expanded = false;   ///< store all 64 elements of an octile, each at its bit, with 0 for missing ones

  /// Adds a graph; `weight(e)` and `label(e)` give weight and label of edge e.
  template <class Weight, class Label>
  void add(const Graph& graph, const Weight& weight, const Label& label) {
    const std::vector<Element> elements = octile_order(graph);
    const auto rows = static_cast<std::uint32_t>(octile_count(graph.vertex_count()));
    std::uint32_t row = 0;
    std::uint32_t column = 0;  // the next octile column of this row
    const auto open = [&](std::uint32_t octile_column) {
      octiles.push_back({0, octile_column, static_cast<std::uint32_t>(weights.size())});
      if (expanded) resize(weights.size() + octile_area);
    };
    const auto fill_to = [&](std::uint32_t end) {
      for (; empty_too && column < end; ++column) open(column);
    };
    const auto close_row = [&] {
      fill_to(rows);
      column = 0;
      octile_begin.push_back(static_cast<std::uint32_t>(octiles.size()));
    };
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const Element& element = elements[k];
      for (; row < element.octile_row; ++row) close_row();
      const bool opens = k == 0 || elements[k - 1].octile_row != element.octile_row ||
                         elements[k - 1].octile_column != element.octile_column;
      if (opens) {
        fill_to(element.octile_column);
        open(element.octile_column);
        column = element.octile_column + 1;
      }
      octiles.back().mask |= OctileMask(1) << element.bit;
      if (!expanded) resize(weights.size() + 1);
      const std::size_t place =
          expanded ? octiles.back().elements + static_cast<std::size_t>(element.bit) : weights.size() - 1;
      weights[place] = weight(element.edge);
      if constexpr (!std::is_same_v<EdgeLabel, NoLabel>) edge_labels[place] = label(element.edge);
    }
    for (; row < rows; ++row) close_row();
    octile_row_begin.push_back(static_cast<std::uint32_t>(octile_begin.size() - 1));
  }

 private:
  void resize(std::size_t elements) {
    weights.resize(elements);
    if constexpr (!std::is_same_v<EdgeLabel, NoLabel>) edge_labels.resize(elements);
  }
};

}  // namespace detail

/// Packs a set of graphs into octiles, in the memory of `space`. `vertex_label(g,
/// v)` and `edge_label(g, e)` give the label of vertex v, and of edge
/// `graphs[g].edges()[e]`, in the kernels' own types. The only fence is on
/// `space`, at the end, since the host's arrays must outlive their copies.
template <class Scalar, class VertexLabel, class EdgeLabel, class ExecutionSpace, class ReadVertex, class ReadEdge>
auto pack_octiles(const ExecutionSpace& space, std::span<const Graph> graphs, const Stopping& stopping,
                  const ReadVertex& vertex_label, const ReadEdge& edge_label) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = OctileSet<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
  detail::OctileLists<Scalar, EdgeLabel> lists;
  VertexLists<VertexLabel> vertices;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    lists.add(
        graph, [&](std::uint32_t e) { return static_cast<Scalar>(graph.edges()[e].weight); },
        [&](std::uint32_t e) { return edge_label(g, e); });
    vertices.add(graph, rounded_degrees<Scalar>(graph, stopping), [&](std::size_t v) { return vertex_label(g, v); });
  }

  Set set;
  vertices.copy_to(
      set, [&](const char* name, const auto& values) { return detail::to_memory<MemorySpace>(space, name, values); });
  set.octile_row_begin = detail::to_memory<MemorySpace>(space, "octile_row_begin", lists.octile_row_begin);
  set.octile_begin = detail::to_memory<MemorySpace>(space, "octile_begin", lists.octile_begin);
  set.octiles = detail::to_memory<MemorySpace>(space, "octiles", lists.octiles);
  set.weights = detail::to_memory<MemorySpace>(space, "weights", lists.weights);
  set.edge_labels = detail::to_memory<MemorySpace>(space, "edge_labels", lists.edge_labels);
  set.q = stopping.q();
  space.fence("octile::pack_octiles");
  return set;
}

}  // namespace octile
