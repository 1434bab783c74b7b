// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/certify/padded_factors.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/set_vertices.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile::portable {

/// How many of `rank` factors leave no more of κe than is allowed, with those that complete a chunk. `errors(k)` is what the first k leave.
template <class Errors>
KOKKOS_INLINE_FUNCTION int enough_factors(const Errors& errors, int rank, double allowed) {
  int k = 0;
  while (k < rank && errors(k) > allowed) ++k;
  return padded_factors(k);
}

/// A set of graphs for the factored product, in one memory space, as compressed rows behind the vertices of `SetVertices`:
///
///     vertex v   elements  row_begin(v) … row_begin(v+1); `columns(e)` is a vertex of the graph, from 0
///     element e  terms     factors(e · terms + t) = A_ij φ_k(e_ij), k = t, or indices(e · terms + t) if there are any
template <class Scalar, class MemorySpace, class VertexLabel = std::uint32_t>
struct FactoredSet : SetVertices<VertexLabel, MemorySpace> {
  using scalar_type = Scalar;
  using edge_label_type = NoLabel;

  Array<std::uint32_t, MemorySpace> row_begin;
  Array<std::uint32_t, MemorySpace> columns;
  Array<Scalar, MemorySpace> factors;
  Array<std::uint32_t, MemorySpace> indices;
  Array<double, MemorySpace>
      errors;  ///< what the first factors leave of κe, from none to all, where products may take fewer
  int rank = 0;
  int terms = 0;
};

}  // namespace octile::portable
