// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/launch.hpp>
#include <octile/octile_set.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile {
namespace detail {

/// Copies two sets one behind the other. Thread i takes number i of each array that has one. How long the first set's arrays are is
/// read on the device.
template <class Prepared>
struct Joining {
  using Set = typename Prepared::Set;
  using Rows = typename Prepared::Rows;
  using MemorySpace = typename Set::memory_space;

  /// A set as it is read or written.
  struct Side {
    Set set;
    Rows rows;
    Kokkos::View<std::uint32_t*, MemorySpace> elements;
    Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;
    Kokkos::View<double*, MemorySpace> largest;

    explicit Side(const Prepared& graphs)
        : set(graphs.set()),
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
      // Of a wrong batch no graph has a vertex.
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
      if constexpr (Set::has_edge_labels) to.set.edge_labels(at) = set.edge_labels(i);
      to.rows.columns(at) = from.rows.columns(i);
      to.rows.places(at) = before.elements + from.rows.places(i);
      to.rows.across(at) = before.elements + from.rows.across(i);
    }
    if (i < length.vertices) {
      const std::uint32_t at = before.vertices + i;
      to.set.degrees(at) = set.degrees(i);
      to.set.starting(at) = set.starting(i);
      to.set.vertex_labels(at) = set.vertex_labels(i);
      to.rows.begin(at) = before.elements + from.rows.begin(i);
    }
  }
};

}  // namespace detail

/// Room for the graphs of two sets.
inline Capacity joined_capacity(const Capacity& first, const Capacity& second) {
  return {first.graphs + second.graphs, first.vertices + second.vertices, first.entries + second.entries,
          std::max(first.vertices_of_largest, second.vertices_of_largest)};
}

/// Copies the graphs of two sets to a third, one set behind the other, on `space`: one kernel, no fence, no allocation, nothing read
/// back. Graph g of `second` becomes graph first.size() + g. Where a batch is wrong, so is what they are copied to.
/// `to` has `joined_capacity` or more.
template <class ExecutionSpace, class Scalar, class VertexLabel, class EdgeLabel, class MemorySpace>
void join(const ExecutionSpace& space, const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& first,
          const PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& second,
          PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>& to) {
  using Prepared = PreparedGraphs<Scalar, VertexLabel, EdgeLabel, MemorySpace>;
  using Joining = detail::Joining<Prepared>;
  to.resize(first.size() + second.size());
  const auto longest = [](const Prepared& graphs) {
    const Capacity& capacity = graphs.capacity();
    return std::max({capacity.graphs, capacity.vertices, capacity.entries}) + 1;
  };
  const auto threads = static_cast<std::uint32_t>(std::max(longest(first), longest(second)));
  Kokkos::parallel_for(
      "octile::join",
      without_waiting(Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>(space, 0, threads)),
      Joining{typename Joining::Side(to), typename Joining::Side(first), typename Joining::Side(second),
              static_cast<std::uint32_t>(first.size()), static_cast<std::uint32_t>(second.size())});
}

}  // namespace octile
