// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/cuda/layout/lane_slices.hpp>

#include <cstdint>

namespace octile::cuda {

/// An element of a row of G, which all lanes of a warp read at once: 16 bytes with a label of 4 bytes.
template <class Label>
struct RowEntry {
  Label label;
  float weight;          ///< 0: padding
  std::uint32_t column;  ///< j; in the copy in shared memory, the offset in bytes of row j of p
  std::uint32_t last;    ///< i at the last element of row i, else none; in shared memory, the offset of that row of a
};

/// A slice, and where its slots begin in the set's arrays. Aligned so that one instruction loads it.
struct alignas(16) SliceHead {
  Slice slice;
  std::uint32_t slots = 0;
  std::uint32_t unused = 0;  ///< what is left to 16 bytes, so that all bytes of equal heads are equal
};

/// The edges of a set as `SlicedGraph`s in one memory space, stored consecutively:
///
///     graph g   slices    slice_begin(g) … slice_begin(g+1)
///     vertex v  elements  row_begin(v) … row_begin(v+1) of `rows`
///     slice s   lanes     32 s … 32 s + 31
///               slots     slices(s).slots + 32 slot + lane of `slot_…`
template <class EdgeLabel, class MemorySpace>
struct SliceArrays {
  octile::Array<std::uint32_t, MemorySpace> slice_begin;
  octile::Array<std::uint32_t, MemorySpace> row_begin;
  octile::Array<RowEntry<EdgeLabel>, MemorySpace> rows;
  /// For each graph, the weight of all elements of its rows if they are equal, else -1.
  octile::Array<float, MemorySpace> row_weight;
  octile::Array<SliceHead, MemorySpace> slices;
  octile::Array<Lane, MemorySpace> lanes;
  octile::Array<EdgeLabel, MemorySpace> slot_labels;  ///< empty for NoLabel
  octile::Array<float, MemorySpace> slot_weights;
  octile::Array<std::uint32_t, MemorySpace> slot_columns;
};

}  // namespace octile::cuda
