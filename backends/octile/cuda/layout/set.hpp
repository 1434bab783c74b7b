// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/factor_lists.hpp>
#include <octile/cuda/layout/lane_slices.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/factors.hpp>
#include <octile/octile_set.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octile::cuda {

/// An element of a row of G, as all lanes of a warp read it at once: 16 bytes for a label of 4.
template <class Label>
struct RowEntry {
  Label label;
  float weight;          ///< 0: a filling
  std::uint32_t column;  ///< j; in shared memory the bytes from p to its row j
  std::uint32_t last;    ///< i at the last element of row i, else none; in shared memory the bytes from a to its row i
};

/// A slice, and where its slots begin in the set's arrays.
struct SliceHead {
  Slice slice;
  std::uint32_t slots;
};

/// A set of graphs as `SlicedGraph`s in one memory space, one behind the other:
///
///     graph g   vertices  vertex_begin(g) … vertex_begin(g+1)
///               slices    slice_begin(g) … slice_begin(g+1)
///     vertex v  elements  row_begin(v) … row_begin(v+1) of `rows`
///     slice s   lanes     32 s … 32 s + 31
///               slots     slices(s).slots + 32 slot + lane of `slot_…`
///
/// or, for the products of octiles, in octiles as an `OctileSet` has them, or, for the factored products, as
/// `FactorLists` has them, with vertices numbered by falling degree. The arrays of the others are empty.
///
/// A graph's weights and degrees are divided by a power of two next to its largest degree, which rounds nothing and
/// leaves x as it is; the right-hand side is D× without q². Sums of squares then stay far from the ends of float.
/// K is q² times p×ᵀ x of this system.
template <class VertexLabel, class EdgeLabel, class MemorySpace>
struct CudaSet {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;
  using scalar_type = float;
  using vertex_label_type = VertexLabel;
  using edge_label_type = EdgeLabel;
  using memory_space = MemorySpace;
  static constexpr bool has_edge_labels = !std::is_same_v<EdgeLabel, NoLabel>;

  Array<std::uint32_t> vertex_begin;
  Array<std::uint32_t> slice_begin;
  Array<std::uint32_t> row_begin;
  Array<RowEntry<EdgeLabel>> rows;
  Array<float> row_weight;  ///< of each graph, what all elements of its rows weigh, or -1
  Array<SliceHead> slices;
  Array<Lane> lanes;
  Array<EdgeLabel> slot_labels;  ///< of length 0 for NoLabel
  Array<float> slot_weights;
  Array<std::uint32_t> slot_columns;
  Array<std::uint32_t> octile_row_begin;
  Array<std::uint32_t> octile_begin;
  Array<OctileHead> octiles;
  Array<float> octile_weights;
  Array<EdgeLabel> octile_labels;
  Array<std::uint32_t> entries;  ///< words
  Array<std::uint32_t> four_ends;
  Array<float> four_factors;
  Array<std::uint32_t> four_begin;
  Array<std::uint32_t> first_four;
  Array<std::uint32_t> spots;
  Array<std::uint32_t> spot_begin;
  Array<std::uint32_t> spot_words;
  Array<float> spot_scale;     ///< of each graph
  Array<float> factor_levels;  ///< of each factor
  Array<float> factor_scales;  ///< what T_k is multiplied by
  double factor_scale = 1;     ///< what the sum over all factors lacks
  std::uint32_t factor_chunks = 0;
  std::uint32_t entry_count = 0;  ///< of one chunk
  Array<double> degrees;
  Array<double> starting;
  Array<VertexLabel> vertex_labels;
  double q = 1;  ///< of the right-hand side (see `PairSystem`)

  KOKKOS_INLINE_FUNCTION int vertices(int graph) const {
    return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
  }
};

/// What a product reads of a graph: its slices; its octiles, of these maybe the empty ones too, and maybe all 64
/// elements; or the factors of its edges, so many at once.
struct Layout {
  bool octiles = false;
  bool empty_too = false;
  bool expanded = false;
  FactorForms factored;  ///< edge labels are then numbers of the factors' records
};

/// The host's side of a `CudaSet`, as it grows graph by graph.
template <class VertexLabel, class EdgeLabel>
class CudaSetBuilder {
 public:
  explicit CudaSetBuilder(const Layout& layout = {}) : layout_(layout), factors_(layout.factored) {
    octiles_.empty_too = layout.empty_too;
    octiles_.expanded = layout.expanded;
  }

