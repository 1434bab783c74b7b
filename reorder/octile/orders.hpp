// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace octile::reorder {

/// One way to order the vertices of a graph.
struct Order {
  std::string_view name;         ///< as the caller chooses it
  std::string_view description;  ///< one line
  bool needs_coordinates;        ///< throws `Error`, naming the graph, for a pattern without them
  /// A permutation of the pattern's vertices; equal seeds give equal ones, on any machine.
  Permutation (*make)(const Pattern& pattern, std::uint64_t seed);
};

/// The one list of orders.
std::span<const Order> orders();

/// The order of that name. Throws `Error` that lists the names.
const Order& find_order(std::string_view name);

}  // namespace octile::reorder
