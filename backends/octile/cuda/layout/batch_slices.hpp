// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/allocation.hpp>
#include <octile/array.hpp>
#include <octile/cuda/layout/lane_slices.hpp>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/launch.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

// Graphs that lie on a device as the native kernels read them, laid out there.
namespace octile::cuda {

/// A set whose graphs may change from solve to solve without the host knowing their sizes. A launch gets all pairs, and leaves out
/// those that it has no shape for, or that are solved.
template <class VertexLabel, class EdgeLabel, class MemorySpace>
struct BatchSet : CudaSet<Product::slices, VertexLabel, EdgeLabel, MemorySpace> {
  octile::Array<std::uint32_t, MemorySpace> row_entries;  ///< of each graph, with padding; 0: the graph has no edges
  int more_than = 0;                                      ///< elements n·m that a pair of this launch has more than
  int at_most = 0;                                        ///< and the most of them
  std::uint32_t most_entries = 0;                         ///< of the rows of G, for which blocks have room
  const PairResult* found = nullptr;  ///< one a pair: those that have converged are left out; null: none is
  const double* left =
      nullptr;  ///< one a pair: those with 0 have no residual that is to be solved for; null: all are solved as they are

  KOKKOS_INLINE_FUNCTION bool leaves_out(Pair pair, int k) const {
    const int elements = this->vertices(pair.first) * this->vertices(pair.second);
    const std::uint32_t entries = row_entries(pair.first);
    const bool fits = elements > more_than && elements <= at_most && entries > 0 && entries <= most_entries &&
                      row_entries(pair.second) > 0;
    const bool solved = found != nullptr && found[k].status == Status::converged;
    return !fits || solved || (left != nullptr && !(left[k] > 0));
  }
};

/// What the native kernels multiply the weights of a graph by.
template <class MemorySpace>
struct WeightScale {
  octile::Array<GraphScales, MemorySpace> scales;
  KOKKOS_INLINE_FUNCTION double operator()(int graph) const { return scales(graph).weight; }
};

/// What is solved of pairs of a batch, in memory of the device.
struct BatchWork {
  const Pair* pairs;
  PairResult* results;
  int count;
  int* next;                  ///< a counter for each shape, all 0
  const PairResult* found;    ///< those that have converged are left out; null: none is
  double* solutions;          ///< if not null, receives x
  const std::size_t* begins;  ///< where that of each pair begins
  const float* given;         ///< if not null, the right-hand sides instead of q² D×, in the places of x
  const double* given_scale;  ///< by what that of each pair is multiplied, and its solution divided
  SolveOptions options;
};

/// Lays out a batch in the form that `SliceLists` makes on the host: a team a graph. Lanes are of up to 4 edges, which stand in them as in their row, and vertices
/// are dealt to slices next-fit. Of the scales there are those that right-hand sides D× and given ones take. `Prepared` are `PreparedGraphs`,
/// whose degrees and starting probabilities are those of a solve.
///
///     Rows      where the rows of G begin                                     a scan over vertices
///     Deal      lanes for every vertex, and how many slices a graph takes     a team a graph
///     Slices    where the slices of a graph begin, and their slots            a scan over graphs
///     Fill      rows, slices, and numbers of vertices                         a team a graph
template <class ExecutionSpace, class Prepared, class Set>
struct LayOutBatch {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using MemorySpace = typename Prepared::Set::memory_space;
  template <class T>
  using List = octile::Array<T, MemorySpace>;

  typename Prepared::Set graphs;
  typename Prepared::Rows rows;
  Set set;
  List<std::uint32_t> order;       ///< of each graph: its vertices, those with long lanes first
  List<std::uint32_t> first_lane;  ///< of each vertex, in its graph
  List<Slice> heads;               ///< of each graph, from where its vertices begin
  List<std::uint32_t> slices_of;   ///< of each graph
  List<std::uint32_t> slots_of;    ///< of each graph, 32 for each slot of a slice
  List<std::uint32_t> first_slot;  ///< of each graph
  std::uint32_t count;             ///< of graphs

  KOKKOS_INLINE_FUNCTION std::uint32_t edges_of(std::uint32_t v) const { return rows.begin(v + 1) - rows.begin(v); }

  struct Rows {};
  KOKKOS_FUNCTION void operator()(Rows, const std::uint32_t v, std::uint32_t& before, const bool final) const {
    const std::uint32_t vertices = graphs.vertex_begin(count);
    if (final && v <= vertices) set.row_begin(v) = before;
    if (v < vertices) before += Kokkos::max(edges_of(v), 1U);
  }

  struct Deal {};
  KOKKOS_FUNCTION void operator()(Deal, const Member& member) const {
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = graphs.vertex_begin(g);
    const std::uint32_t n = graphs.vertex_begin(g + 1) - first;
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
      set.slice_begin(g) = before.slices;
      first_slot(g) = before.slots;
    }
    before += {slices_of(g), slots_of(g)};
    if (final && g + 1 == count) set.slice_begin(count) = before.slices;
  }

