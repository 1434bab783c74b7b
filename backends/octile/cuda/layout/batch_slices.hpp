// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/allocation.hpp>
#include <octile/array.hpp>
#include <octile/cuda/layout/lane_slices.hpp>
#include <octile/cuda/layout/set.hpp>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/launch.hpp>
#include <octile/leaf_product.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

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

/// What the layout reads of graphs that are prepared: all but their labels. Degrees and starting probabilities are those of a solve.
template <class Scalar, class MemorySpace>
struct BatchSource {
  template <class T>
  using List = octile::Array<T, MemorySpace>;

  List<std::uint32_t> vertex_begin;  ///< of each graph, among all vertices
  List<std::uint32_t> entry_begin;   ///< of each vertex
  List<std::uint32_t> columns;       ///< of each entry: a vertex of its graph
  List<std::uint32_t> places;        ///< of each entry, among the packed elements
  List<Scalar> weights;              ///< of each packed element
  List<double> degrees;              ///< of each vertex
  List<double> starting;             ///< of each vertex
  double q = 1;
  std::uint32_t count = 0;  ///< of graphs
  Capacity capacity{};

  template <class Prepared>
  static BatchSource of(const Prepared& prepared, const typename Prepared::Set& graphs) {
    const auto& rows = prepared.rows();
    return {graphs.vertex_begin, rows.begin,     rows.columns,
            rows.places,         graphs.weights, graphs.degrees,
            graphs.starting,     graphs.q,       static_cast<std::uint32_t>(prepared.size()),
            prepared.capacity()};
  }
};

/// What says where the edges of each graph of a batch go in slices; labels have no part in it. Lanes are of up to 4 edges, which stand in
/// them as in their row, and vertices are dealt to slices next-fit.
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
  List<std::uint32_t> row_entries;   ///< of each graph, with padding; 0: the graph has no edges
  List<std::uint32_t> order;         ///< of each graph: its vertices, those with long lanes first
  List<std::uint32_t> first_lane;    ///< of each vertex, in its graph
  List<Slice> heads;                 ///< of each graph, from where its vertices begin
  List<std::uint32_t> slices_of;     ///< of each graph
  List<std::uint32_t> slots_of;      ///< of each graph, 32 for each slot of a slice
  List<std::uint32_t> slice_begin;   ///< of each graph
  List<std::uint32_t> first_slot;    ///< of each graph
  std::uint32_t count = 0;           ///< of graphs

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
    const std::uint32_t n = vertex_begin(g + 1) - first;
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

/// A policy of one work item a graph, by teams, and one over so many work items.
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

/// Queues its three steps, without a fence; there may be up to `most_vertices`. For `Kokkos::Cuda` the library has it.
template <class ExecutionSpace>
void deal_lanes(const ExecutionSpace& space, const DealLanes<ExecutionSpace>& lanes, std::size_t most_vertices) {
  using Lanes = DealLanes<ExecutionSpace>;
  Kokkos::parallel_scan("octile::lay_out_rows", by_number(space, most_vertices + 1, typename Lanes::Rows()), lanes);
  Kokkos::parallel_for("octile::deal_lanes", by_graph(space, lanes.count, typename Lanes::Deal()), lanes);
  Kokkos::parallel_scan("octile::lay_out_slices", by_number(space, lanes.count, typename Lanes::Slices()), lanes);
}
#ifdef KOKKOS_ENABLE_CUDA
extern template void deal_lanes(const Kokkos::Cuda&, const DealLanes<Kokkos::Cuda>&, std::size_t);
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
    const std::uint32_t n = graphs.vertex_begin(g + 1) - first;
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

  /// The row of vertex `place` of its graph, vertex v of the set, and its edges as those of G', by lanes.
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
  /// All of an element of a row but its label.
  KOKKOS_INLINE_FUNCTION void fill_row(std::uint32_t at, float weight, std::uint32_t column, std::uint32_t last) const {
    auto& element = set.rows(at);
    element.weight = weight;
    element.column = column;
    element.last = last;
  }
};

