// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/batch_fault.hpp>
#include <octile/batches/batch_labels.hpp>
#include <octile/batches/batch_packing.hpp>
#include <octile/error.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/unlabelled.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace octile {

/// The largest batch that can be taken in without allocating memory. It takes about 12 bytes for each tile of the largest graph beside each row of
/// tiles, (vertices / 8 + graphs) · vertices_of_largest / 8 of them, so that few large graphs among many small ones have a set of their own.
struct Capacity {
  std::size_t graphs = 0;               ///< at most 2^31 − 2
  std::size_t vertices = 0;             ///< of all graphs
  std::size_t entries = 0;              ///< of all graphs, both triangles
  std::size_t vertices_of_largest = 0;  ///< of one graph

  bool operator==(const Capacity& other) const = default;  ///< all four numbers are equal
};

namespace detail {
inline std::string too_many_graphs(std::size_t graphs, std::size_t capacity) {
  return "a batch of " + std::to_string(graphs) + " graphs; the capacity is " + std::to_string(capacity);
}
}  // namespace detail

/// The most vertices of one graph: n·m of a pair is an int.
inline constexpr std::size_t most_vertices_of_one = 46340;

/// Throws `Error` if a capacity is more than the numbers of vertices and entries can count.
inline void require_countable(const Capacity& capacity) {
  const auto require = [](const char* what, std::size_t value, std::size_t most) {
    if (value <= most) return;
    throw Error("a capacity of " + std::to_string(value) + " " + what + "; allowed are " + std::to_string(most));
  };
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  require("graphs", capacity.graphs, most - 1);
  require("vertices", capacity.vertices, most - octile_size);
  require("entries", capacity.entries, most - 1);
  require("vertices of the largest graph", capacity.vertices_of_largest, most_vertices_of_one);
}

/// The graphs of a batch in octiles, as solvers read them, in a memory space. They do not depend on base kernels or the
/// stopping probability, so they can be solved with any number of these. Starting probabilities are 1/n. The weights of a graph
/// whose largest one is not between 2^-16 and 2^16 are multiplied by a power of two, which changes neither K nor x.
///
/// Copies share their memory, as Views do: what is assigned to one of them takes the place of what the others had, and only that one knows
/// how many graphs there are now.
template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
class PreparedGraphs {
 public:
  using Scalar = Scalar_;                                              ///< float or double, of the packed weights
  using Set = OctileSet<Scalar, VertexLabel, EdgeLabel, MemorySpace>;  ///< what solvers read

  /// Allocates room for a batch; contains no graphs yet. Throws `Error` where the capacity is more than can be counted, or more than
  /// there is memory for.
  template <class ExecutionSpace>
  PreparedGraphs(const ExecutionSpace& space, const Capacity& capacity);

  /// The number of graphs.
  std::size_t size() const { return graphs_; }
  /// Says how many graphs another kernel writes. Throws `Error` if they are more than the capacity.
  void resize(std::size_t graphs) {
    if (graphs > capacity_.graphs) throw Error(detail::too_many_graphs(graphs, capacity_.graphs));
    graphs_ = graphs;
  }
  const Capacity& capacity() const { return capacity_; }  ///< the largest batch that there is room for

  /// Takes in a batch, on `space`: up to ten small kernels, no fence, no allocation, no copy to the host. Throws `Error` if
  /// it has more graphs than the capacity. Faults that only the device can see make every solve of this batch a
  /// `breakdown`; `fault` and `require_valid` report them.
  template <class ExecutionSpace, class... Views>
  void assign(const ExecutionSpace& space, const GraphBatch<Views...>& batch);

  /// The first fault of the batch, if there is one. Fences `space`.
  template <class ExecutionSpace>
  std::optional<BatchFault> fault(const ExecutionSpace& space) const;

