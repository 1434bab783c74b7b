// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/graph_batch.hpp>
#include <octile/octile.hpp>
#include <octile/octile_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace octile {

/// The largest batch that can be taken in without allocating memory.
struct Capacity {
  std::size_t graphs = 0;
  std::size_t vertices = 0;             ///< of all graphs
  std::size_t entries = 0;              ///< of all graphs, both triangles
  std::size_t vertices_of_largest = 0;  ///< of one graph
};

/// The first fault of a batch.
struct BatchFault {
  /// The kinds of faults, in the order in which they are checked.
  enum Kind : std::uint32_t {
    graph_size,  ///< at a graph: it has no vertex, or more than there is room for
    row_size,    ///< at a vertex: its row ends before it begins, or beyond the entries
    column,      ///< at an entry: its column is no vertex of its graph, or is the row's own
    twice,       ///< at an entry: it occurs twice in its row
    weight,      ///< at an entry: its weight is not a finite number > 0
    one_sided,   ///< at an entry (i, j): (j, i) is missing, or has another weight or label
  };
  Kind kind = graph_size;
  std::size_t place = 0;  ///< number of the graph, vertex or entry

  /// What was allowed, such as "a weight is a finite number > 0".
  static constexpr std::string_view allowed(Kind kind) {
    switch (kind) {
      case graph_size: return "a graph has at least one vertex, and no more than the capacity; offsets rise";
      case row_size: return "row offsets rise, and end within the entries and the capacity";
      case column: return "a column is another vertex of the same graph, numbered through all graphs";
      case twice: return "an entry stands once in its row";
      case weight: return "a weight is a finite number > 0";
      case one_sided: return "(i, j) and (j, i) are both there, with the same weight and label";
    }
    return "";
  }
};

namespace detail {

/// A fault as one number, of which the smallest is the first: kind, then place.
template <class Kind>
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t fault_key_of(Kind kind, std::size_t place) {
  return (static_cast<std::uint64_t>(kind) << 56) | static_cast<std::uint64_t>(place);
}
inline constexpr std::uint64_t no_fault = ~std::uint64_t(0);

/// The fault in a View of 1 number, if there is one. Fences `space`.
template <class Fault, class ExecutionSpace, class View>
std::optional<Fault> fault_of(const ExecutionSpace& space, const View& key_view) {
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), key_view);
  Kokkos::deep_copy(space, host, key_view);
  space.fence("octile::fault");
  const std::uint64_t key = host(0);
  if (key == no_fault) return std::nullopt;
  return Fault{static_cast<typename Fault::Kind>(key >> 56),
               static_cast<std::size_t>(key & ((std::uint64_t(1) << 56) - 1))};
}

/// The numbers of octiles and elements before a row of octiles.
struct OctileCounts {
  std::uint32_t octiles = 0;
  std::uint32_t elements = 0;
  KOKKOS_INLINE_FUNCTION OctileCounts& operator+=(const OctileCounts& other) {
    octiles += other.octiles;
    elements += other.elements;
    return *this;
  }
};

}  // namespace detail

/// The graphs of a batch in octiles, as solvers read them, in a memory space. They do not depend on base kernels or the
/// stopping probability, so they can be solved with any number of these. Starting probabilities are 1/n.
///
/// Copies share their memory, as Views do.
template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
class PreparedGraphs {
 public:
  using Scalar = Scalar_;
  using Set = OctileSet<Scalar, VertexLabel, EdgeLabel, MemorySpace>;

  /// Allocates room for a batch; contains no graphs yet.
  template <class ExecutionSpace>
  PreparedGraphs(const ExecutionSpace& space, const Capacity& capacity);

  /// The number of graphs.
  std::size_t size() const { return graphs_; }
  /// Says how many graphs another kernel writes. Throws `Error` if they are more than the capacity.
  void resize(std::size_t graphs) {
    if (graphs > capacity_.graphs) {
      throw Error("a batch of " + std::to_string(graphs) + " graphs; the capacity is " +
                  std::to_string(capacity_.graphs));
    }
    graphs_ = graphs;
  }
  const Capacity& capacity() const { return capacity_; }

  /// Takes in a batch, on `space`: seven small kernels, no fence, no allocation, no copy to the host. Throws `Error` if
  /// it has more graphs than the capacity. Faults that only the device can see make every solve of this batch a
  /// `breakdown`; `fault` and `require_valid` report them.
  template <class ExecutionSpace, class... Views>
  void assign(const ExecutionSpace& space, const GraphBatch<Views...>& batch);

