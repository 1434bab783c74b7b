// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/cuda/layout/lane_slices.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// Graphs with more vertices are not laid out: hardly a pair of theirs has room in shared memory.
inline constexpr std::uint32_t most_batch_vertices = 256;

/// Says where the edges of each graph of a batch go in slices (`SlicedGraph`); labels have no part in it. Each vertex
/// gets lanes of up to 4 edges, in the order of its row, and vertices are dealt to slices next-fit. There are three
/// steps:
///
///     Rows      where the rows of G begin                                     a scan over vertices
///     Deal      lanes for every vertex, and how many slices a graph takes     a team a graph
///     Slices    where the slices of a graph begin, and their slots            a scan over graphs
template <class ExecutionSpace>
struct DealLanes {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  template <class T>
  using List = octile::Array<T, MemorySpace>;

  List<std::uint32_t> vertex_begin;  ///< of each graph, among all vertices
  List<std::uint32_t> entry_begin;   ///< of each vertex
  List<std::uint32_t> row_begin;     ///< of each vertex, with padding
  List<std::uint32_t> row_entries;   ///< of each graph, with padding; 0: it is left out, as those without edges
  List<std::uint32_t> order;         ///< of each graph: its vertices, those with long lanes first
  List<std::uint32_t> first_lane;    ///< of each vertex, in its graph
  List<Slice> heads;                 ///< of each graph, from where its vertices begin
  List<std::uint32_t> slices_of;     ///< of each graph
  List<std::uint32_t> slots_of;      ///< of each graph, 32 for each slot of a slice
  List<std::uint32_t> slice_begin;   ///< of each graph
  List<std::uint32_t> first_slot;    ///< of each graph
  std::uint32_t count = 0;           ///< of graphs

  /// The vertices of a graph; 0 of one that is not laid out.
  KOKKOS_INLINE_FUNCTION std::uint32_t vertices_of(std::uint32_t g) const {
    const std::uint32_t n = vertex_begin(g + 1) - vertex_begin(g);
    return n <= most_batch_vertices ? n : 0;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t edges_of(std::uint32_t v) const { return entry_begin(v + 1) - entry_begin(v); }

  struct Rows {};
  KOKKOS_FUNCTION void operator()(Rows, const std::uint32_t v, std::uint32_t& before, const bool final) const {
    const std::uint32_t vertices = vertex_begin(count);
    if (final && v <= vertices) row_begin(v) = before;
    if (v < vertices) before += Kokkos::max(edges_of(v), 1U);
  }

  struct Deal {};
  KOKKOS_FUNCTION void operator()(Deal, const Member& member) const {
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = vertex_begin(g);
    const std::uint32_t n = vertices_of(g);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](const std::uint32_t v) {
      const LaneShare mine(edges_of(first + v));
      std::uint32_t place = 0;
      for (std::uint32_t u = 0; u < n; ++u) {
        const LaneShare other(edges_of(first + u));
        if (other.goes_before(mine) || (u < v && !mine.goes_before(other))) ++place;
      }
      order(first + place) = v;
    });
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&] { deal(g, first, n); });
  }

  struct Slices {};
  /// Slices, and slots, before a graph.
  struct Before {
    std::uint32_t slices = 0;
    std::uint32_t slots = 0;
    KOKKOS_INLINE_FUNCTION Before& operator+=(const Before& other) {
      slices += other.slices;
      slots += other.slots;
      return *this;
    }
  };
  KOKKOS_FUNCTION void operator()(Slices, const std::uint32_t g, Before& before, const bool final) const {
    if (final) {
      slice_begin(g) = before.slices;
      first_slot(g) = before.slots;
    }
    before += {slices_of(g), slots_of(g)};
    if (final && g + 1 == count) slice_begin(count) = before.slices;
  }

 private:
  /// Each slice takes, in their order, the vertices whose lanes still fit.
  KOKKOS_FUNCTION void deal(std::uint32_t g, std::uint32_t first, std::uint32_t n) const {
    std::uint32_t lane = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t v = first + order(first + k);
      const LaneShare share(edges_of(v));
      const std::uint32_t taken = lane % slice_lanes;
      if (taken + share.lanes > slice_lanes) lane += slice_lanes - taken;
      first_lane(v) = lane;
      Slice& head = heads(first + lane / slice_lanes);
      head = widened(lane % slice_lanes == 0 ? Slice() : head, share);
      lane += share.lanes;
    }
    const std::uint32_t slices = (lane + slice_lanes - 1) / slice_lanes;
    std::uint32_t slots = 0;
    for (std::uint32_t s = 0; s < slices; ++s) slots += slice_lanes * heads(first + s).slots;
    slices_of(g) = slices;
    slots_of(g) = slots;
    const std::uint32_t edges = n > 0 ? entry_begin(first + n) - entry_begin(first) : 0;
    row_entries(g) = edges > 0 ? row_begin(first + n) - row_begin(first) : 0;
  }
};

/// Launch policies: a team for each of `count` graphs, or a work item for each of `length` numbers.
template <class ExecutionSpace, class... Tag>
auto by_graph(const ExecutionSpace& space, std::uint32_t count, Tag...) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;
  return without_waiting(Kokkos::TeamPolicy<ExecutionSpace, Tag...>(space, static_cast<int>(count), on_host ? 1 : 64));
}
template <class ExecutionSpace, class Tag>
auto by_number(const ExecutionSpace& space, std::size_t length, Tag) {
  return without_waiting(Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<std::uint32_t>>(
      space, 0, static_cast<std::uint32_t>(length)));
}

/// Queues the three steps of `DealLanes`, without a fence; there may be up to `most_vertices`.
template <class ExecutionSpace>
void deal_lanes(const ExecutionSpace& space, const DealLanes<ExecutionSpace>& lanes, std::size_t most_vertices) {
  using Lanes = DealLanes<ExecutionSpace>;
  Kokkos::parallel_scan("octile::lay_out_rows", by_number(space, most_vertices + 1, typename Lanes::Rows()), lanes);
  Kokkos::parallel_for("octile::deal_lanes", by_graph(space, lanes.count, typename Lanes::Deal()), lanes);
  Kokkos::parallel_scan("octile::lay_out_slices", by_number(space, lanes.count, typename Lanes::Slices()), lanes);
}
#ifdef KOKKOS_ENABLE_CUDA
OCTILE_IN_LIBRARY template void deal_lanes(const Kokkos::Cuda&, const DealLanes<Kokkos::Cuda>&, std::size_t);
#endif

/// The slot of an edge: number e of vertex v, of graph g.
template <class ExecutionSpace, class Slices>
KOKKOS_INLINE_FUNCTION std::uint32_t slot_of(const DealLanes<ExecutionSpace>& dealt, const Slices& slices,
                                             std::uint32_t g, std::uint32_t v, std::uint32_t e) {
  const LaneShare share(dealt.edges_of(v));
  const std::uint32_t lane = dealt.first_lane(v);
  const std::uint32_t slice = dealt.slice_begin(g) + lane / slice_lanes;
  return slices(slice).slots + e / share.lanes * slice_lanes + lane % slice_lanes + e % share.lanes;
}

}  // namespace octile::cuda
