// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/any_numbers.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/struct_labels.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace octile {

/// The type that stands for a missing View. Weights are then 1, and labels `NoLabel`.
struct NotGiven {};

template <class V>
concept RankOneView = Kokkos::is_view_v<V> && V::rank()
== 1;

namespace detail {

template <class V>
struct ElementOf {
  using type = typename V::non_const_value_type;
};
template <>
struct ElementOf<NotGiven> {
  using type = NoLabel;
};

template <class V, class MemorySpace>
constexpr bool readable_from() {
  if constexpr (std::is_same_v<V, NotGiven>) {
    return true;
  } else if constexpr (requires { V::template readable<MemorySpace>; }) {
    return V::template readable<MemorySpace>;
  } else {
    return Kokkos::SpaceAccessibility<MemorySpace, typename V::memory_space>::accessible;
  }
}

/// The numbers of a batch. Whoever reads them has the batch.
struct BatchNumbers {
  AnyNumbers graph_offsets;
  AnyNumbers row_offsets;
  AnyNumbers columns;
  AnyNumbers weights;

  /// The first vertex of graph g; with g the number of graphs, that of vertices.
  KOKKOS_INLINE_FUNCTION std::int64_t graph_begin(std::size_t g) const { return graph_offsets.integer(g); }
  /// The first entry of vertex v, or the number of entries.
  KOKKOS_INLINE_FUNCTION std::int64_t row_begin(std::size_t v) const { return row_offsets.integer(v); }
  /// The other vertex of entry e, as the View has it.
  KOKKOS_INLINE_FUNCTION std::int64_t column(std::size_t e) const { return columns.integer(e); }
  /// A_ij of entry e; 1 without weights.
  KOKKOS_INLINE_FUNCTION double weight(std::size_t e) const { return weights.number(e); }
};

/// The labels of a batch, as its Views have them.
template <class VertexLabels, class EdgeLabels>
struct BatchLabels {
  static constexpr bool of_vertices = !std::is_same_v<VertexLabels, NotGiven>;
  static constexpr bool of_edges = !std::is_same_v<EdgeLabels, NotGiven>;

  VertexLabels vertex_labels;
  EdgeLabels edge_labels;

  KOKKOS_INLINE_FUNCTION typename ElementOf<VertexLabels>::type vertex_label(std::size_t v) const {
    return vertex_labels(v);
  }
  KOKKOS_INLINE_FUNCTION typename ElementOf<EdgeLabels>::type edge_label(std::size_t e) const { return edge_labels(e); }
};

}  // namespace detail

/// Many graphs as one adjacency matrix in compressed rows, in the caller's Views, which are shared and not copied.
///
///     graph g    vertices  graph_offsets(g) … graph_offsets(g+1), numbered through all graphs
///     vertex v   entries   row_offsets(v) … row_offsets(v+1), both (i, j) and (j, i)
///     entry e    its other vertex columns(e), of the same graph; A_ij > 0; the label of the edge
///
/// Offsets and columns are Views of any integers, weights of any numbers, labels of any type that can be copied on a device.
/// `columns`, weights and edge labels may be longer than the entries in use, as `row_offsets` may be longer than the vertices.
/// A block-diagonal matrix of KokkosSparse is such a batch (see `graph_batch`).
template <class GraphOffsets, class RowOffsets, class Columns, class Weights = NotGiven, class VertexLabels = NotGiven,
          class EdgeLabels = NotGiven>
class GraphBatch {
 public:
  using VertexLabel = typename detail::ElementOf<VertexLabels>::type;  ///< of one vertex; `NoLabel` without a View
  using EdgeLabel = typename detail::ElementOf<EdgeLabels>::type;      ///< of one entry; `NoLabel` without a View

  /// Whether code that accesses a memory space may read all Views.
  template <class MemorySpace>
  static constexpr bool readable =
      detail::readable_from<GraphOffsets, MemorySpace>() && detail::readable_from<RowOffsets, MemorySpace>() &&
      detail::readable_from<Columns, MemorySpace>() && detail::readable_from<Weights, MemorySpace>() &&
      detail::readable_from<VertexLabels, MemorySpace>() && detail::readable_from<EdgeLabels, MemorySpace>();

  /// Shares the Views.
  GraphBatch(const GraphOffsets& graph_offsets, const RowOffsets& row_offsets, const Columns& columns,
             const Weights& weights = {}, const VertexLabels& vertex_labels = {}, const EdgeLabels& edge_labels = {})
      : graph_offsets_(graph_offsets),
        row_offsets_(row_offsets),
        columns_(columns),
        weights_(weights),
        vertex_labels_(vertex_labels),
        edge_labels_(edge_labels) {
    static_assert(RankOneView<GraphOffsets> && RankOneView<RowOffsets> && RankOneView<Columns>,
                  "a GraphBatch is made of Views of rank 1");
    static_assert(std::is_integral_v<typename GraphOffsets::non_const_value_type> &&
                      std::is_integral_v<typename RowOffsets::non_const_value_type> &&
                      std::is_integral_v<typename Columns::non_const_value_type>,
                  "offsets and columns are Views of integers");
  }

