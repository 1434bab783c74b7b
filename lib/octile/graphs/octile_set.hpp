// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/graphs/octile.hpp>
#include <octile/graphs/set_vertices.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace octile {

/// The label of an unlabelled edge: nothing.
struct NoLabel {};

/// Head of one non-empty octile: 16 bytes.
struct OctileHead {
  OctileMask mask = 0;         ///< which of its elements are non-zero
  std::uint32_t column = 0;    ///< octile column J: it covers columns 8 J … 8 J + 7
  std::uint32_t elements = 0;  ///< where its packed elements begin, in the set's `weights` and `edge_labels`
};

/// A set of graphs in octiles, in one memory space, as backends read it.
/// The vertices are those of `SetVertices`; all graphs are stored consecutively:
///
///     graph g       octile rows  octile_row_begin(g) … octile_row_begin(g+1)
///     octile row R  octiles  octile_begin(R) … octile_begin(R+1), by rising column
///     octile        elements packed in `weights` and `edge_labels`, population(mask) of them
///
/// Empty octiles are not stored. Although the matrix is symmetric, both (I, J) and (J, I)
/// are stored, so that a row of octiles can be read in one stream.
template <class Scalar, class VertexLabel, class EdgeLabel, class MemorySpace>
struct OctileSet : SetVertices<VertexLabel, MemorySpace> {
  using scalar_type = Scalar;
  using edge_label_type = EdgeLabel;
  static constexpr bool has_edge_labels = !std::is_same_v<EdgeLabel, NoLabel>;

  Array<std::uint32_t, MemorySpace> octile_row_begin;  ///< graphs + 1
  Array<std::uint32_t, MemorySpace> octile_begin;      ///< octile rows of all graphs + 1
  Array<OctileHead, MemorySpace> octiles;
  Array<Scalar, MemorySpace> weights;         ///< A_ij, packed
  Array<EdgeLabel, MemorySpace> edge_labels;  ///< E_ij, packed; empty for NoLabel
};

}  // namespace octile
