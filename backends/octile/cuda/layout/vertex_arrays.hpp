// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/octile_set.hpp>
#include <octile/stopping.hpp>
#include <octile/vertex_lists.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace octile::cuda {

/// The vertices of a set of graphs in one memory space, stored consecutively. Those of graph g are vertex_begin(g) …
/// vertex_begin(g+1).
///
/// A graph's weights and degrees are divided by the power of two nearest to its largest degree. This rounds nothing,
/// does not change x, and keeps sums of squares far from the limits of float. The right-hand side is D× without q², so
/// that K is q² times p×ᵀ x of this system.
template <class VertexLabel, class MemorySpace>
struct VertexArrays {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> vertex_begin;
  Array<double> degrees;
  Array<double> starting;
  Array<VertexLabel> vertex_labels;
  double q = 1;  ///< of the right-hand side (see `PairSystem`)

  KOKKOS_INLINE_FUNCTION int vertices(int graph) const {
    return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
  }
};

/// Builds `VertexArrays` on the host, graph by graph.
template <class VertexLabel>
class VertexLists {
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
  void add(const Graph& graph, const Scaled& scaled, std::vector<std::uint32_t> order, const ReadVertex& label) {
    lists_.add(graph, scaled.degrees, label, order);
    counts_.push_back(scaled.degrees.size());
    orders_.push_back(std::move(order));
  }

  /// Appends the graphs of another list.
  void append(const VertexLists& more) {
    lists_.append(more.lists_);
    counts_.insert(counts_.end(), more.counts_.begin(), more.counts_.end());
    orders_.insert(orders_.end(), more.orders_.begin(), more.orders_.end());
  }

  const std::vector<std::size_t>& counts() const { return counts_; }
  const std::vector<std::vector<std::uint32_t>>& orders() const { return orders_; }

  std::size_t bytes() const {
    return lists_.degrees.size() * (2 * sizeof(double) + sizeof(VertexLabel)) +
           lists_.begin.size() * sizeof(std::uint32_t);
  }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(VertexArrays<VertexLabel, MemorySpace>& arrays, const Copy& copy) const {
    lists_.copy_to(arrays, copy);
  }

 private:
  octile::VertexLists<VertexLabel> lists_;
  std::vector<std::size_t> counts_;
  std::vector<std::vector<std::uint32_t>> orders_;
};

}  // namespace octile::cuda