  /// This batch with weights: A_ij of each entry, a finite number > 0.
  template <RankOneView V>
  auto weights(const V& values) const {
    static_assert(std::is_arithmetic_v<typename V::non_const_value_type>, "weights are a View of numbers");
    return GraphBatch<GraphOffsets, RowOffsets, Columns, V, VertexLabels, EdgeLabels>(
        graph_offsets_, row_offsets_, columns_, values, vertex_labels_, edge_labels_);
  }
  /// This batch with a label of each vertex.
  template <RankOneView V>
  auto vertex_labels(const V& values) const {
    return with_vertex_labels(values);
  }
  /// This batch with vertex labels that are structs of which each member has a View of its own. The label of vertex v
  /// is `Label{members(v)...}`, with the Views in the order of the members. C++ narrows nothing there, not an int to a
  /// double either.
  template <class Label, RankOneView... Members>
  auto vertex_labels(const Members&... members) const {
    return with_vertex_labels(structs<Label>(members...));
  }
  /// This batch with a label of each entry; (i, j) and (j, i) have the same one.
  template <RankOneView V>
  auto edge_labels(const V& values) const {
    return with_edge_labels(values);
  }
  /// This batch with entry labels that are structs of which each member has a View of its own.
  template <class Label, RankOneView... Members>
  auto edge_labels(const Members&... members) const {
    return with_edge_labels(structs<Label>(members...));
  }

  /// The number of graphs, one less than that of offsets, and the vertices and entries that the Views have room for.
  std::size_t graphs() const { return graph_offsets_.extent(0) > 0 ? graph_offsets_.extent(0) - 1 : 0; }
  std::size_t vertex_room() const {
    return least_of(row_offsets_.extent(0) > 0 ? row_offsets_.extent(0) - 1 : 0, vertex_labels_);
  }  ///< vertices that row offsets and vertex labels have room for
  std::size_t entry_room() const { return least_of(least_of(columns_.extent(0), weights_), edge_labels_); }
  ///< entries that columns, weights and edge labels have room for

  detail::BatchNumbers numbers() const {
    return {numbers_of(graph_offsets_), numbers_of(row_offsets_), numbers_of(columns_), numbers_of(weights_)};
  }  ///< what the kernels that prepare graphs read
  detail::BatchLabels<VertexLabels, EdgeLabels> labels() const { return {vertex_labels_, edge_labels_}; }
  ///< labels of vertices and entries, for the same kernels
 private:
  template <class V>
  auto with_vertex_labels(const V& values) const {
    return GraphBatch<GraphOffsets, RowOffsets, Columns, Weights, V, EdgeLabels>(graph_offsets_, row_offsets_, columns_,
                                                                                 weights_, values, edge_labels_);
  }
  template <class V>
  auto with_edge_labels(const V& values) const {
    return GraphBatch<GraphOffsets, RowOffsets, Columns, Weights, VertexLabels, V>(
        graph_offsets_, row_offsets_, columns_, weights_, vertex_labels_, values);
  }
  template <class Label, class... Members>
  static auto structs(const Members&... members) {
    static_assert(
        requires { Label{std::declval<typename Members::non_const_value_type>()...}; },
        "the struct of a label is made of one value of each View, in the order of its members, and none is narrowed, "
        "as an int is that becomes a double");
    return detail::StructLabels<Label, Members...>(members...);
  }
  template <class V>
  static detail::AnyNumbers numbers_of([[maybe_unused]] const V& view) {
    if constexpr (std::is_same_v<V, NotGiven>) {
      return {};
    } else {
      return detail::AnyNumbers(view);
    }
  }
  template <class V>
  static std::size_t least_of(std::size_t room, const V& view) {
    if constexpr (std::is_same_v<V, NotGiven>) {
      return room;
    } else {
      return view.extent(0) < room ? view.extent(0) : room;
    }
  }

  GraphOffsets graph_offsets_;
  RowOffsets row_offsets_;
  Columns columns_;
  Weights weights_;
  VertexLabels vertex_labels_;
  EdgeLabels edge_labels_;
};

template <class GraphOffsets, class RowOffsets, class Columns>
GraphBatch(const GraphOffsets&, const RowOffsets&, const Columns&) -> GraphBatch<GraphOffsets, RowOffsets, Columns>;

/// The batch of a block-diagonal matrix as it is, such as a KokkosSparse::CrsMatrix: graph g is the block of rows graph_offsets(g) …
/// graph_offsets(g+1), and its values are the weights. Any type with such members will do.
template <RankOneView GraphOffsets, class Matrix>
requires requires(const Matrix& matrix) {
  matrix.graph.row_map;
  matrix.graph.entries;
  matrix.values;
}
auto graph_batch(const GraphOffsets& graph_offsets, const Matrix& matrix) {
  return GraphBatch(graph_offsets, matrix.graph.row_map, matrix.graph.entries).weights(matrix.values);
}

}  // namespace octile