/// Where the labels of edges belong in a batch that is laid out.
template <class ExecutionSpace>
struct LabelPlaces {
  using MemorySpace = typename ExecutionSpace::memory_space;

  DealLanes<ExecutionSpace> dealt;
  octile::Array<SliceHead, MemorySpace> slices;
  octile::Array<std::uint32_t, MemorySpace> places;  ///< of each entry, among the packed elements
  unsigned char* rows = nullptr;                     ///< the first element of a row
  std::size_t row_bytes = 0;                         ///< of an element of a row, which begins with its label
  unsigned char* slots = nullptr;                    ///< the label of the first slot
  std::size_t bytes = 0;                             ///< of a label; 0: there are none
};

/// Writes the labels of edges: a team a graph. `read(label, stored)` stores what κe reads of a label, and says whether that is all of it.
/// A graph with a label that it cannot store is marked as one without edges, which native kernels leave out.
template <class ExecutionSpace, class Labels, class Read>
struct WriteLabels {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  Labels labels;  ///< of each packed element
  LabelPlaces<ExecutionSpace> to;
  Read read;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const DealLanes<ExecutionSpace>& dealt = to.dealt;
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = dealt.vertex_begin(g);
    const std::uint32_t n = dealt.vertex_begin(g + 1) - first;
    const std::uint32_t entry = dealt.entry_begin(first);
    // What pads has the label of an edge of the graph: of another label κe need not be a number.
    typename Read::Stored of_padding{};
    if (dealt.entry_begin(first + n) > entry) read(labels(to.places(entry)), of_padding);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, dealt.slots_of(g)), [&](const std::uint32_t k) {
      put(to.slots + (dealt.first_slot(g) + k) * to.bytes, of_padding);
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](const std::uint32_t vertex) {
      const std::uint32_t v = first + vertex;
      const std::uint32_t edges = dealt.edges_of(v);
      const std::uint32_t begin = dealt.row_begin(v);
      if (edges == 0) put(to.rows + begin * to.row_bytes, of_padding);
      for (std::uint32_t e = 0; e < edges; ++e) {
        typename Read::Stored stored{};
        if (!read(labels(to.places(dealt.entry_begin(v) + e)), stored)) dealt.row_entries(g) = 0;
        put(to.rows + (begin + e) * to.row_bytes, stored);
        put(to.slots + slot_of(dealt, to.slices, g, v, e) * to.bytes, stored);
      }
    });
  }

 private:
  /// Of two words the first alone where labels have no second.
  template <class Stored>
  KOKKOS_INLINE_FUNCTION void put(unsigned char* place, const Stored& stored) const {
    if constexpr (std::is_same_v<Stored, NumberAndCode>) {
      *reinterpret_cast<float*>(place) = stored.number;
      if (to.bytes == sizeof(Stored)) *reinterpret_cast<std::uint32_t*>(place + sizeof(float)) = stored.code;
    } else {
      *reinterpret_cast<Stored*>(place) = stored;
    }
  }
};

/// Queues the labels of graphs, which are those of packed elements: one kernel, or none where labels are not read.
template <class ExecutionSpace, class Labels, class Read>
void write_labels(const ExecutionSpace& space, const Labels& labels, const LabelPlaces<ExecutionSpace>& to,
                  const Read& read) {
  if (to.bytes == 0) return;
  Kokkos::parallel_for("octile::write_labels", by_graph(space, to.dealt.count),
                       WriteLabels<ExecutionSpace, Labels, Read>{labels, to, read});
}

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
    static_assert(offsetof(RowEntry<Stored>, label) == 0);
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
// The library has those for `LeafProduct`.
extern template class BatchSlices<double, NoLabel, Kokkos::Cuda>;
extern template class BatchSlices<double, float, Kokkos::Cuda>;
extern template class BatchSlices<double, NumberAndCode, Kokkos::Cuda>;
extern template class BatchSlices<float, NoLabel, Kokkos::Cuda>;
extern template class BatchSlices<float, float, Kokkos::Cuda>;
extern template class BatchSlices<float, NumberAndCode, Kokkos::Cuda>;
#endif

}  // namespace octile::cuda
