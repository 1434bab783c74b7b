// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/curves.hpp>
#include <octile/pattern.hpp>
#include <octile/pbr.hpp>
#include <octile/rcm.hpp>
#include <octile/swaps.hpp>
#include <octile/tsp.hpp>

#include <array>
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
  automatic,  ///< `swaps` if that pays, else `natural`
};

/// One way to order the vertices of a graph.
struct Order {
  OrderId id;                    ///< which one; `automatic` is one too
  std::string_view name;         ///< as it is chosen on the command line
  std::string_view description;  ///< one line
  bool needs_coordinates;        ///< throws `Error`, naming the graph, for a pattern without them
  /// A permutation of the pattern's vertices; equal seeds give equal ones, on any machine.
  VertexOrder (*make)(const Pattern& pattern, std::uint64_t seed);
};

/// The one list of orders. A new one is a source file and its name in CMakeLists.txt, and here its declaration, its
/// name above and its line.
inline constexpr std::array all_orders{
    Order{OrderId::natural, "natural", "as the graphs are given", false,
          [](const Pattern& pattern, std::uint64_t) { return natural_order(pattern.vertex_count()); }},
    Order{OrderId::rcm, "rcm", "reverse Cuthill-McKee, Boost Graph's: a narrow band", false,
          [](const Pattern& pattern, std::uint64_t) { return rcm_order(pattern); }},
    Order{OrderId::tsp, "tsp", "a short tour over the rows: rows that touch the same octiles come together", false,
          [](const Pattern& pattern, std::uint64_t) { return tsp_order(pattern); }},
    Order{OrderId::morton, "morton", "along the Morton curve; needs coordinates", true,
          [](const Pattern& pattern, std::uint64_t) { return morton_order(pattern); }},
    Order{OrderId::hilbert, "hilbert", "along the Hilbert curve; needs coordinates", true,
          [](const Pattern& pattern, std::uint64_t) { return hilbert_order(pattern); }},
    Order{OrderId::pbr, "pbr", "partition-based: recursive hypergraph bipartitions into parts of 8 vertices", false,
          [](const Pattern& pattern, std::uint64_t seed) { return pbr_order(pattern, seed); }},
    Order{OrderId::swaps, "swaps", "PBR or RCM, then swaps of vertices on the number of octiles itself", false,
          [](const Pattern& pattern, std::uint64_t seed) { return swaps_order(pattern, seed); }},
    Order{OrderId::automatic, "auto", "swaps for a graph that gets fewer octiles by it, natural for any other", false,
          [](const Pattern& pattern, std::uint64_t seed) { return swaps_order(pattern, seed); }},
};

/// The list of orders as a span.
std::span<const Order> orders();

/// The entry of an order.
const Order& find_order(OrderId id);

/// The order of that name. Throws `Error` that lists the names.
OrderId parse_order(std::string_view name);

}  // namespace octile::reorder
