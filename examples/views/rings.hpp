// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph_batch.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>

// Graphs for the examples beside this file: rings of 4 … 7 atoms with bonds that differ in order and length, in Views on the device.

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

struct Bond {
  int order;
  float length;
};

struct Rings {
  static constexpr int least_atoms = 4;
  static constexpr int sizes = 4;

  int graphs;
  int vertices = first_atom(graphs);
  Kokkos::View<int*, Memory> graph_offsets{"graph_offsets", std::size_t(graphs) + 1};
  Kokkos::View<int*, Memory> row_offsets{"row_offsets", std::size_t(vertices) + 1};
  Kokkos::View<int*, Memory> columns{"columns", 2 * std::size_t(vertices)};
  Kokkos::View<Bond*, Memory> bonds{"bonds", 2 * std::size_t(vertices)};
  Kokkos::View<int*, Memory> elements{"elements", std::size_t(vertices)};

  KOKKOS_INLINE_FUNCTION static int atoms(int ring) { return least_atoms + ring % sizes; }
  KOKKOS_INLINE_FUNCTION static int first_atom(int ring) {
    int first = 0;
    for (int before = 0; before < ring; ++before) first += atoms(before);
    return first;
  }

  /// The Views as Octile takes them. Nothing is copied.
  auto batch() const {
    return octile::GraphBatch(graph_offsets, row_offsets, columns).vertex_labels(elements).edge_labels(bonds);
  }
  octile::Capacity capacity() const {
    return {std::size_t(graphs), std::size_t(vertices), 2 * std::size_t(vertices), least_atoms + sizes - 1};
  }
};

/// Writes the rings as they are at a step, on the device. Bond k of a ring joins its atoms k and k + 1.
inline void move(const Space& space, const Rings& rings, int step) {
  Kokkos::parallel_for(
      "move", Kokkos::RangePolicy<Space>(space, 0, rings.graphs), KOKKOS_LAMBDA(const int ring) {
        const int atoms = Rings::atoms(ring);
        const int first = Rings::first_atom(ring);
        if (ring == 0) rings.graph_offsets(0) = rings.row_offsets(0) = 0;
        rings.graph_offsets(ring + 1) = first + atoms;
        for (int i = 0; i < atoms; ++i) {
          rings.elements(first + i) = (i + ring) % 3 == 0 ? 7 : 6;
          rings.row_offsets(first + i + 1) = 2 * (first + i + 1);
          const int neighbours[2] = {(i + atoms - 1) % atoms, (i + 1) % atoms};
          const int bonds[2] = {neighbours[0], i};
          for (int side = 0; side < 2; ++side) {
            const int k = bonds[side];
            const int entry = 2 * (first + i) + side;
            rings.columns(entry) = first + neighbours[side];
            rings.bonds(entry) = {
                1 + k % 2, 1.5F - 0.2F * static_cast<float>(k % 2) + 0.01F * static_cast<float>((k + ring + step) % 7)};
          }
        }
      });
}

/// Rings as they are at step 0.
inline Rings rings_at_start(const Space& space, int graphs) {
  Rings rings{graphs};
  move(space, rings, 0);
  return rings;
}

/// Two instances that work side by side. Where there is one thread alone, they take turns.
template <class ExecutionSpace>
std::array<ExecutionSpace, 2> two_instances(const ExecutionSpace& whole) {
  if (whole.concurrency() < 2) return {whole, whole};
  return Kokkos::Experimental::partition_space(whole, 1, 1);
}
