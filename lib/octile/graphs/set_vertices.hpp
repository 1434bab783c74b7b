// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile {

/// The vertices of a set of graphs in one memory space, as `VertexLists` has them on the host, and q: what a solver reads of a
/// set in any layout. The vertices of graph g are vertex_begin(g) … vertex_begin(g+1).
template <class VertexLabel, class MemorySpace>
struct SetVertices {
  using vertex_label_type = VertexLabel;
  using memory_space = MemorySpace;

  Array<std::uint32_t, MemorySpace> vertex_begin;  ///< graphs + 1
  Array<double, MemorySpace> degrees;              ///< d_i, from the weights as the set stores them
  Array<double, MemorySpace> starting;             ///< p_i
  Array<VertexLabel, MemorySpace> vertex_labels;
  double q = 0;  ///< stopping parameter, for the right-hand side (see `PairSystem`)

  KOKKOS_INLINE_FUNCTION int vertices(int graph) const {
    return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
  }
};

}  // namespace octile
