// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/batch_fault.hpp>
#include <octile/graphs/octile.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

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

/// Notes a fault.
template <class Fault>
KOKKOS_INLINE_FUNCTION void blame(const Fault& fault, BatchFault::Kind kind, std::int64_t place) {
  Kokkos::atomic_min(&fault().key, fault_key_of(kind, static_cast<std::size_t>(place)));
}

/// The rows of octiles of a batch, while `assign` packs it: what does not read the batch. Its operators are kernels of `Packing`.
template <class MemorySpace>
struct BatchRows {
  template <class T>
  using List = Kokkos::View<T*, MemorySpace>;
  /// A row for each row of octiles, a column for each column of octiles.
  template <class T>
  using Grid = Kokkos::View<T**, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t, MemorySpace> vertex_begin;      ///< those of the set
  Array<std::uint32_t, MemorySpace> octile_row_begin;  ///< likewise
  Array<std::uint32_t, MemorySpace> octile_begin;      ///< likewise
  List<std::uint32_t> elements;
  Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;
  List<std::uint32_t> graph_of_row;
  List<std::uint32_t> first_element;
  Grid<OctileMask> masks;
  std::int64_t graphs;
  std::uint32_t most_rows;

  KOKKOS_INLINE_FUNCTION void blame(BatchFault::Kind kind, std::int64_t place) const {
    detail::blame(fault, kind, place);
  }
  /// Whether there is no fault of a kind that is checked before `kind`. Faults of the same kind do not stop each
  /// other's checks, so that the first fault is the same from run to run.
  KOKKOS_INLINE_FUNCTION bool sound_before(BatchFault::Kind kind) const {
    return (Kokkos::atomic_load(&fault().key) >> 56) >= static_cast<std::uint64_t>(kind);
  }

  struct Begin {};
  /// Clears the fault.
  KOKKOS_FUNCTION void operator()(Begin, const int) const { fault() = FaultRecord<FaultPlace>(); }

  /// The vertices of an octile row, first … last, and of its graph, begin … end.
  struct Rows {
    std::int64_t begin, end, first, last;
  };
  KOKKOS_INLINE_FUNCTION Rows rows_of(std::uint32_t octile_row) const {
    const std::uint32_t g = graph_of_row(octile_row);
    const std::int64_t begin = vertex_begin(g);
    const std::int64_t end = vertex_begin(g + 1);
    const std::int64_t first = begin + octile_size * std::int64_t(octile_row - octile_row_begin(g));
    return {begin, end, first, Kokkos::min(first + octile_size, end)};
  }
  KOKKOS_INLINE_FUNCTION bool used(std::uint32_t octile_row, BatchFault::Kind looked_for) const {
    return sound_before(looked_for) && octile_row < octile_row_begin(graphs);
  }

  struct Octiles {};
  /// Finds where the octiles and elements of an octile row begin.
  KOKKOS_FUNCTION void operator()(Octiles, const std::uint32_t octile_row, OctileCounts& counts,
                                  const bool final) const {
    if (final) {
      octile_begin(octile_row) = counts.octiles;
      first_element(octile_row) = counts.elements;
    }
    if (used(octile_row, BatchFault::range)) {
      const Rows rows = rows_of(octile_row);
      const int columns = octile_count(static_cast<int>(rows.end - rows.begin));
      for (int c = 0; c < columns; ++c) {
        const OctileMask mask = masks(octile_row, c);
        counts += OctileCounts{mask != 0 ? 1U : 0U, static_cast<std::uint32_t>(octile_population(mask))};
      }
    }
    if (final && octile_row + 1 == most_rows) {
      octile_begin(most_rows) = counts.octiles;
      elements(0) = counts.elements;
    }
  }
};

}  // namespace octile::detail
