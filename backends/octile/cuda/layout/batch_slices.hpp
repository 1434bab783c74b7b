// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/cuda/layout/batch_set.hpp>
#include <octile/cuda/layout/deal_lanes.hpp>
#include <octile/cuda/layout/write_labels.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/kernels/leaf_product.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// The layout of graphs that lie on a device, made there.
namespace octile::cuda {

/// Writes what native kernels read of a batch, but for the labels of edges, to where `DealLanes` says: a team a graph. Of the scales
/// there are those that right-hand sides D× and given ones take.
template <class ExecutionSpace, class Scalar, class Set>
struct FillSlices {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  BatchSource<Scalar, typename ExecutionSpace::memory_space> graphs;
  Set set;
  DealLanes<ExecutionSpace> dealt;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = graphs.vertex_begin(g);
    const std::uint32_t n = dealt.vertices_of(g);
    const double scale = note_scales(member, g, first, n);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      set.row_weight(g) = -1;
      std::uint32_t slot = dealt.first_slot(g);
      for (std::uint32_t s = 0; s < dealt.slices_of(g); ++s) {
        set.slices(set.slice_begin(g) + s) = {dealt.heads(first + s), slot};
        slot += slice_lanes * dealt.heads(first + s).slots;
      }
    });
    member.team_barrier();
    pad(member, g);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](const std::uint32_t v) {
      set.degrees(first + v) = scale * graphs.degrees(first + v);
      set.starting(first + v) = graphs.starting(first + v) / set.scales(g).inverse_start;
      set.vertex_labels(first + v) = v;
      fill(g, first + v, v, static_cast<float>(scale));
    });
  }

 private:
  /// Writes the scales of a graph, and returns the scale of its weights.
  KOKKOS_FUNCTION double note_scales(const Member& member, std::uint32_t g, std::uint32_t first,
                                     std::uint32_t n) const {
    const auto most_of = [&](const auto& value) {
      double most = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(member, n),
          [&](const std::uint32_t v, double& largest) { largest = Kokkos::max(largest, value(first + v)); },
          Kokkos::Max<double>(most));
      return most;
    };
    const double degree = most_of([&](std::uint32_t v) { return graphs.degrees(v); });
    const double start = most_of([&](std::uint32_t v) { return graphs.starting(v); });
    GraphScales scales{};
    scales.weight = degree > 0 ? 1 / power_near(degree) : 1;
    scales.inverse_start = start > 0 ? power_near(start) : 1;
    Kokkos::single(Kokkos::PerTeam(member), [&] { set.scales(g) = scales; });
    member.team_barrier();
    return scales.weight;
  }

  /// The power of two at or below a number.
  KOKKOS_INLINE_FUNCTION static double power_near(double value) {
    constexpr std::uint64_t exponent = std::uint64_t(0x7FF) << 52;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(value) & exponent);
  }

  /// Makes all lanes and slots of a graph padding: without a vertex, and without an edge.
  KOKKOS_FUNCTION void pad(const Member& member, std::uint32_t g) const {
    const std::uint32_t lanes = dealt.slices_of(g) * slice_lanes;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const std::uint32_t lane) {
      set.lanes(set.slice_begin(g) * slice_lanes + lane) = Lane();
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, dealt.slots_of(g)), [&](const std::uint32_t k) {
      const std::uint32_t slot = dealt.first_slot(g) + k;
      set.slot_weights(slot) = 0;
      set.slot_columns(slot) = 0;
    });
  }

  /// Writes the row of vertex `place` of its graph, which is vertex v of the set, and its edges as those of G', by
  /// lanes.
  KOKKOS_FUNCTION void fill(std::uint32_t g, std::uint32_t v, std::uint32_t place, float scale) const {
    const std::uint32_t edges = dealt.edges_of(v);
    const std::uint32_t begin = set.row_begin(v);
    if (edges == 0) fill_row(begin, 0, 0, place);
    const LaneShare share(edges);
    const std::uint32_t lane = set.slice_begin(g) * slice_lanes + dealt.first_lane(v);
    for (std::uint32_t k = 0; k < share.lanes; ++k) set.lanes(lane + k) = {k == 0 ? place : none, share.lanes - k};
    for (std::uint32_t e = 0; e < edges; ++e) {
      const std::uint32_t entry = graphs.entry_begin(v) + e;
      const float weight = static_cast<float>(graphs.weights(graphs.places(entry))) * scale;
      const std::uint32_t column = graphs.columns(entry);
      fill_row(begin + e, weight, column, e + 1 == edges ? place : none);
      const std::uint32_t slot = slot_of(dealt, set.slices, g, v, e);
      set.slot_weights(slot) = weight;
      set.slot_columns(slot) = column;
    }
  }
  /// Writes an element of a row without its label.
  KOKKOS_INLINE_FUNCTION void fill_row(std::uint32_t at, float weight, std::uint32_t column, std::uint32_t last) const {
    auto& element = set.rows(at);
    element.weight = weight;
    element.column = column;
    element.last = last;
  }
};

/// A batch as native kernels read it, and what lays it out. Memory is kept from solve to solve, and grows only. Edges have the labels
/// `Stored`; the label of a vertex is its place in its graph, since κv is formed pair by pair.
template <class Scalar, class Stored, class ExecutionSpace>
class BatchSlices {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = BatchSet<std::uint32_t, Stored, MemorySpace>;
  using Source = BatchSource<Scalar, MemorySpace>;

  /// Whether slots of so many graphs can be counted.
  static bool suits(const Capacity& capacity) {
    return slots_of(capacity) < std::size_t(std::numeric_limits<std::int32_t>::max());
  }

