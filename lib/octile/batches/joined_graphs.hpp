// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/batch_fault.hpp>
#include <octile/batches/batch_packing.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/unlabelled.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile {
namespace detail {

/// Copies two sets one behind the other, without their labels. Thread i takes number i of each array that has one. How long the first
/// set's arrays are is read on the device.
template <class Scalar, class MemorySpace>
struct Joining {
  using Set = OctileSet<Scalar, NoLabel, NoLabel, MemorySpace>;

  /// A set as it is read or written.
  struct Side {
    Set set;
    CompressedRows<MemorySpace> rows;
    Kokkos::View<std::uint32_t*, MemorySpace> elements;
    Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;
    Kokkos::View<double*, MemorySpace> largest;

    template <class Prepared>
    explicit Side(const Prepared& graphs)
        : set(unlabelled(graphs.set())),
          rows(graphs.rows()),
          elements(graphs.elements()),
          fault(graphs.fault_record()),
          largest(graphs.largest_weights()) {}
  };

  Side to;
  Side first;
  Side second;
  std::uint32_t graphs_of_first;
  std::uint32_t graphs_of_second;

  /// How much of each array one set has.
  struct Lengths {
    std::uint32_t graphs;
    std::uint32_t vertices = 0;
    std::uint32_t octile_rows = 0;
    std::uint32_t octiles = 0;
    std::uint32_t elements = 0;

    KOKKOS_FUNCTION Lengths(const Side& side, std::uint32_t graphs_of_side) : graphs(graphs_of_side) {
      if (graphs == 0 || side.fault().key != no_fault) return;
      vertices = side.set.vertex_begin(graphs);
      octile_rows = side.set.octile_row_begin(graphs);
      octiles = side.set.octile_begin(octile_rows);
      elements = side.elements(0);
    }
  };

  KOKKOS_FUNCTION void operator()(const std::uint32_t i) const {
    const Lengths none(first, 0);
    const Lengths before(first, graphs_of_first);
    const Lengths after(second, graphs_of_second);
    copy(i, first, before, none);
    copy(i, second, after, before);
    if (i > 0) return;
    const std::uint32_t graphs = before.graphs + after.graphs;
    to.set.vertex_begin(graphs) = before.vertices + after.vertices;
    to.set.octile_row_begin(graphs) = before.octile_rows + after.octile_rows;
    to.set.octile_begin(before.octile_rows + after.octile_rows) = before.octiles + after.octiles;
    to.rows.begin(before.vertices + after.vertices) = before.elements + after.elements;
    to.elements(0) = before.elements + after.elements;
    const auto fault = graphs_of_first > 0 ? first.fault() : FaultRecord<FaultPlace>();
    to.fault() = fault.key == no_fault && graphs_of_second > 0 ? second.fault() : fault;
  }

 private:
  /// Number i of what `from` has, behind what is there `before` it.
  KOKKOS_INLINE_FUNCTION void copy(std::uint32_t i, const Side& from, const Lengths& length,
                                   const Lengths& before) const {
    const Set& set = from.set;
    if (i < length.graphs) {
      // A batch with a fault counts no vertices: its graphs are empty here, and its offsets are not read.
      to.set.vertex_begin(before.graphs + i) = before.vertices + (length.vertices > 0 ? set.vertex_begin(i) : 0);
      to.set.octile_row_begin(before.graphs + i) =
          before.octile_rows + (length.vertices > 0 ? set.octile_row_begin(i) : 0);
      to.largest(before.graphs + i) = from.largest(i);
    }
    if (i < length.octile_rows) to.set.octile_begin(before.octile_rows + i) = before.octiles + set.octile_begin(i);
    if (i < length.octiles) {
      OctileHead head = set.octiles(i);
      head.elements += before.elements;
      to.set.octiles(before.octiles + i) = head;
    }
    if (i < length.elements) {
      const std::uint32_t at = before.elements + i;
      to.set.weights(at) = set.weights(i);
      to.rows.columns(at) = from.rows.columns(i);
      to.rows.places(at) = before.elements + from.rows.places(i);
      to.rows.across(at) = before.elements + from.rows.across(i);
    }
    if (i < length.vertices) {
      const std::uint32_t at = before.vertices + i;
      to.set.degrees(at) = set.degrees(i);
      to.set.starting(at) = set.starting(i);
      to.rows.begin(at) = before.elements + from.rows.begin(i);
    }
  }
};

/// Queues it, with `threads` threads.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void join_unlabelled(const ExecutionSpace& space, std::uint32_t threads, const Joining<Scalar, MemorySpace>& joining) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  Kokkos::parallel_for("octile::join", without_waiting(Policy(space, 0, threads)), joining);
}

