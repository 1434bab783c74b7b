// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/rows.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <vector>

namespace octile::cuda {

/// The lanes of a slice, as many as of a warp, and how many edges a lane holds at a time.
inline constexpr int slice_lanes = 32;
inline constexpr int slots_at_once = 4;

/// One lane of a slice. Aligned so that one instruction loads it.
struct alignas(8) Lane {
  std::uint32_t row = none;     ///< the vertex whose sum this lane writes, if it is the vertex's first lane; else none
  std::uint32_t remaining = 1;  ///< lanes of the same vertex from this one on, itself included
};

/// 32 lanes, each with up to `slots` edges of one vertex.
struct Slice {
  std::uint32_t slots = 0;
  std::uint32_t steps = 0;  ///< shuffles that add up the lanes of a vertex: no vertex has more than 2^steps lanes
};

/// The share of a vertex in a slice: how many adjacent lanes it takes, and the edges of the fullest one.
struct LaneShare {
  std::uint32_t lanes;
  std::uint32_t slots;

  /// The share of a vertex with `edges` edges: up to `most_slots` a lane if 32 lanes suffice. Without edges it is one
  /// lane with padding.
  KOKKOS_INLINE_FUNCTION explicit LaneShare(std::uint32_t edges, std::uint32_t most_slots = slots_at_once) {
    const std::uint32_t length = edges > 0 ? edges : 1;
    lanes = (length + most_slots - 1) / most_slots;
    if (lanes > slice_lanes) lanes = slice_lanes;
    slots = (length + lanes - 1) / lanes;
  }
  /// Long lanes first, so that a slice holds vertices of similar degrees.
  KOKKOS_INLINE_FUNCTION bool goes_before(const LaneShare& other) const {
    return slots != other.slots ? slots > other.slots : lanes > other.lanes;
  }
};

/// The slots and steps of a slice after it takes one more share.
KOKKOS_INLINE_FUNCTION Slice widened(Slice slice, const LaneShare& share) {
  if (slice.slots < share.slots) slice.slots = share.slots;
  while ((1U << slice.steps) < share.lanes) ++slice.steps;
  return slice;
}

/// The approximate number of instructions that a slice takes for an element of G, and for the end of a row of G. Used
/// to divide a product among warps and to choose between layouts.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t element_cost(Slice slice) { return 5 + 6 * slice.slots; }
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t row_cost(Slice slice) { return 14 + 2 * slice.steps; }
/// The approximate number of instructions that a warp takes to load the edges of a slice, or of slices that are walked
/// together, into registers.
inline constexpr std::uint64_t hold_cost = 80;

/// A graph in two forms, for its two roles in a product on a GPU:
///
///     as G, row by row             as G', in slices of 32 lanes
///     all lanes of a warp walk     each lane has a share of one vertex's edges in registers
///     these in step
///                                          lane   0    1    2    3    4   …  31
///     row 0   (0,3) (0,7)                vertex   5    5    5    2    2   …   9
///     row 1   (1,3)                      slot 0  5,1  5,4  5,9  2,3  2,7  …  9,0
///     …                                  slot 1  5,2  5,6  5,11 2,5   ·   …  9,4
///
/// A vertex of many edges has several adjacent lanes of one slice. A vertex without edges has padding, so that every
/// sum is written. Vertices with similar numbers of edges share a slice. The edges of a lane are ordered so that, as
/// far as possible, the columns of a slot fall into different banks of shared memory.
struct SlicedGraph {
  std::vector<std::uint32_t> row_begin;  ///< vertices + 1, into `rows`
  std::vector<RowElement> rows;
  std::vector<Slice> slices;
  std::vector<Lane> lanes;        ///< 32 a slice
  std::vector<RowElement> slots;  ///< slice by slice; slot s of lane l at 32 s + l
};

/// Lays out one graph.
SlicedGraph slice_graph(const Graph& graph);

/// Shared-memory passes that a load by the 32 lanes of a slot takes: the most distinct columns in any of 32 banks.
int bank_passes(const RowElement* slot);

}  // namespace octile::cuda
