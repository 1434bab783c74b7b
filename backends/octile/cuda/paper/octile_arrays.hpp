// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/graphs/vertex_order.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile::cuda {

/// The edges of a set as octiles in one memory space, in the form of `OctileSet`.
template <class EdgeLabel, class MemorySpace>
struct OctileArrays {
  octile::Array<std::uint32_t, MemorySpace> octile_row_begin;
  octile::Array<std::uint32_t, MemorySpace> octile_begin;
  octile::Array<OctileHead, MemorySpace> octiles;
  octile::Array<float, MemorySpace> octile_weights;
  octile::Array<EdgeLabel, MemorySpace> octile_labels;
};

/// Builds `OctileArrays` on the host, graph by graph.
template <class EdgeLabel>
class NativeOctileLists {
 public:
  /// `empty_too` keeps octiles without an element, `expanded` stores all 64 elements of each.
  NativeOctileLists(bool empty_too, bool expanded) {
    lists_.empty_too = empty_too;
    lists_.expanded = expanded;
  }

  /// Adds a graph; `weight_of(e)` and `label_of(e)` give weight and label of edge e. Its vertices keep their order.
  template <class Weight, class ReadEdge>
  VertexOrder add(const Graph& graph, const Weight& weight_of, const ReadEdge& label_of) {
    lists_.add(graph, weight_of, label_of);
    row_elements_.push_back(2 * graph.edge_count());
    return {};
  }

  /// For each graph: the elements of its rows, and its costs, which only slices have.
  const std::vector<std::size_t>& row_elements() const { return row_elements_; }
  std::vector<SliceCosts> costs() const { return std::vector<SliceCosts>(row_elements_.size()); }
  static float largest_label() { return 0; }

  std::size_t bytes() const {
    return lists_.octiles.size() * sizeof(OctileHead) + lists_.weights.size() * sizeof(float) +
           lists_.edge_labels.size() * sizeof(EdgeLabel) +
           (lists_.octile_begin.size() + lists_.octile_row_begin.size()) * sizeof(std::uint32_t);
  }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(OctileArrays<EdgeLabel, MemorySpace>& arrays, const Copy& copy) const {
    arrays.octile_row_begin = copy("octile_row_begin", lists_.octile_row_begin);
    arrays.octile_begin = copy("octile_begin", lists_.octile_begin);
    arrays.octiles = copy("octiles", lists_.octiles);
    arrays.octile_weights = copy("octile_weights", lists_.weights);
    arrays.octile_labels = copy("octile_labels", lists_.edge_labels);
  }

 private:
  detail::OctileLists<float, EdgeLabel> lists_;
  std::vector<std::size_t> row_elements_;
};

}  // namespace octile::cuda