  /// Adds a graph; `vertex_label(v)` and `edge_label(e)` are the labels of vertex v and of edge e.
  template <class ReadVertex, class ReadEdge>
  void add(const Graph& graph, const Stopping& stopping, const ReadVertex& vertex_label, const ReadEdge& edge_label) {
    const std::vector<double> degrees = rounded_degrees(graph, stopping);
    const double scale = std::exp2(-std::round(std::log2(*std::ranges::max_element(degrees))));
    const auto weight = [&](std::uint32_t e) {
      return static_cast<float>(graph.edges()[e].weight) * static_cast<float>(scale);
    };
    std::vector<std::uint32_t> order;
    if (factored()) {
      if constexpr (std::is_same_v<EdgeLabel, std::uint32_t>) order = add_factored(graph, weight, edge_label);
    }
    for (std::size_t k = 0; k < degrees.size(); ++k) {
      const std::size_t v = order.empty() ? k : order[k];
      degrees_.push_back(degrees[v] * scale);
      starting_.push_back(graph.starting_probability()[v]);
      vertex_labels_.push_back(vertex_label(v));
    }
    vertex_begin_.push_back(static_cast<std::uint32_t>(degrees_.size()));
    vertices_.push_back(degrees.size());
    orders_.push_back(std::move(order));
    if (factored()) {
      row_elements_.push_back(factors_.last_elements());
      costs_.emplace_back();
    } else if (!layout_.octiles) {
      add_slices(slice_graph(graph), weight, edge_label);
    } else {
      octiles_.add(graph, weight, edge_label, [](std::size_t, float) {});
      row_elements_.push_back(2 * graph.edge_count());
      costs_.emplace_back();
    }
  }

  /// But for the vertex ids.
  SetSizes sizes() const { return {vertices_, row_elements_, costs_, largest_label(), 0, sizeof(VertexLabel)}; }

  /// Of each graph, its vertices in the order of the set; empty where that is the graph's own.
  const std::vector<std::vector<std::uint32_t>>& orders() const { return orders_; }

  /// Bytes that the set takes.
  std::size_t bytes() const {
    return rows_.size() * sizeof(RowEntry<EdgeLabel>) + slices_.size() * sizeof(SliceHead) +
           lanes_.size() * sizeof(Lane) + slot_labels_.size() * sizeof(EdgeLabel) +
           slot_weights_.size() * (sizeof(float) + sizeof(std::uint32_t)) + factors_.bytes() +
           degrees_.size() * (2 * sizeof(double) + sizeof(std::uint32_t) + sizeof(VertexLabel)) +
           vertex_begin_.size() * 2 * sizeof(std::uint32_t) + octiles_.octiles.size() * sizeof(OctileHead) +
           octiles_.weights.size() * sizeof(float) + octiles_.edge_labels.size() * sizeof(EdgeLabel) +
           (octiles_.octile_begin.size() + octiles_.octile_row_begin.size()) * sizeof(std::uint32_t);
  }

  /// The set in the memory of `space`. The only fence is on `space`, at the end.
  template <class ExecutionSpace>
  auto build(const ExecutionSpace& space) {
    using MemorySpace = typename ExecutionSpace::memory_space;
    row_begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
    CudaSet<VertexLabel, EdgeLabel, MemorySpace> set;
    const auto copy = [&space](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    set.vertex_begin = copy("vertex_begin", vertex_begin_);
    set.slice_begin = copy("slice_begin", slice_begin_);
    set.row_begin = copy("row_begin", factored() ? factors_.row_begin() : row_begin_);
    set.rows = copy("rows", rows_);
    set.row_weight = copy("row_weight", row_weight_);
    set.slices = copy("slices", slices_);
    set.lanes = copy("lanes", lanes_);
    set.slot_labels = copy("slot_labels", slot_labels_);
    set.slot_weights = copy("slot_weights", slot_weights_);
    set.slot_columns = copy("slot_columns", slot_columns_);
    set.octile_row_begin = copy("octile_row_begin", octiles_.octile_row_begin);
    set.octile_begin = copy("octile_begin", octiles_.octile_begin);
    set.octiles = copy("octiles", octiles_.octiles);
    set.octile_weights = copy("octile_weights", octiles_.weights);
    set.octile_labels = copy("octile_labels", octiles_.edge_labels);
    if (factored()) copy_factors(set, copy);
    set.degrees = copy("degrees", degrees_);
    set.starting = copy("starting", starting_);
    set.vertex_labels = copy("vertex_labels", vertex_labels_);
    space.fence("octile::CudaSetBuilder");
    return set;
  }

 private:
  /// Of numbers as labels of edges, the largest; else 0.
  float largest_label() const {
    float largest = 0;
    if constexpr (std::is_same_v<EdgeLabel, float>) {
      for (const RowEntry<EdgeLabel>& entry : rows_) largest = std::max(largest, std::abs(entry.label));
    }
    return largest;
  }

  /// Degrees of the weights as rounded here: D − A keeps its row sums, on which its condition hangs.
  static std::vector<double> rounded_degrees(const Graph& graph, const Stopping& stopping) {
    std::vector<double> degrees(static_cast<std::size_t>(graph.vertex_count()), 0.0);
    for (const Edge& edge : graph.edges()) {
      const auto weight = static_cast<double>(static_cast<float>(edge.weight));
      degrees[static_cast<std::size_t>(edge.i)] += weight;
      degrees[static_cast<std::size_t>(edge.j)] += weight;
    }
    return stopping.degrees(std::move(degrees));
  }

  template <class Weight, class ReadEdge>
  void add_slices(const SlicedGraph& sliced, const Weight& weight_of, const ReadEdge& edge_label) {
    const auto weight = [&](const RowElement& element) {
      return element.edge == none ? 0.0F : weight_of(element.edge);
    };
    const auto label = [&](const RowElement& element) {
      return element.edge == none ? EdgeLabel{} : edge_label(element.edge);
    };
    const auto first_row = static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t v = 0; v + 1 < sliced.row_begin.size(); ++v) {
      row_begin_.push_back(first_row + sliced.row_begin[v]);
      for (std::uint32_t e = sliced.row_begin[v]; e < sliced.row_begin[v + 1]; ++e) {
        const RowElement& element = sliced.rows[e];
        rows_.push_back({label(element), weight(element), element.column, e + 1 == sliced.row_begin[v + 1] ? v : none});
      }
    }
    const float first = rows_[first_row].weight;
    const auto as_first = [first](const RowEntry<EdgeLabel>& entry) { return entry.weight == first; };
    row_weight_.push_back(std::all_of(rows_.begin() + first_row, rows_.end(), as_first) ? first : -1);
    auto slots = static_cast<std::uint32_t>(slot_weights_.size());
    for (const Slice& slice : sliced.slices) {
      slices_.push_back({slice, slots});
      slots += slice.slots * slice_lanes;
    }
    lanes_.insert(lanes_.end(), sliced.lanes.begin(), sliced.lanes.end());
    for (const RowElement& element : sliced.slots) {
      if constexpr (!std::is_same_v<EdgeLabel, NoLabel>) slot_labels_.push_back(label(element));
      slot_weights_.push_back(weight(element));
      slot_columns_.push_back(element.column);
    }
    slice_begin_.push_back(static_cast<std::uint32_t>(slices_.size()));
    row_elements_.push_back(sliced.rows.size());
    SliceCosts& costs = costs_.emplace_back();
    for (const Slice& slice : sliced.slices) {
      costs.element += element_cost(slice);
      costs.row += row_cost(slice);
    }
  }

