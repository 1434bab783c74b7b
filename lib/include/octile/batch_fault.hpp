// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace octile {

/// Where a fault is, and what is wrong there. Graphs, vertices and entries are numbered as in the batch.
struct FaultPlace {
  std::size_t graph = 0;   ///< the graph, from 0
  std::size_t vertex = 0;  ///< unless the fault is one of a whole graph
  std::size_t entry = 0;   ///< where it is one of an entry
  double value = 0;        ///< the number that is wrong there; which one, the kind of the fault says
};

/// The first fault of a batch.
struct BatchFault : FaultPlace {
  /// The kinds of faults, in the order in which they are checked.
  enum Kind : std::uint32_t {
    first_graph,    ///< the offsets of graphs do not begin at 0; `value` is the first
    graph_size,     ///< at a graph: it has no vertex, or more than there is room for; `value` is how many it has
    first_row,      ///< the offsets of rows do not begin at 0; `value` is the first
    row_size,       ///< at a vertex: its row ends before it begins, or beyond the entries; `value` is where it ends
    column,         ///< at an entry: its column is no vertex of its graph, or is the row's own; `value` is the column
    twice,          ///< at an entry: it occurs twice in its row; `value` is the column
    weight,         ///< at an entry: its weight is not a finite number > 0; `value` is the weight
    range,          ///< at an entry: its weight vanishes beside the largest of its graph; `value` is the weight
    one_sided,      ///< at an entry (i, j): (j, i) is missing, or has another weight; `value` is the weight
    unlike_labels,  ///< at an entry (i, j): (j, i) has another label, or the label is NaN; `value` is the column
  };
  Kind kind = graph_size;  ///< what is wrong
  std::size_t place = 0;   ///< number of the graph, vertex or entry
  /// What there is room for: vertices of one graph, vertices and entries of all. 0 where it is not known.
  std::size_t vertices_of_largest = 0;
  std::size_t vertices = 0;  ///< by the capacity, and in the Views of the batch
  std::size_t entries = 0;   ///< likewise

  /// What was allowed, such as "a weight is a finite number > 0".
  static constexpr std::string_view allowed(Kind kind) {
    switch (kind) {
      case first_graph: return "the offsets of graphs begin at 0";
      case graph_size: return "a graph has at least one vertex, and no more than the capacity; offsets rise";
      case first_row: return "the offsets of rows begin at 0";
      case row_size: return "row offsets rise, and end within the entries and the capacity";
      case column: return "a column is another vertex of the same graph, numbered through all graphs";
      case twice: return "an entry stands once in its row";
      case weight: return "a weight is a finite number > 0";
      case range: return "beside the largest weight of its graph a weight does not vanish in this precision";
      case one_sided: return "(i, j) and (j, i) are both there, with the same weight";
      case unlike_labels: return "(i, j) and (j, i) have the same label, which is not NaN";
    }
    return "";
  }

  /// One line: the place, the value and what was allowed.
  std::string message() const;
};

namespace detail {

/// A fault as one number, of which the smallest is the first: kind, then place.
template <class Kind>
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t fault_key_of(Kind kind, std::size_t place) {
  return (static_cast<std::uint64_t>(kind) << 56) | static_cast<std::uint64_t>(place);
}
inline constexpr std::uint64_t no_fault = ~std::uint64_t(0);

/// The place in a key.
KOKKOS_INLINE_FUNCTION constexpr std::size_t place_of_key(std::uint64_t key) {
  return static_cast<std::size_t>(key & ((std::uint64_t(1) << 56) - 1));
}

/// What the device writes down: threads agree on the smallest key, and one of them adds where that is.
template <class Place>
struct FaultRecord {
  std::uint64_t key = no_fault;
  Place where;
};

/// The fault in a View of 1 record, if there is one. Fences `space`.
template <class Fault, class ExecutionSpace, class View>
std::optional<Fault> fault_of(const ExecutionSpace& space, const View& record) {
  const auto found = to_host(space, "fault", record)();
  if (found.key == no_fault) return std::nullopt;
  Fault fault;
  static_cast<std::remove_const_t<decltype(found.where)>&>(fault) = found.where;
  fault.kind = static_cast<typename Fault::Kind>(found.key >> 56);
  fault.place = place_of_key(found.key);
  return fault;
}

/// A number in a message.
inline std::string shown(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.9g", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// The last of `count` + 1 offsets, from the first on, that is not above `place`: in which graph a vertex is, or in which row an entry.
template <class Begin>
KOKKOS_FUNCTION std::size_t holder_of(std::size_t count, std::size_t place, const Begin& begin) {
  std::size_t least = 0;
  std::size_t above = count;
  while (least + 1 < above) {
    const std::size_t middle = least + (above - least) / 2;
    if (static_cast<std::size_t>(begin(middle)) <= place) {
      least = middle;
    } else {
      above = middle;
    }
  }
  return least;
}

}  // namespace detail

}  // namespace octile