  /// The packed graphs. `degrees` has the sums Σ_j A_ij, from which a solver computes degrees, and `q` is 0.
  const Set& set() const { return set_; }
  /// The graphs as compressed rows. There are `elements()(0)` entries.
  using Rows = detail::CompressedRows<MemorySpace>;
  const Rows& rows() const { return rows_; }  ///< columns are counted in their graph, from 0
  const Kokkos::View<std::uint32_t*, MemorySpace>& elements() const { return elements_; }  ///< 1 number: the entries
  /// The first fault, if there is one.
  const Kokkos::View<detail::FaultRecord<FaultPlace>, MemorySpace>& fault_record() const { return fault_; }
  /// The largest weight of each graph, by which its weights are scaled (see `detail::weight_scale`).
  const Kokkos::View<double*, MemorySpace>& largest_weights() const { return largest_; }

 private:
  template <class ExecutionSpace>
  void allocate(const ExecutionSpace& space);
  template <class ExecutionSpace, class Batch>
  void pack_labels(const ExecutionSpace& space, const Batch& batch);

  Capacity capacity_;
  std::size_t graphs_ = 0;
  std::size_t vertex_room_ = 0;   ///< of the capacity and of the last batch's Views, the smaller one
  std::size_t entry_room_ = 0;    ///< likewise
  std::size_t most_rows_ = 0;     ///< octile rows of all graphs, at most
  std::size_t most_columns_ = 0;  ///< octile columns of one graph, at most
  Set set_;
  Rows rows_;
  Kokkos::View<double*, MemorySpace> weights_;  ///< of the entries of the batch
  Kokkos::View<std::uint32_t*, MemorySpace> elements_;
  Kokkos::View<detail::FaultRecord<FaultPlace>, MemorySpace> fault_;
  Kokkos::View<double*, MemorySpace> largest_;
  Kokkos::View<std::uint32_t*, MemorySpace> graph_of_row_;                  ///< of each octile row
  Kokkos::View<std::uint32_t*, MemorySpace> first_element_;                 ///< of each octile row
  Kokkos::View<OctileMask**, Kokkos::LayoutRight, MemorySpace> masks_;      ///< octile row × octile column
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> places_;  ///< of their first elements
};

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace>
PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::PreparedGraphs(const ExecutionSpace& space,
                                                                             const Capacity& capacity)
    : capacity_(capacity) {
  detail::require_kokkos("preparing graphs");
  require_countable(capacity);
  most_rows_ = (capacity.vertices + (octile_size - 1) * capacity.graphs) / octile_size;
  most_columns_ = (capacity.vertices_of_largest + octile_size - 1) / octile_size;
  detail::allocating("graphs of this capacity", [&] { allocate(space); });
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace>
void PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::allocate(const ExecutionSpace& space) {
  const Capacity& capacity = capacity_;
  detail::make(space, set_.vertex_begin, "vertex_begin", capacity.graphs + 1);
  detail::make(space, set_.octile_row_begin, "octile_row_begin", capacity.graphs + 1);
  detail::make(space, set_.octile_begin, "octile_begin", most_rows_ + 1);
  detail::make(space, set_.octiles, "octiles", capacity.entries);
  detail::make(space, set_.weights, "weights", capacity.entries);
  detail::make(space, set_.edge_labels, "edge_labels", Set::has_edge_labels ? capacity.entries : 0);
  detail::make(space, set_.degrees, "row_sums", capacity.vertices);
  detail::make(space, set_.starting, "starting", capacity.vertices);
  detail::make(space, set_.vertex_labels, "vertex_labels", capacity.vertices);
  detail::make(space, rows_.begin, "row_begin", capacity.vertices + 1);
  detail::make(space, rows_.columns, "columns", capacity.entries);
  detail::make(space, rows_.places, "places_of_entries", capacity.entries);
  detail::make(space, rows_.across, "places_across", capacity.entries);
  detail::make(space, weights_, "weights_of_entries", capacity.entries);
  detail::make(space, elements_, "elements", std::size_t(1));
  detail::make(space, fault_, "fault");
  detail::make(space, largest_, "largest_weights", capacity.graphs);
  detail::make(space, graph_of_row_, "graph_of_row", most_rows_);
  detail::make(space, first_element_, "first_element", most_rows_);
  detail::make(space, masks_, "masks", most_rows_, most_columns_);
  detail::make(space, places_, "places", most_rows_, most_columns_);
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace, class... Views>
void PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::assign(const ExecutionSpace& space,
                                                                          const GraphBatch<Views...>& batch) {
  using Batch = GraphBatch<Views...>;
  static_assert(
      Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
      "the graphs lie where this execution space has no access: assign on one of the space they were prepared on");
  static_assert(
      Batch::template readable<MemorySpace>,
      "the batch's Views must be readable where the graphs are prepared: copy them there, or prepare on the host");
  static_assert(
      std::is_same_v<typename Batch::VertexLabel, VertexLabel> && std::is_same_v<typename Batch::EdgeLabel, EdgeLabel>,
      "the batch's labels must be of the types that the graphs were prepared with");
  resize(batch.graphs());
  vertex_room_ = std::min(batch.vertex_room(), capacity_.vertices);
  entry_room_ = std::min(batch.entry_room(), capacity_.entries);
  if (graphs_ == 0) return;
  const detail::Packing<Scalar, MemorySpace> packing{
      {set_.vertex_begin, set_.octile_row_begin, set_.octile_begin, elements_, fault_, graph_of_row_, first_element_,
       masks_, static_cast<std::int64_t>(graphs_), static_cast<std::uint32_t>(most_rows_)},
      batch.numbers(),
      unlabelled(set_),
      rows_,
      weights_,
      largest_,
      places_,
      static_cast<std::int64_t>(vertex_room_),
      static_cast<std::int64_t>(entry_room_),
      static_cast<std::int64_t>(capacity_.vertices_of_largest)};
  detail::pack(space, packing);
  pack_labels(space, batch);
  detail::empty_if_wrong(space, packing);
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace, class Batch>
void PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::pack_labels(const ExecutionSpace& space,
                                                                               const Batch& batch) {
  using Labels = decltype(batch.labels());
  const auto entries = static_cast<std::uint32_t>(entry_room_);
  const detail::LabelPlaces<MemorySpace> at{set_.vertex_begin, elements_, rows_.places,
                                            rows_.across,      fault_,    static_cast<std::uint32_t>(graphs_)};
  if constexpr (Labels::of_vertices || Labels::of_edges) {
    const auto vertices = static_cast<std::uint32_t>(vertex_room_);
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
    Kokkos::parallel_for("octile::assign_labels", without_waiting(Policy(space, 0, std::max(vertices, entries))),
                         detail::PackLabels<Labels, Set>{batch.labels(), set_.vertex_labels, set_.edge_labels, at});
  }
  // Labels that are structs are compared by the edge kernel, when there is one.
  if constexpr (std::is_arithmetic_v<EdgeLabel>) {
    detail::compare_labels(space, entries, detail::CompareLabels<EdgeLabel, MemorySpace>{set_.edge_labels, at});
  }
}

template <class Scalar_, class VertexLabel, class EdgeLabel, class MemorySpace>
template <class ExecutionSpace>
std::optional<BatchFault> PreparedGraphs<Scalar_, VertexLabel, EdgeLabel, MemorySpace>::fault(
    const ExecutionSpace& space) const {
  if (graphs_ == 0) return std::nullopt;
  std::optional<BatchFault> fault = detail::fault_of<BatchFault>(space, fault_);
  if (fault) {
    fault->vertices_of_largest = capacity_.vertices_of_largest;
    fault->vertices = vertex_room_;
    fault->entries = entry_room_;
  }
  return fault;
}

namespace detail {
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Array<std::uint32_t, LibraryMemory>&, const char*,
                                     std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Kokkos::View<std::uint32_t*, LibraryMemory>&, const char*,
                                     std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Array<double, LibraryMemory>&, const char*, std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Array<float, LibraryMemory>&, const char*, std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Array<std::int32_t, LibraryMemory>&, const char*,
                                     std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Kokkos::View<double*, LibraryMemory>&, const char*,
                                     std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Array<OctileHead, LibraryMemory>&, const char*, std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&, Kokkos::View<FaultRecord<FaultPlace>, LibraryMemory>&,
                                     const char*);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&,
                                     Kokkos::View<OctileMask**, Kokkos::LayoutRight, LibraryMemory>&, const char*,
                                     std::size_t, std::size_t);
OCTILE_IN_LIBRARY template void make(const LibrarySpace&,
                                     Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, LibraryMemory>&, const char*,
                                     std::size_t, std::size_t);
}  // namespace detail

/// Allocates room for `capacity` in the memory of `space`, and takes in the batch.
template <class Scalar = double, class ExecutionSpace, class... Views>
auto prepare(const ExecutionSpace& space, const GraphBatch<Views...>& batch, const Capacity& capacity) {
  using Batch = GraphBatch<Views...>;
  if (batch.graphs() > capacity.graphs) {
    throw Error(detail::too_many_graphs(batch.graphs(), capacity.graphs));
  }
  PreparedGraphs<Scalar, typename Batch::VertexLabel, typename Batch::EdgeLabel, typename ExecutionSpace::memory_space>
      prepared(space, capacity);
  prepared.assign(space, batch);
  return prepared;
}

namespace detail {

/// The number of vertices of the largest of `graphs` graphs. Fences `space`.
template <class ExecutionSpace>
std::int64_t largest_graph(const ExecutionSpace& space, const BatchNumbers& batch, std::size_t graphs) {
  std::int64_t largest = 0;
  if (graphs == 0) return largest;
  Kokkos::parallel_reduce("octile::largest_graph", Kokkos::RangePolicy<ExecutionSpace>(space, 0, graphs),
                          LargestGraph{batch}, Kokkos::Max<std::int64_t>(largest));
  space.fence("octile::largest_graph");
  return largest;
}

OCTILE_IN_LIBRARY template std::int64_t largest_graph(const LibrarySpace&, const BatchNumbers&, std::size_t);

}  // namespace detail

/// What a batch takes: as many graphs, vertices and entries as its Views have room for, and vertices of one graph as the largest one
/// has now, which is found on `space` with a fence.
template <class ExecutionSpace, class... Views>
Capacity capacity_of(const ExecutionSpace& space, const GraphBatch<Views...>& batch) {
  using Batch = GraphBatch<Views...>;
  static_assert(
      Batch::template readable<typename ExecutionSpace::memory_space>,
      "the batch's Views must be readable where the graphs are prepared: copy them there, or prepare on the host");
  detail::require_kokkos("preparing graphs");
  const std::int64_t largest = detail::largest_graph(space, batch.numbers(), batch.graphs());
  // Where offsets are wrong, `assign` finds that.
  const auto most = static_cast<std::int64_t>(std::min(batch.vertex_room(), most_vertices_of_one));
  return {batch.graphs(), batch.vertex_room(), batch.entry_room(),
          static_cast<std::size_t>(std::clamp<std::int64_t>(largest, 0, most))};
}

/// Prepares a batch with room for this batch alone (`capacity_of`). Fences `space`.
template <class Scalar = double, class ExecutionSpace, class... Views>
auto prepare(const ExecutionSpace& space, const GraphBatch<Views...>& batch) {
  return prepare<Scalar>(space, batch, capacity_of(space, batch));
}

/// Fences `space`. If the batch has a fault, throws `Error` that names graph, vertex, entry and value, and what was allowed.
template <class ExecutionSpace, class Prepared>
void require_valid(const ExecutionSpace& space, const Prepared& prepared) {
  const std::optional<BatchFault> fault = prepared.fault(space);
  if (!fault) return;
  throw Error(fault->message());
}

}  // namespace octile
