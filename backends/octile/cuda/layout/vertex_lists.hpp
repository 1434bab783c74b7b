// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/start_unit.hpp>
#include <octile/graphs/vertex_lists.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/stopping.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace octile::cuda {

/// Builds `VertexArrays` on the host, graph by graph.
template <class VertexLabel>
class ScaledVertexLists {
 public:
  /// The factor that the graph's weights and degrees are multiplied by, and the degrees after that.
  struct Scaled {
    std::vector<double> degrees;
    double scale;

    Scaled(const Graph& graph, const Stopping& stopping)
        : degrees(rounded_degrees<float>(graph, stopping)),
          scale(std::exp2(-std::round(std::log2(*std::ranges::max_element(degrees))))) {
      for (double& degree : degrees) degree *= scale;
    }
  };

  /// Adds a graph's vertices in the given order, or in the graph's own if `order` is empty.
  template <class ReadVertex>
  void add(const Graph& graph, const Scaled& scaled, VertexOrder order, const ReadVertex& label) {
    lists_.add(graph, scaled.degrees, label, order);
    scales_.push_back(scales_of(graph, scaled));
    const std::size_t end = lists_.starting.size();
    for (std::size_t v = end - scaled.degrees.size(); v < end; ++v) lists_.starting[v] /= scales_.back().inverse_start;
    counts_.push_back(scaled.degrees.size());
    orders_.push_back(std::move(order));
  }

  /// Appends the graphs of another list.
  void append(const ScaledVertexLists& more) {
    lists_.append(more.lists_);
    counts_.insert(counts_.end(), more.counts_.begin(), more.counts_.end());
    scales_.insert(scales_.end(), more.scales_.begin(), more.scales_.end());
    orders_.insert(orders_.end(), more.orders_.begin(), more.orders_.end());
  }

  const std::vector<std::size_t>& counts() const { return counts_; }
  const std::vector<VertexOrder>& orders() const { return orders_; }
  const std::vector<GraphScales>& scales() const { return scales_; }

  std::size_t bytes() const {
    return lists_.degrees.size() * (2 * sizeof(double) + sizeof(VertexLabel)) +
           lists_.begin.size() * sizeof(std::uint32_t) + scales_.size() * sizeof(GraphScales);
  }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(VertexArrays<VertexLabel, MemorySpace>& arrays, const Copy& copy) const {
    lists_.copy_to(arrays, copy);
    arrays.scales = copy("graph_scales", scales_);
  }

 private:
  static GraphScales scales_of(const Graph& graph, const Scaled& scaled) {
    const std::span<const double> starting = graph.starting_probability();
    GraphScales scales{};
    scales.weight = scaled.scale;
    scales.inverse_start = start_unit_of(starting);
    scales.volume = std::accumulate(scaled.degrees.begin(), scaled.degrees.end(), 0.0);
    for (std::size_t v = 0; v < starting.size(); ++v) {
      scales.ratio = std::max(scales.ratio, starting[v] / scales.inverse_start / scaled.degrees[v]);
    }
    scales.starts_everywhere = *std::ranges::min_element(starting) > 0 ? 1 : 0;
    return scales;
  }

  VertexLists<VertexLabel> lists_;
  std::vector<std::size_t> counts_;
  std::vector<VertexOrder> orders_;
  std::vector<GraphScales> scales_;
};

}  // namespace octile::cuda