/// Copies the labels of two sets one behind the other. Thread i takes those of vertex i and of element i.
template <class Set>
struct JoinLabels {
  using MemorySpace = typename Set::memory_space;
  static constexpr bool of_vertices = !std::is_same_v<typename Set::vertex_label_type, NoLabel>;

  /// The labels of a set, and what says how many there are.
  struct Side {
    Array<typename Set::vertex_label_type, MemorySpace> of_vertices;
    Array<typename Set::edge_label_type, MemorySpace> of_elements;
    Array<std::uint32_t, MemorySpace> vertex_begin;
    Kokkos::View<std::uint32_t*, MemorySpace> elements;
    Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;
    std::uint32_t graphs;

    template <class Prepared>
    explicit Side(const Prepared& prepared)
        : of_vertices(prepared.set().vertex_labels),
          of_elements(prepared.set().edge_labels),
          vertex_begin(prepared.set().vertex_begin),
          elements(prepared.elements()),
          fault(prepared.fault_record()),
          graphs(static_cast<std::uint32_t>(prepared.size())) {}

    KOKKOS_INLINE_FUNCTION bool used() const { return graphs > 0 && fault().key == no_fault; }
    KOKKOS_INLINE_FUNCTION std::uint32_t vertex_count() const { return used() ? vertex_begin(graphs) : 0; }
    KOKKOS_INLINE_FUNCTION std::uint32_t element_count() const { return used() ? elements(0) : 0; }
  };

  Side to;
  Side first;
  Side second;

  KOKKOS_FUNCTION void operator()(const std::uint32_t i) const {
    copy(i, first, 0, 0);
    copy(i, second, first.vertex_count(), first.element_count());
  }

 private:
  KOKKOS_INLINE_FUNCTION void copy(std::uint32_t i, const Side& from, std::uint32_t vertices_before,
                                   std::uint32_t elements_before) const {
    if constexpr (of_vertices) {
      if (i < from.vertex_count()) to.of_vertices(vertices_before + i) = from.of_vertices(i);
    }
    if constexpr (Set::has_edge_labels) {
      if (i < from.element_count()) to.of_elements(elements_before + i) = from.of_elements(i);
    }
  }
};

OCTILE_IN_LIBRARY template void join_unlabelled(const LibrarySpace&, std::uint32_t,
                                                const Joining<double, LibraryMemory>&);
OCTILE_IN_LIBRARY template void join_unlabelled(const LibrarySpace&, std::uint32_t,
                                                const Joining<float, LibraryMemory>&);

}  // namespace detail

/// Room for the graphs of two sets.
inline Capacity joined_capacity(const Capacity& first, const Capacity& second) {
  return {first.graphs + second.graphs, first.vertices + second.vertices, first.entries + second.entries,
          std::max(first.vertices_of_largest, second.vertices_of_largest)};
}

/// Copies the graphs of two sets to a third, one set behind the other, on `space`: two kernels, no fence, no allocation, nothing read
/// back. Graph g of `second` becomes graph first.size() + g. Where a batch is wrong, so is what they are copied to.
/// `to` has `joined_capacity` or more.
template <class ExecutionSpace, class Scalar, class VertexLabel, class EdgeLabel, class MemorySpace>
void join(const ExecutionSpace& space, const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& first,
          const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& second,
          PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& to) {
  using Prepared = PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
  using Joining = detail::Joining<Scalar, MemorySpace>;
  using Labels = detail::JoinLabels<typename Prepared::Set>;
  to.resize(first.size() + second.size());
  const auto longest = [](const Prepared& graphs) {
    const Capacity& capacity = graphs.capacity();
    return std::max({capacity.graphs, capacity.vertices, capacity.entries}) + 1;
  };
  const auto threads = static_cast<std::uint32_t>(std::max(longest(first), longest(second)));
  using Side = typename Joining::Side;
  detail::join_unlabelled(space, threads,
                          Joining{Side(to), Side(first), Side(second), static_cast<std::uint32_t>(first.size()),
                                  static_cast<std::uint32_t>(second.size())});
  if constexpr (Labels::of_vertices || Prepared::Set::has_edge_labels) {
    using SideOfLabels = typename Labels::Side;
    Kokkos::parallel_for(
        "octile::join_labels",
        without_waiting(Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>(space, 0, threads)),
        Labels{SideOfLabels(to), SideOfLabels(first), SideOfLabels(second)});
  }
}

}  // namespace octile