  struct Fill {};
  KOKKOS_FUNCTION void operator()(Fill, const Member& member) const {
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = graphs.vertex_begin(g);
    const std::uint32_t n = graphs.vertex_begin(g + 1) - first;
    const double scale = note_scales(member, g, first, n);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      std::uint32_t slot = first_slot(g);
      for (std::uint32_t s = 0; s < slices_of(g); ++s) {
        set.slices(set.slice_begin(g) + s) = {heads(first + s), slot};
        slot += slice_lanes * heads(first + s).slots;
      }
    });
    member.team_barrier();
    const EdgeLabel of_padding = padding(first, n);
    pad(member, g, of_padding);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](const std::uint32_t v) {
      set.degrees(first + v) = scale * graphs.degrees(first + v);
      set.starting(first + v) = graphs.starting(first + v) / set.scales(g).inverse_start;
      fill_row(first + v, v, static_cast<float>(scale), of_padding);
      fill_lanes(g, first + v, v, static_cast<float>(scale));
    });
  }

 private:
  using EdgeLabel = typename Set::edge_label_type;

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
    const std::uint32_t edges = n > 0 ? rows.begin(first + n) - rows.begin(first) : 0;
    set.row_entries(g) = edges > 0 ? set.row_begin(first + n) - set.row_begin(first) : 0;
    set.row_weight(g) = -1;
  }

  /// The scales of a graph. Returns that of its weights.
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

  /// Lanes without a vertex, and slots without an edge.
  KOKKOS_FUNCTION void pad(const Member& member, std::uint32_t g, const EdgeLabel& of_padding) const {
    const std::uint32_t lanes = slices_of(g) * slice_lanes;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const std::uint32_t lane) {
      set.lanes(set.slice_begin(g) * slice_lanes + lane) = Lane();
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, slots_of(g)), [&](const std::uint32_t k) {
      const std::uint32_t slot = first_slot(g) + k;
      set.slot_weights(slot) = 0;
      set.slot_columns(slot) = 0;
      if constexpr (Set::has_edge_labels) set.slot_labels(slot) = of_padding;
    });
  }

  /// What pads has the label of an edge of the graph: of another label κe need not be a number.
  KOKKOS_INLINE_FUNCTION EdgeLabel padding(std::uint32_t first, std::uint32_t n) const {
    if constexpr (Set::has_edge_labels) {
      if (rows.begin(first + n) > rows.begin(first)) return graphs.edge_labels(rows.places(rows.begin(first)));
    }
    return EdgeLabel{};
  }

  KOKKOS_INLINE_FUNCTION EdgeLabel label(std::uint32_t place) const {
    if constexpr (Set::has_edge_labels) {
      return graphs.edge_labels(place);
    } else {
      return EdgeLabel{};
    }
  }

  /// The row of vertex `place` of its graph, vertex v of the set.
  KOKKOS_FUNCTION void fill_row(std::uint32_t v, std::uint32_t place, float scale, const EdgeLabel& of_padding) const {
    const std::uint32_t begin = set.row_begin(v);
    const std::uint32_t edges = edges_of(v);
    if (edges == 0) set.rows(begin) = {of_padding, 0, 0, place};
    for (std::uint32_t e = 0; e < edges; ++e) {
      const std::uint32_t entry = rows.begin(v) + e;
      const std::uint32_t at = rows.places(entry);
      set.rows(begin + e) = {label(at), static_cast<float>(graphs.weights(at)) * scale, rows.columns(entry),
                             e + 1 == edges ? place : none};
    }
  }

  /// Its edges as those of G', by lanes.
  KOKKOS_FUNCTION void fill_lanes(std::uint32_t g, std::uint32_t v, std::uint32_t place, float scale) const {
    const LaneShare share(edges_of(v));
    const std::uint32_t lane = first_lane(v);
    const std::uint32_t slice = set.slice_begin(g) + lane / slice_lanes;
    const std::uint32_t within = lane % slice_lanes;
    for (std::uint32_t k = 0; k < share.lanes; ++k) {
      set.lanes(slice * slice_lanes + within + k) = {k == 0 ? place : none, share.lanes - k};
    }
    const std::uint32_t edges = edges_of(v);
    for (std::uint32_t e = 0; e < edges; ++e) {
      const std::uint32_t entry = rows.begin(v) + e;
      const std::uint32_t at = rows.places(entry);
      const std::uint32_t slot = set.slices(slice).slots + e / share.lanes * slice_lanes + within + e % share.lanes;
      set.slot_weights(slot) = static_cast<float>(graphs.weights(at)) * scale;
      set.slot_columns(slot) = rows.columns(entry);
      if constexpr (Set::has_edge_labels) set.slot_labels(slot) = graphs.edge_labels(at);
    }
  }
};

/// The memory of a `BatchSet` and of what lays it out, kept from solve to solve. It grows only.
template <class Prepared>
class BatchSlices {
 public:
  using MemorySpace = typename Prepared::Set::memory_space;
  using Set = BatchSet<typename Prepared::Set::vertex_label_type, typename Prepared::Set::edge_label_type, MemorySpace>;