  /// The first fault of the batch, if there is one. Fences `space`.
  template <class ExecutionSpace>
  std::optional<BatchFault> fault(const ExecutionSpace& space) const;

  /// The packed graphs. `degrees` has the sums Σ_j A_ij, from which a solver computes degrees, and `q` is 0.
  const Set& set() const { return set_; }
  /// The graphs as compressed rows: entries begin(v) … begin(v+1) of vertex v, each with its column (a vertex of the
  /// graph, from 0) and its place among the packed elements of `set`. There are `elements()(0)` of them.
  struct Rows {
    Kokkos::View<std::uint32_t*, MemorySpace> begin;
    Kokkos::View<std::uint32_t*, MemorySpace> columns;
    Kokkos::View<std::uint32_t*, MemorySpace> places;
  };
  const Rows& rows() const { return rows_; }
  const Kokkos::View<std::uint32_t*, MemorySpace>& elements() const { return elements_; }
  /// One number: `detail::no_fault`, or the first fault.
  const Kokkos::View<std::uint64_t*, MemorySpace>& fault_key() const { return fault_; }

 private:
  Capacity capacity_;
  std::size_t graphs_ = 0;
  std::size_t most_rows_ = 0;     ///< octile rows of all graphs, at most
  std::size_t most_columns_ = 0;  ///< octile columns of one graph, at most
  Set set_;
  Rows rows_;
  Kokkos::View<std::uint32_t*, MemorySpace> elements_;
  Kokkos::View<std::uint64_t*, MemorySpace> fault_;
  Kokkos::View<std::uint32_t*, MemorySpace> graph_of_row_;                  ///< of each octile row
  Kokkos::View<std::uint32_t*, MemorySpace> first_element_;                 ///< of each octile row
  Kokkos::View<OctileMask**, Kokkos::LayoutRight, MemorySpace> masks_;      ///< octile row × octile column
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> places_;  ///< of their first elements
};

namespace detail {

/// The kernels of `assign` and their data: one operator a kernel, in the order in which they run.
template <class Batch, class Set, class CompressedRows>
struct Packing {
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;

  Batch batch;
  Set set;
  CompressedRows compressed;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  Kokkos::View<std::uint64_t*, MemorySpace> fault;
  Kokkos::View<std::uint32_t*, MemorySpace> graph_of_row;
  Kokkos::View<std::uint32_t*, MemorySpace> first_element;
  Kokkos::View<OctileMask**, Kokkos::LayoutRight, MemorySpace> masks;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> places;
  std::int64_t graphs;
  std::int64_t vertex_room;
  std::int64_t entry_room;
  std::int64_t most_vertices;  ///< of one graph
  std::uint32_t most_rows;

  KOKKOS_INLINE_FUNCTION void blame(BatchFault::Kind kind, std::int64_t place) const {
    Kokkos::atomic_min(&fault(0), fault_key_of(kind, static_cast<std::size_t>(place)));
  }
  /// Whether there is no fault of a kind that is checked before `kind`. Faults of the same kind do not stop each
  /// other's checks, so that the first fault is the same from run to run.
  KOKKOS_INLINE_FUNCTION bool sound_before(BatchFault::Kind kind) const {
    return (Kokkos::atomic_load(&fault(0)) >> 56) >= static_cast<std::uint64_t>(kind);
  }

  /// The number of vertices of a graph, or 0 if its offsets are wrong.
  KOKKOS_INLINE_FUNCTION std::int64_t size_of(std::int64_t g) const {
    const std::int64_t begin = batch.graph_begin(g);
    const std::int64_t end = batch.graph_begin(g + 1);
    const bool right =
        begin >= 0 && end > begin && end - begin <= most_vertices && end <= vertex_room && (g > 0 || begin == 0);
    return right ? end - begin : 0;
  }

  struct Begin {};
  /// Clears the fault.
  KOKKOS_FUNCTION void operator()(Begin, const int) const { fault(0) = no_fault; }

