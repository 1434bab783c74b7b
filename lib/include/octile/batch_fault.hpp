// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace octile {

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

}  // namespace detail
}  // namespace octile