  /// Takes memory for graphs of a capacity that is suitable. Throws what Kokkos throws, and is then as it was.
  void reserve(const ExecutionSpace& space, const Capacity& capacity);

  /// Queues the layout of graphs that fit, without labels of edges: four kernels, no fence.
  void lay_out(const ExecutionSpace& space, const Source& source);

  /// Where the labels of the graphs belong that were laid out last.
  LabelPlaces<ExecutionSpace> label_places() const {
    if constexpr (std::is_standard_layout_v<RowEntry<Stored>>) static_assert(offsetof(RowEntry<Stored>, label) == 0);
    return {dealt_,
            set_.slices,
            places_,
            reinterpret_cast<unsigned char*>(set_.rows.data()),
            sizeof(RowEntry<Stored>),
            reinterpret_cast<unsigned char*>(set_.slot_labels.data()),
            Set::has_edge_labels ? sizeof(Stored) : 0};
  }

  const Set& set() const { return set_; }

 private:
  /// A bound of the slices: two slices one after the other have more lanes than one has room for.
  static std::size_t slices_of(const Capacity& capacity) {
    constexpr std::size_t most = slice_lanes / 2;
    return (capacity.entries / slots_at_once + capacity.vertices) / most + 1 + capacity.graphs;
  }
  /// A bound of the slots: `slots_at_once` a lane of a slice. A slice of one vertex may have more; then all of them but
  /// the last are full.
  static std::size_t slots_of(const Capacity& capacity) {
    return slots_at_once * slice_lanes * slices_of(capacity) + 2 * capacity.entries;
  }

  Set set_;
  DealLanes<ExecutionSpace> dealt_;
  octile::Array<std::uint32_t, MemorySpace> places_;
};

template <class Scalar, class Stored, class ExecutionSpace>
void BatchSlices<Scalar, Stored, ExecutionSpace>::reserve(const ExecutionSpace& space, const Capacity& capacity) {
  BatchSlices grown = *this;
  Set& set = grown.set_;
  DealLanes<ExecutionSpace>& dealt = grown.dealt_;
  const std::size_t slices = slices_of(capacity);
  const std::size_t slots = slots_of(capacity);
  octile::detail::grow(space, set.degrees, "native_degrees", capacity.vertices);
  octile::detail::grow(space, set.starting, "native_starting", capacity.vertices);
  octile::detail::grow(space, set.vertex_labels, "native_places", capacity.vertices);
  octile::detail::grow(space, set.scales, "graph_scales", capacity.graphs);
  octile::detail::grow(space, dealt.slice_begin, "slice_begin", capacity.graphs + 1);
  octile::detail::grow(space, dealt.row_begin, "native_row_begin", capacity.vertices + 1);
  octile::detail::grow(space, set.rows, "native_rows", capacity.entries + capacity.vertices);
  octile::detail::grow(space, set.row_weight, "row_weight", capacity.graphs);
  octile::detail::grow(space, dealt.row_entries, "row_entries", capacity.graphs);
  octile::detail::grow(space, set.slices, "slices", slices);
  octile::detail::grow(space, set.lanes, "lanes", slice_lanes * slices);
  if (Set::has_edge_labels) octile::detail::grow(space, set.slot_labels, "slot_labels", slots);
  octile::detail::grow(space, set.slot_weights, "slot_weights", slots);
  octile::detail::grow(space, set.slot_columns, "slot_columns", slots);
  octile::detail::grow(space, dealt.order, "order_of_lanes", capacity.vertices);
  octile::detail::grow(space, dealt.first_lane, "first_lane", capacity.vertices);
  octile::detail::grow(space, dealt.heads, "slice_heads", capacity.vertices);
  octile::detail::grow(space, dealt.slices_of, "slices_of_graph", capacity.graphs);
  octile::detail::grow(space, dealt.slots_of, "slots_of_graph", capacity.graphs);
  octile::detail::grow(space, dealt.first_slot, "first_slot", capacity.graphs);
  *this = grown;
}

template <class Scalar, class Stored, class ExecutionSpace>
void BatchSlices<Scalar, Stored, ExecutionSpace>::lay_out(const ExecutionSpace& space, const Source& source) {
  dealt_.vertex_begin = source.vertex_begin;
  dealt_.entry_begin = source.entry_begin;
  dealt_.count = source.count;
  places_ = source.places;
  set_.vertex_begin = source.vertex_begin;
  set_.slice_begin = dealt_.slice_begin;
  set_.row_begin = dealt_.row_begin;
  set_.row_entries = dealt_.row_entries;
  set_.q = 1;
  deal_lanes(space, dealt_, source.capacity.vertices);
  Kokkos::parallel_for("octile::fill_slices", by_graph(space, dealt_.count),
                       FillSlices<ExecutionSpace, Scalar, Set>{source, set_, dealt_});
}

#ifdef KOKKOS_ENABLE_CUDA
// The sets of edge kernels that are a `LeafProduct`.
OCTILE_IN_LIBRARY template class BatchSlices<double, NoLabel, Kokkos::Cuda>;
OCTILE_IN_LIBRARY template class BatchSlices<double, float, Kokkos::Cuda>;
OCTILE_IN_LIBRARY template class BatchSlices<double, NumberAndCode, Kokkos::Cuda>;
OCTILE_IN_LIBRARY template class BatchSlices<float, NoLabel, Kokkos::Cuda>;
OCTILE_IN_LIBRARY template class BatchSlices<float, float, Kokkos::Cuda>;
OCTILE_IN_LIBRARY template class BatchSlices<float, NumberAndCode, Kokkos::Cuda>;
#endif

}  // namespace octile::cuda
