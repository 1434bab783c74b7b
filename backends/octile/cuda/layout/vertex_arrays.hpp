// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/octile_set.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace octile::cuda {

/// The vertices of a set of graphs in one memory space, one graph behind the other: those of graph g are vertex_begin(g) …
/// vertex_begin(g+1).
///
/// A graph's weights and degrees are divided by a power of two next to its largest degree, which rounds nothing and
/// leaves x as it is; the right-hand side is D× without q². Sums of squares then stay far from the ends of float.
/// K is q² times p×ᵀ x of this system.
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

/// The host's side of `VertexArrays`, as it grows graph by graph.
template <class VertexLabel>
class VertexLists {
 public:
  /// What the graph's weights and degrees are multiplied by, and the degrees, of the weights as they are rounded in float: D − A
  /// keeps its row sums, on which its condition hangs.
  struct Scaled {
    double scale;
    std::vector<double> degrees;

    Scaled(const Graph& graph, const Stopping& stopping) : scale(1), degrees(rounded(graph, stopping)) {
      scale = std::exp2(-std::round(std::log2(*std::ranges::max_element(degrees))));
    }

   private:
    static std::vector<double> rounded(const Graph& graph, const Stopping& stopping) {
      std::vector<double> degrees(static_cast<std::size_t>(graph.vertex_count()), 0.0);
      for (const Edge& edge : graph.edges()) {
        const auto weight = static_cast<double>(static_cast<float>(edge.weight));
        degrees[static_cast<std::size_t>(edge.i)] += weight;
        degrees[static_cast<std::size_t>(edge.j)] += weight;
      }
      return stopping.degrees(std::move(degrees));
    }
  };

  /// Adds a graph's vertices in the order given, or, where that is empty, in their own.
  template <class ReadVertex>
  void add(const Graph& graph, const Scaled& scaled, std::vector<std::uint32_t> order, const ReadVertex& label) {
    for (std::size_t k = 0; k < scaled.degrees.size(); ++k) {
      const std::size_t v = order.empty() ? k : order[k];
      degrees_.push_back(scaled.degrees[v] * scaled.scale);
      starting_.push_back(graph.starting_probability()[v]);
      labels_.push_back(label(v));
    }
    begin_.push_back(static_cast<std::uint32_t>(degrees_.size()));
    counts_.push_back(scaled.degrees.size());
    orders_.push_back(std::move(order));
  }

  const std::vector<std::size_t>& counts() const { return counts_; }
  const std::vector<std::vector<std::uint32_t>>& orders() const { return orders_; }

  std::size_t bytes() const {
    return degrees_.size() * (2 * sizeof(double) + sizeof(VertexLabel)) + begin_.size() * sizeof(std::uint32_t);
  }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(VertexArrays<VertexLabel, MemorySpace>& arrays, const Copy& copy) const {
    arrays.vertex_begin = copy("vertex_begin", begin_);
    arrays.degrees = copy("degrees", degrees_);
    arrays.starting = copy("starting", starting_);
    arrays.vertex_labels = copy("vertex_labels", labels_);
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<double> degrees_;
  std::vector<double> starting_;
  std::vector<VertexLabel> labels_;
  std::vector<std::size_t> counts_;
  std::vector<std::vector<std::uint32_t>> orders_;
};

}  // namespace octile::cuda