  struct Graphs {};
  /// Finds where the vertices and octile rows of a graph begin.
  KOKKOS_FUNCTION void operator()(Graphs, const std::int64_t g, std::uint32_t& row, const bool final) const {
    const std::int64_t size = size_of(g);
    const auto rows = static_cast<std::uint32_t>(octile_count(static_cast<int>(size)));
    if (final) {
      if (size == 0) blame(BatchFault::graph_size, g);
      set.octile_row_begin(g) = row;
      set.vertex_begin(g) = static_cast<std::uint32_t>(batch.graph_begin(g));
      for (std::uint32_t k = 0; k < rows && row + k < most_rows; ++k) {
        graph_of_row(row + k) = static_cast<std::uint32_t>(g);
      }
      if (g + 1 == graphs) {
        set.octile_row_begin(graphs) = row + rows;
        set.vertex_begin(graphs) = static_cast<std::uint32_t>(batch.graph_begin(graphs));
      }
    }
    row += rows;
  }

  /// The vertices of an octile row, first … last, and of its graph, begin … end.
  struct Rows {
    std::int64_t begin, end, first, last;
  };
  KOKKOS_INLINE_FUNCTION Rows rows_of(std::uint32_t octile_row) const {
    const std::uint32_t g = graph_of_row(octile_row);
    const std::int64_t begin = set.vertex_begin(g);
    const std::int64_t end = set.vertex_begin(g + 1);
    const std::int64_t first = begin + octile_size * std::int64_t(octile_row - set.octile_row_begin(g));
    return {begin, end, first, Kokkos::min(first + octile_size, end)};
  }
  KOKKOS_INLINE_FUNCTION bool used(std::uint32_t octile_row, BatchFault::Kind looked_for) const {
    return sound_before(looked_for) && octile_row < set.octile_row_begin(graphs);
  }

  struct Masks {};
  /// Finds the masks of an octile row. It finds all faults of entries, except one-sided ones.
  KOKKOS_FUNCTION void operator()(Masks, const std::uint32_t octile_row) const {
    for (std::size_t c = 0; c < masks.extent(1); ++c) masks(octile_row, c) = 0;
    if (!used(octile_row, BatchFault::row_size)) return;
    const Rows rows = rows_of(octile_row);
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      const std::int64_t begin = batch.row_begin(v);
      const std::int64_t end = batch.row_begin(v + 1);
      if (begin < 0 || end < begin || end > entry_room || (v == 0 && begin != 0)) {
        blame(BatchFault::row_size, v);
        continue;
      }
      for (std::int64_t e = begin; e < end; ++e) {
        const std::int64_t column = batch.column(e);
        if (column < rows.begin || column >= rows.end || column == v) {
          blame(BatchFault::column, e);
          continue;
        }
        const std::int64_t j = column - rows.begin;
        OctileMask& mask = masks(octile_row, j / octile_size);
        const OctileMask element = octile_element(static_cast<int>(v - rows.first), static_cast<int>(j % octile_size));
        if ((mask & element) != 0) blame(BatchFault::twice, e);
        const auto stored = static_cast<Scalar>(batch.weight(e));
        if (!(stored > 0) || !Kokkos::isfinite(stored)) blame(BatchFault::weight, e);
        mask |= element;
      }
    }
  }

  struct Octiles {};
  /// Finds where the octiles and elements of an octile row begin.
  KOKKOS_FUNCTION void operator()(Octiles, const std::uint32_t octile_row, OctileCounts& counts,
                                  const bool final) const {
    if (final) {
      set.octile_begin(octile_row) = counts.octiles;
      first_element(octile_row) = counts.elements;
    }
    if (used(octile_row, BatchFault::one_sided)) {
      const Rows rows = rows_of(octile_row);
      const int columns = octile_count(static_cast<int>(rows.end - rows.begin));
      for (int c = 0; c < columns; ++c) {
        const OctileMask mask = masks(octile_row, c);
        counts += OctileCounts{mask != 0 ? 1U : 0U, static_cast<std::uint32_t>(octile_population(mask))};
      }
    }
    if (final && octile_row + 1 == most_rows) {
      set.octile_begin(most_rows) = counts.octiles;
      elements(0) = counts.elements;
    }
  }

