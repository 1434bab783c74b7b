// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile::cuda {

/// By what a graph's numbers are multiplied in a set, and what the residual of its adjoint systems takes.
struct GraphScales {
  double weight;         ///< the power of two that weights and degrees are multiplied by
  double inverse_start;  ///< the power of two that starting probabilities are divided by: the largest is then about 1
  double volume;         ///< the sum of its degrees, as stored
  double ratio;          ///< the largest p_i / d_i, as stored
  std::int32_t starts_everywhere;  ///< whether no starting probability is 0
};

/// The vertices of a set of graphs in one memory space, stored consecutively. Those of graph g are vertex_begin(g) …
/// vertex_begin(g+1).
///
/// A graph's weights and degrees are divided by the power of two nearest to its largest degree, and its starting probabilities by
/// that nearest to the largest of them. This rounds nothing, and keeps sums of squares far from the limits of float. With these
/// scales (`GraphScales`), and with the right-hand side D× instead of q² D×, the systems as stored have solutions x_s, y_s with
///
///     x = q² x_s        y = y_s · weight · weight' · t        K = q² t p×ᵀ x_s = q² t D×ᵀ y_s        t = inverse_start · inverse_start'
template <class VertexLabel, class MemorySpace>
struct VertexArrays {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> vertex_begin;
  Array<double> degrees;
  Array<double> starting;
  Array<VertexLabel> vertex_labels;
  Array<GraphScales> scales;
  double q = 1;  ///< of the right-hand side (see `PairSystem`)

  KOKKOS_INLINE_FUNCTION int vertices(int graph) const {
    return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
  }
};

}  // namespace octile::cuda