  /// Whether slots of so many graphs can be counted.
  static bool suits(const Capacity& capacity) {
    return slots_of(capacity) < std::size_t(std::numeric_limits<std::int32_t>::max());
  }

  /// Takes memory for graphs of a capacity that is suitable. Throws what Kokkos throws, and is then as it was.
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& space, const Capacity& capacity) {
    BatchSlices grown = *this;
    Set& set = grown.set_;
    const std::size_t slices = slices_of(capacity);
    const std::size_t slots = slots_of(capacity);
    octile::detail::grow(space, set.degrees, "native_degrees", capacity.vertices);
    octile::detail::grow(space, set.starting, "native_starting", capacity.vertices);
    octile::detail::grow(space, set.scales, "graph_scales", capacity.graphs);
    octile::detail::grow(space, set.slice_begin, "slice_begin", capacity.graphs + 1);
    octile::detail::grow(space, set.row_begin, "native_row_begin", capacity.vertices + 1);
    octile::detail::grow(space, set.rows, "native_rows", capacity.entries + capacity.vertices);
    octile::detail::grow(space, set.row_weight, "row_weight", capacity.graphs);
    octile::detail::grow(space, set.row_entries, "row_entries", capacity.graphs);
    octile::detail::grow(space, set.slices, "slices", slices);
    octile::detail::grow(space, set.lanes, "lanes", slice_lanes * slices);
    if (Set::has_edge_labels) octile::detail::grow(space, set.slot_labels, "slot_labels", slots);
    octile::detail::grow(space, set.slot_weights, "slot_weights", slots);
    octile::detail::grow(space, set.slot_columns, "slot_columns", slots);
    octile::detail::grow(space, grown.order_, "order_of_lanes", capacity.vertices);
    octile::detail::grow(space, grown.first_lane_, "first_lane", capacity.vertices);
    octile::detail::grow(space, grown.heads_, "slice_heads", capacity.vertices);
    octile::detail::grow(space, grown.slices_of_, "slices_of_graph", capacity.graphs);
    octile::detail::grow(space, grown.slots_of_, "slots_of_graph", capacity.graphs);
    octile::detail::grow(space, grown.first_slot_, "first_slot", capacity.graphs);
    *this = grown;
  }

  /// Queues the layout of graphs that fit: `graphs` is their set with the degrees and starting probabilities of a solve. Four kernels, no
  /// fence.
  template <class ExecutionSpace>
  const Set& lay_out(const ExecutionSpace& space, const Prepared& prepared, const typename Prepared::Set& graphs) {
    set_.vertex_begin = graphs.vertex_begin;
    set_.vertex_labels = graphs.vertex_labels;
    set_.q = 1;
    const auto count = static_cast<std::uint32_t>(prepared.size());
    using Steps = LayOutBatch<ExecutionSpace, Prepared, Set>;
    const Steps layout{graphs, prepared.rows(), set_,      order_,      first_lane_,
                       heads_, slices_of_,      slots_of_, first_slot_, count};
    const auto over = [&space]<class Tag>(Tag, std::size_t length) {
      return without_waiting(Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<std::uint32_t>>(
          space, 0, static_cast<std::uint32_t>(length)));
    };
    const auto by_graph = [&space, count]<class Tag>(Tag) {
      constexpr bool on_host =
          Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;
      return without_waiting(Kokkos::TeamPolicy<ExecutionSpace, Tag>(space, static_cast<int>(count), on_host ? 1 : 64));
    };
    Kokkos::parallel_scan("octile::lay_out_rows", over(typename Steps::Rows(), prepared.capacity().vertices + 1),
                          layout);
    Kokkos::parallel_for("octile::deal_lanes", by_graph(typename Steps::Deal()), layout);
    Kokkos::parallel_scan("octile::lay_out_slices", over(typename Steps::Slices(), count), layout);
    Kokkos::parallel_for("octile::fill_slices", by_graph(typename Steps::Fill()), layout);
    return set_;
  }

 private:
  /// At most: two slices one after the other have more lanes than one has room for.
  static std::size_t slices_of(const Capacity& capacity) {
    constexpr std::size_t most = slice_lanes / 2;
    return (capacity.entries / slots_at_once + capacity.vertices) / most + 1 + capacity.graphs;
  }
  /// At most: `slots_at_once` slots a slice, but for slices of one vertex, which hold as many edges as places, but for the last of a lane.
  static std::size_t slots_of(const Capacity& capacity) {
    return slots_at_once * slice_lanes * slices_of(capacity) + 2 * capacity.entries;
  }

  Set set_;
  octile::Array<std::uint32_t, MemorySpace> order_;
  octile::Array<std::uint32_t, MemorySpace> first_lane_;
  octile::Array<Slice, MemorySpace> heads_;
  octile::Array<std::uint32_t, MemorySpace> slices_of_;
  octile::Array<std::uint32_t, MemorySpace> slots_of_;
  octile::Array<std::uint32_t, MemorySpace> first_slot_;
};

}  // namespace octile::cuda
