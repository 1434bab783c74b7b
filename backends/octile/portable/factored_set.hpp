// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/octile_set.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile::portable {

/// A set of graphs for the factored product, in one memory space, as compressed rows:
///
///     graph g    vertices  vertex_begin(g) … vertex_begin(g+1)
///     vertex v   elements  row_begin(v) … row_begin(v+1); `columns(e)` is a vertex of the graph, from 0
///     element e  terms     factors(e · terms + t) = A_ij φ_k(e_ij), k = t, or indices(e · terms + t) if there are any
template <class Scalar, class MemorySpace, class VertexLabel = std::uint32_t>
struct FactoredSet {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;
  using scalar_type = Scalar;
  using vertex_label_type = VertexLabel;
  using edge_label_type = NoLabel;
  using memory_space = MemorySpace;

  Array<std::uint32_t> vertex_begin;
  Array<std::uint32_t> row_begin;
  Array<std::uint32_t> columns;
  Array<Scalar> factors;
  Array<std::uint32_t> indices;
  Array<double> degrees;
  Array<double> starting;
  Array<VertexLabel> vertex_labels;
  double q = 0;  ///< of the right-hand side (see `PairSystem`)
  int rank = 0;
  int terms = 0;

  KOKKOS_INLINE_FUNCTION int vertices(int graph) const {
    return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
  }
};

}  // namespace octile::portable
