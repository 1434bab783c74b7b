// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace octile::reorder {

/// The orders that there are, for callers to choose one.
enum class OrderId : std::int32_t {
  natural,    ///< as the graphs are given
  rcm,        ///< reverse Cuthill-McKee
  tsp,        ///< a short tour over the rows
  morton,     ///< along the Morton curve
  hilbert,    ///< along the Hilbert curve
  pbr,        ///< partition-based
  swaps,      ///< PBR or RCM, then swaps of vertices
  automatic,  ///< swaps where that pays, natural elsewhere
};

/// One way to order the vertices of a graph.
struct Order {
  OrderId id;
  std::string_view name;         ///< as it is chosen on the command line
  std::string_view description;  ///< one line
  bool needs_coordinates;        ///< throws `Error`, naming the graph, for a pattern without them
  /// A permutation of the pattern's vertices; equal seeds give equal ones, on any machine.
  VertexOrder (*make)(const Pattern& pattern, std::uint64_t seed);
};

/// The one list of orders.
std::span<const Order> orders();

/// The entry of an order.
const Order& find_order(OrderId id);

/// The order of that name. Throws `Error` that lists the names.
OrderId parse_order(std::string_view name);

}  // namespace octile::reorder
