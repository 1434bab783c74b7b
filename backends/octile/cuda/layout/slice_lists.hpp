// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/lane_slices.hpp>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/vertex_order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace octile::cuda {

/// Builds `SliceArrays` on the host, graph by graph.
template <class EdgeLabel>
class SliceLists {
 public:
  /// Adds a graph; `weight_of(e)` and `label_of(e)` give weight and label of edge e. Its vertices keep their order.
  template <class Weight, class ReadEdge>
  VertexOrder add(const Graph& graph, const Weight& weight_of, const ReadEdge& label_of) {
    const SlicedGraph sliced = slice_graph(graph);
    const auto weight = [&](const RowElement& element) {
      return element.edge == none ? 0.0F : weight_of(element.edge);
    };
    const auto label = [&](const RowElement& element) {
      return element.edge == none ? EdgeLabel{} : label_of(element.edge);
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
    return {};
  }

  /// Appends the graphs of other lists.
  void append(std::span<const SliceLists* const> more) {
    for (const SliceLists* part : more) append(*part);
  }

  /// For each graph: the elements of its rows, with padding, and the cost of its slices.
  const std::vector<std::size_t>& row_elements() const { return row_elements_; }
  const std::vector<SliceCosts>& costs() const { return costs_; }

  /// The largest absolute edge label if labels are numbers, else 0.
  float largest_label() const {
    float largest = 0;
    if constexpr (std::is_same_v<EdgeLabel, float>) {
      for (const RowEntry<EdgeLabel>& entry : rows_) largest = std::max(largest, std::abs(entry.label));
    }
    return largest;
  }

  std::size_t bytes() const {
    return rows_.size() * sizeof(RowEntry<EdgeLabel>) + slices_.size() * sizeof(SliceHead) +
           lanes_.size() * sizeof(Lane) + slot_labels_.size() * sizeof(EdgeLabel) +
           slot_weights_.size() * (sizeof(float) + sizeof(std::uint32_t)) + row_weight_.size() * sizeof(float) +
           (row_begin_.size() + 1 + slice_begin_.size()) * sizeof(std::uint32_t);
  }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(SliceArrays<EdgeLabel, MemorySpace>& arrays, const Copy& copy) {
    row_begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
    arrays.slice_begin = copy("slice_begin", slice_begin_);
    arrays.row_begin = copy("row_begin", row_begin_);
    arrays.rows = copy("rows", rows_);
    arrays.row_weight = copy("row_weight", row_weight_);
    arrays.slices = copy("slices", slices_);
    arrays.lanes = copy("lanes", lanes_);
    arrays.slot_labels = copy("slot_labels", slot_labels_);
    arrays.slot_weights = copy("slot_weights", slot_weights_);
    arrays.slot_columns = copy("slot_columns", slot_columns_);
  }

 private:
  void append(const SliceLists& more) {
    const auto add_behind = [](auto& all, const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
    const auto first_row = static_cast<std::uint32_t>(rows_.size());
    const auto first_slice = static_cast<std::uint32_t>(slices_.size());
    const auto first_slot = static_cast<std::uint32_t>(slot_weights_.size());
    for (const std::uint32_t begin : more.row_begin_) row_begin_.push_back(first_row + begin);
    for (std::size_t g = 1; g < more.slice_begin_.size(); ++g)
      slice_begin_.push_back(first_slice + more.slice_begin_[g]);
    for (SliceHead head : more.slices_) {
      head.slots += first_slot;
      slices_.push_back(head);
    }
    add_behind(rows_, more.rows_);
    add_behind(row_weight_, more.row_weight_);
    add_behind(lanes_, more.lanes_);
    add_behind(slot_labels_, more.slot_labels_);
    add_behind(slot_weights_, more.slot_weights_);
    add_behind(slot_columns_, more.slot_columns_);
    add_behind(row_elements_, more.row_elements_);
    add_behind(costs_, more.costs_);
  }

  std::vector<std::uint32_t> slice_begin_{0};
  std::vector<std::uint32_t> row_begin_;
  std::vector<RowEntry<EdgeLabel>> rows_;
  std::vector<float> row_weight_;
  std::vector<SliceHead> slices_;
  std::vector<Lane> lanes_;
  std::vector<EdgeLabel> slot_labels_;
  std::vector<float> slot_weights_;
  std::vector<std::uint32_t> slot_columns_;
  std::vector<std::size_t> row_elements_;
  std::vector<SliceCosts> costs_;
};

}  // namespace octile::cuda
