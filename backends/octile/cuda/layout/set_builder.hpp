// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/cuda/layout/factor_arrays.hpp>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/layout/slice_lists.hpp>
#include <octile/cuda/layout/vertex_lists.hpp>
#include <octile/cuda/plan/choice.hpp>
#include <octile/graph.hpp>
#include <octile/stopping.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile::cuda {

// Edges as octiles, of the paper's experiment: who includes paper/octile_arrays.hpp has them.
template <class EdgeLabel>
class NativeOctileLists;

/// Which variants of the edges' form are stored.
struct Layout {
  bool empty_too = false;  ///< octiles: keep those without an element
  bool expanded = false;   ///< octiles: store all 64 elements of each
  FactorForms factored;    ///< factors: which forms; edge labels are then numbers of the factors' records
};

/// Builds a `ProductSet` on the host, graph by graph.
template <Product Kind, class VertexLabel, class EdgeLabel>
class SetBuilder {
 public:
  explicit SetBuilder(const Layout& layout = {}) : layout_(layout), edges_(edge_lists(layout)) {}

  /// Adds a graph; `vertex_label(v)` and `edge_label(e)` are the labels of vertex v and of edge e.
  template <class ReadVertex, class ReadEdge>
  void add(const Graph& graph, const Stopping& stopping, const ReadVertex& vertex_label, const ReadEdge& edge_label) {
    const typename ScaledVertexLists<VertexLabel>::Scaled scaled(graph, stopping);
    const auto weight = [&](std::uint32_t e) {
      return static_cast<float>(graph.edges()[e].weight) * static_cast<float>(scaled.scale);
    };
    if constexpr (Kind == Product::factored) weight_spread_ = std::max(weight_spread_, weight_spread(graph));
    VertexOrder order = edges_.add(graph, weight, edge_label);
    vertices_.add(graph, scaled, std::move(order), vertex_label);
  }

  /// The sizes that a plan takes, without the number of vertex ids.
  SetSizes sizes() const {
    return {vertices_.counts(), edges_.row_elements(), edges_.costs(), edges_.largest_label(), weight_spread_, 0,
            sizeof(VertexLabel)};
  }

  /// Adds graphs; `vertex_label(g, v)` and `edge_label(g, e)` give labels of graph g. Several threads may call them,
  /// since all forms but octiles are laid out in parallel.
  template <class ReadVertex, class ReadEdge>
  void add_all(std::span<const Graph> graphs, const Stopping& stopping, const ReadVertex& vertex_label,
               const ReadEdge& edge_label) {
    const auto add_to = [&](SetBuilder& builder, std::size_t g) {
      builder.add(
          graphs[g], stopping, [&](std::size_t v) { return vertex_label(g, v); },
          [&](std::size_t e) { return edge_label(g, e); });
    };
    if constexpr (Kind == Product::octiles) {
      for (std::size_t g = 0; g < graphs.size(); ++g) add_to(*this, g);
    } else {
      constexpr std::size_t most_parts = 64;
      const std::size_t each = std::max<std::size_t>((graphs.size() + most_parts - 1) / most_parts, 1);
      std::vector<SetBuilder> parts((graphs.size() + each - 1) / each, SetBuilder(layout_));
      in_parallel(graphs.size(), each, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g) add_to(parts[begin / each], g);
      });
      std::vector<const decltype(edges_)*> edges;
      for (const SetBuilder& part : parts) {
        vertices_.append(part.vertices_);
        edges.push_back(&part.edges_);
        weight_spread_ = std::max(weight_spread_, part.weight_spread_);
      }
      edges_.append(edges);
    }
  }

  /// For each graph its vertices in the order of the set; empty where the graph's own order is kept.
  const std::vector<VertexOrder>& orders() const { return vertices_.orders(); }

  /// The factor of each graph's weights.
  std::vector<double> weight_scales() const {
    std::vector<double> factors;
    for (const GraphScales& scales : vertices_.scales()) factors.push_back(scales.weight);
    return factors;
  }

  /// Bytes of the set in memory.
  std::size_t bytes() const { return vertices_.bytes() + edges_.bytes(); }

  /// The set in the memory of `space`. The only fence is on `space`, at the end.
  template <class ExecutionSpace>
  auto build(const ExecutionSpace& space) {
    using MemorySpace = typename ExecutionSpace::memory_space;
    ProductSet<Kind, VertexLabel, EdgeLabel, MemorySpace> set;
    const auto copy = [&space](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    vertices_.copy_to(static_cast<VertexArrays<VertexLabel, MemorySpace>&>(set), copy);
    edges_.copy_to(static_cast<EdgeArrays<Kind, EdgeLabel, MemorySpace>&>(set), copy);
    space.fence("octile::SetBuilder");
    return set;
  }

 private:
  static auto edge_lists(const Layout& layout) {
    if constexpr (Kind == Product::slices) {
      return SliceLists<EdgeLabel>();
    } else if constexpr (Kind == Product::octiles) {
      return NativeOctileLists<EdgeLabel>(layout.empty_too, layout.expanded);
    } else {
      static_assert(std::is_same_v<EdgeLabel, std::uint32_t>, "numbers of the factors' records");
      return FactorArrayLists(layout.factored);
    }
  }

  Layout layout_;
  double weight_spread_ = 1;
  ScaledVertexLists<VertexLabel> vertices_;
  decltype(edge_lists(Layout())) edges_;
};

}  // namespace octile::cuda
