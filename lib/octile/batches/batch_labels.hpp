// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/batch_fault.hpp>
#include <octile/batches/batch_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// What of `assign` depends on the types of labels.
namespace octile::detail {

/// Where the labels of a batch go, and what says how many there are.
template <class MemorySpace>
struct LabelPlaces {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  Kokkos::View<std::uint32_t*, MemorySpace> places;  ///< of entries
  Kokkos::View<std::uint32_t*, MemorySpace> across;  ///< of the entries across the diagonal
  Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;
  std::uint32_t graphs;

  /// Whether there is a vertex of this number, in a batch of whose offsets and entries none is wrong. No kernel notes faults beside the one
  /// that asks, and atomic loads of a number by all threads took 0.1 ms.
  KOKKOS_INLINE_FUNCTION bool has_vertex(std::uint32_t v) const {
    return (fault().key >> 56) >= BatchFault::range && v < vertex_begin(graphs);
  }
  /// Whether there is an entry of this number. Such a batch has none where that fails.
  KOKKOS_INLINE_FUNCTION bool has_entry(std::uint32_t e) const { return e < elements(0); }
};

/// Puts the labels of a batch where solvers read them. Thread k takes vertex k and entry k.
template <class Labels, class Set>
struct PackLabels {
  Labels labels;
  Array<typename Set::vertex_label_type, typename Set::memory_space> of_vertices;
  Array<typename Set::edge_label_type, typename Set::memory_space> of_elements;
  LabelPlaces<typename Set::memory_space> to;

  KOKKOS_FUNCTION void operator()(const std::uint32_t k) const {
    if constexpr (Labels::of_vertices) {
      if (to.has_vertex(k)) of_vertices(k) = labels.vertex_label(k);
    }
    if constexpr (Labels::of_edges) {
      if (to.has_entry(k)) of_elements(to.places(k)) = labels.edge_label(k);
    }
  }
};

/// Compares the label of each entry with that across the diagonal.
template <class EdgeLabel, class MemorySpace>
struct CompareLabels {
  Array<EdgeLabel, MemorySpace> of_elements;
  LabelPlaces<MemorySpace> at;

  KOKKOS_FUNCTION void operator()(const std::uint32_t e) const {
    if (!at.has_entry(e)) return;
    // Where a weight vanished nobody looked for the entry across, and its place may be that of a batch before. That fault comes first.
    const std::uint32_t across = at.across(e);
    if (!at.has_entry(across)) return;
    if (!(of_elements(at.places(e)) == of_elements(across))) blame(at.fault, BatchFault::unlike_labels, e);
  }
};

/// Queues `CompareLabels` for as many entries as there may be.
template <class ExecutionSpace, class EdgeLabel, class MemorySpace>
void compare_labels(const ExecutionSpace& space, std::uint32_t entries,
                    const CompareLabels<EdgeLabel, MemorySpace>& compare) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  Kokkos::parallel_for("octile::assign_compared", without_waiting(Policy(space, 0, entries)), compare);
}

OCTILE_IN_LIBRARY template void compare_labels(const LibrarySpace&, std::uint32_t,
                                               const CompareLabels<double, LibraryMemory>&);
OCTILE_IN_LIBRARY template void compare_labels(const LibrarySpace&, std::uint32_t,
                                               const CompareLabels<float, LibraryMemory>&);
OCTILE_IN_LIBRARY template void compare_labels(const LibrarySpace&, std::uint32_t,
                                               const CompareLabels<std::int32_t, LibraryMemory>&);

}  // namespace octile::detail
