// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/cuda/layout/deal_lanes.hpp>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/kernels/leaf_product.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::cuda {

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

/// Writes the labels of edges: a team a graph. `read(label, stored)` stores what κe reads of a label, and says whether that is all of it;
/// `read.beside(label)` is told a label of the batch before, the same for all graphs.
/// A graph with a label that it cannot store is marked as one without edges, which native kernels leave out.
template <class ExecutionSpace, class Labels, class Read>
struct WriteLabels {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  Labels labels;  ///< of each packed element
  LabelPlaces<ExecutionSpace> to;
  Read read_label;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const DealLanes<ExecutionSpace>& dealt = to.dealt;
    const auto g = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t first = dealt.vertex_begin(g);
    const std::uint32_t n = dealt.vertices_of(g);
    const std::uint32_t entry = dealt.entry_begin(first);
    // Padding has the label of an edge of the graph: for another label κe need not be a number.
    typename Read::Stored of_padding{};
    const bool has_entries = dealt.entry_begin(first + n) > entry;
    const Read read = has_entries ? read_label.beside(labels(to.places(0))) : read_label;
    if (has_entries) read(labels(to.places(entry)), of_padding);
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
  /// Writes a stored label. Of `NumberAndCode` it writes the number alone where labels have no code.
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

}  // namespace octile::cuda