  struct Elements {};
  /// Packs an octile row: heads, weights, edge labels, and the data of its vertices.
  KOKKOS_FUNCTION void operator()(Elements, const std::uint32_t octile_row) const {
    if (!used(octile_row, BatchFault::one_sided)) return;
    const Rows rows = rows_of(octile_row);
    const int columns = octile_count(static_cast<int>(rows.end - rows.begin));
    std::uint32_t octile = set.octile_begin(octile_row);
    std::uint32_t element = first_element(octile_row);
    for (int c = 0; c < columns; ++c) {
      const OctileMask mask = masks(octile_row, c);
      places(octile_row, c) = element;
      if (mask == 0) continue;
      set.octiles(octile++) = {mask, static_cast<std::uint32_t>(c), element};
      element += static_cast<std::uint32_t>(octile_population(mask));
    }
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      double sum = 0;
      for (std::int64_t e = batch.row_begin(v); e < batch.row_begin(v + 1); ++e) {
        const std::int64_t j = batch.column(e) - rows.begin;
        const std::size_t place = place_of(octile_row, static_cast<int>(v - rows.first), j);
        const auto stored = static_cast<Scalar>(batch.weight(e));
        set.weights(place) = stored;
        if constexpr (Set::has_edge_labels) set.edge_labels(place) = batch.edge_label(e);
        sum += static_cast<double>(stored);
        compressed.columns(e) = static_cast<std::uint32_t>(j);
        compressed.places(e) = static_cast<std::uint32_t>(place);
      }
      compressed.begin(v) = static_cast<std::uint32_t>(batch.row_begin(v));
      compressed.begin(v + 1) = static_cast<std::uint32_t>(batch.row_begin(v + 1));
      set.degrees(v) = sum;
      set.starting(v) = 1.0 / static_cast<double>(rows.end - rows.begin);
      set.vertex_labels(v) = batch.vertex_label(v);
    }
  }

  /// The place of element (i, j) among the packed ones; i counts within its octile row, j within the graph.
  KOKKOS_INLINE_FUNCTION std::size_t place_of(std::uint32_t octile_row, int i, std::int64_t j) const {
    const std::int64_t c = j / octile_size;
    return places(octile_row, c) + static_cast<std::size_t>(octile_rank(
                                       masks(octile_row, c), octile_bit(i, static_cast<int>(j % octile_size))));
  }

  struct Sides {};
  /// Compares each entry of an octile row with the one across the diagonal.
  KOKKOS_FUNCTION void operator()(Sides, const std::uint32_t octile_row) const {
    if (!used(octile_row, BatchFault::one_sided)) return;
    const Rows rows = rows_of(octile_row);
    const std::uint32_t first_row = set.octile_row_begin(graph_of_row(octile_row));
    for (std::int64_t v = rows.first; v < rows.last; ++v) {
      const std::int64_t i = v - rows.begin;
      for (std::int64_t e = batch.row_begin(v); e < batch.row_begin(v + 1); ++e) {
        const std::int64_t j = batch.column(e) - rows.begin;
        const auto across = static_cast<std::uint32_t>(first_row + j / octile_size);
        const OctileMask element = octile_element(static_cast<int>(j % octile_size), static_cast<int>(i % octile_size));
        if ((masks(across, i / octile_size) & element) == 0) {
          blame(BatchFault::one_sided, e);
          continue;
        }
        const std::size_t there = place_of(across, static_cast<int>(j % octile_size), i);
        bool same = set.weights(there) == static_cast<Scalar>(batch.weight(e));
        using EdgeLabel = typename Set::edge_label_type;
        if constexpr (Set::has_edge_labels && std::is_arithmetic_v<EdgeLabel>) {
          same = same && set.edge_labels(there) == batch.edge_label(e);
        }
        if (!same) blame(BatchFault::one_sided, e);
      }
    }
  }

  struct Emptied {};
  /// Removes the vertices of all graphs if the batch has a fault, so that solvers read nothing of it.
  KOKKOS_FUNCTION void operator()(Emptied, const std::int64_t g) const {
    if (fault(0) == no_fault) return;
    set.vertex_begin(g) = 0;
    set.octile_row_begin(g) = 0;
  }
};

}  // namespace detail

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace>
PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::PreparedGraphs(const ExecutionSpace& space,
                                                                             const Capacity& capacity)
    : capacity_(capacity) {
  most_rows_ = (capacity.vertices + (octile_size - 1) * capacity.graphs) / octile_size;
  most_columns_ = (capacity.vertices_of_largest + octile_size - 1) / octile_size;
  const auto make = [&space](auto& view, const char* name, auto... extents) {
    view = std::decay_t<decltype(view)>(Kokkos::view_alloc(space, std::string("octile::") + name), extents...);
  };
  make(set_.vertex_begin, "vertex_begin", capacity.graphs + 1);
  make(set_.octile_row_begin, "octile_row_begin", capacity.graphs + 1);
  make(set_.octile_begin, "octile_begin", most_rows_ + 1);
  make(set_.octiles, "octiles", capacity.entries);
  make(set_.weights, "weights", capacity.entries);
  make(set_.edge_labels, "edge_labels", Set::has_edge_labels ? capacity.entries : 0);
  make(set_.degrees, "row_sums", capacity.vertices);
  make(set_.starting, "starting", capacity.vertices);
  make(set_.vertex_labels, "vertex_labels", capacity.vertices);
  make(rows_.begin, "row_begin", capacity.vertices + 1);
  make(rows_.columns, "columns", capacity.entries);
  make(rows_.places, "places_of_entries", capacity.entries);
  make(elements_, "elements", std::size_t(1));
  make(fault_, "fault", std::size_t(1));
  make(graph_of_row_, "graph_of_row", most_rows_);
  make(first_element_, "first_element", most_rows_);
  make(masks_, "masks", most_rows_, most_columns_);
  make(places_, "places", most_rows_, most_columns_);
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace, class... Views>
void PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::assign(const ExecutionSpace& space,
                                                                          const GraphBatch<Views...>& batch) {
  using Batch = GraphBatch<Views...>;
  static_assert(
      Batch::template readable<MemorySpace>,
      "the batch's Views must be readable where the graphs are prepared: copy them there, or prepare on the host");
  static_assert(
      std::is_same_v<typename Batch::VertexLabel, VertexLabel> && std::is_same_v<typename Batch::EdgeLabel, EdgeLabel>,
      "the batch's labels must be of the types that the graphs were prepared with");
  resize(batch.graphs());
  if (graphs_ == 0) return;
  using Packing = detail::Packing<Batch, Set, Rows>;
  const auto rows = static_cast<std::uint32_t>(most_rows_);
  const Packing packing{batch,
                        set_,
                        rows_,
                        elements_,
                        fault_,
                        graph_of_row_,
                        first_element_,
                        masks_,
                        places_,
                        static_cast<std::int64_t>(graphs_),
                        static_cast<std::int64_t>(std::min(batch.vertex_room(), capacity_.vertices)),
                        static_cast<std::int64_t>(std::min(batch.entry_room(), capacity_.entries)),
                        static_cast<std::int64_t>(capacity_.vertices_of_largest),
                        rows};
  const auto over = [&space]<class Tag>(Tag, auto count) {
    return Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<decltype(count)>>(space, 0, count);
  };
  Kokkos::parallel_for("octile::assign", over(typename Packing::Begin(), 1), packing);
  Kokkos::parallel_scan("octile::assign_graphs", over(typename Packing::Graphs(), static_cast<std::int64_t>(graphs_)),
                        packing);
  Kokkos::parallel_for("octile::assign_masks", over(typename Packing::Masks(), rows), packing);
  Kokkos::parallel_scan("octile::assign_octiles", over(typename Packing::Octiles(), rows), packing);
  Kokkos::parallel_for("octile::assign_elements", over(typename Packing::Elements(), rows), packing);
  Kokkos::parallel_for("octile::assign_sides", over(typename Packing::Sides(), rows), packing);
  Kokkos::parallel_for("octile::assign_emptied",
                       over(typename Packing::Emptied(), static_cast<std::int64_t>(graphs_) + 1), packing);
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace>
std::optional<BatchFault> PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::fault(
    const ExecutionSpace& space) const {
  if (graphs_ == 0) return std::nullopt;
  return detail::fault_of<BatchFault>(space, fault_);
}

/// Allocates room for `capacity` in the memory of `space`, and takes in the batch.
template <class Scalar = double, class ExecutionSpace, class... Views>
auto prepare(const ExecutionSpace& space, const GraphBatch<Views...>& batch, const Capacity& capacity) {
  using Batch = GraphBatch<Views...>;
  PreparedGraphs<Scalar, typename Batch::VertexLabel, typename Batch::EdgeLabel, typename ExecutionSpace::memory_space>
      prepared(space, capacity);
  prepared.assign(space, batch);
  return prepared;
}

/// Fences `space`. If the batch has a fault, throws `Error` that names the place and what was allowed.
template <class ExecutionSpace, class Prepared>
void require_valid(const ExecutionSpace& space, const Prepared& prepared) {
  const std::optional<BatchFault> fault = prepared.fault(space);
  if (!fault) return;
  const char* const what = fault->kind == BatchFault::graph_size ? "graph "
                           : fault->kind == BatchFault::row_size ? "vertex "
                                                                 : "entry ";
  throw Error("the batch is wrong at " + std::string(what) + std::to_string(fault->place) + ": " +
              std::string(BatchFault::allowed(fault->kind)));
}

}  // namespace octile