  template <class Weight, class ReadEdge>
  std::vector<std::uint32_t> add_factored(const Graph& graph, const Weight& weight, const ReadEdge& edge_label) {
    std::vector<std::uint32_t> records(graph.edge_count());
    std::vector<float> weights(graph.edge_count());
    for (std::uint32_t e = 0; e < records.size(); ++e) {
      records[e] = edge_label(e);
      weights[e] = weight(e);
    }
    return factors_.add(graph, records, weights);
  }

  template <class Set, class Copy>
  void copy_factors(Set& set, const Copy& copy) const {
    set.entries = copy("factor_entries", factors_.entry_words());
    set.four_ends = copy("four_ends", factors_.four_ends());
    set.four_factors = copy("four_factors", factors_.four_factors());
    set.four_begin = copy("four_begin", factors_.four_begin());
    set.first_four = copy("first_four", factors_.first_four());
    set.spots = copy("factor_spots", factors_.spots());
    set.spot_begin = copy("spot_begin", factors_.spot_begin());
    if (layout_.factored.spots) copy_spots(set, copy);
    set.factor_chunks = static_cast<std::uint32_t>(factors_.chunks());
    set.entry_count = factors_.entries();
  }

  /// 96 products of T's numbers stay below the largest half if T is an eighth of what it is.
  template <class Set, class Copy>
  void copy_spots(Set& set, const Copy& copy) const {
    const Factors& factors = *layout_.factored.factors;
    constexpr float part = 0.125F;
    std::vector<float> scales = factor_squares(factors);
    const float first = scales.empty() ? 1 : scales[0];
    for (float& scale : scales) scale *= part / first;
    set.factor_scale = static_cast<double>(first) / static_cast<double>(part);
    set.spot_words = copy("spot_words", factors_.spot_words());
    set.spot_scale = copy("spot_scale", factors_.spot_scale());
    set.factor_levels = copy("factor_levels", cuda::factor_levels(factors));
    set.factor_scales = copy("factor_scales", scales);
  }

  bool factored() const { return layout_.factored.factors != nullptr; }

  Layout layout_;
  FactorLists factors_;
  std::vector<std::vector<std::uint32_t>> orders_;
  detail::OctileLists<float, EdgeLabel> octiles_;
  std::vector<std::uint32_t> vertex_begin_{0};
  std::vector<std::uint32_t> slice_begin_{0};
  std::vector<std::uint32_t> row_begin_;
  std::vector<RowEntry<EdgeLabel>> rows_;
  std::vector<float> row_weight_;
  std::vector<SliceHead> slices_;
  std::vector<Lane> lanes_;
  std::vector<EdgeLabel> slot_labels_;
  std::vector<float> slot_weights_;
  std::vector<std::uint32_t> slot_columns_;
  std::vector<double> degrees_;
  std::vector<double> starting_;
  std::vector<VertexLabel> vertex_labels_;
  std::vector<std::size_t> row_elements_;
  std::vector<SliceCosts> costs_;
  std::vector<std::size_t> vertices_;
};

}  // namespace octile::cuda
