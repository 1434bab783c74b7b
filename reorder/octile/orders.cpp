// SPDX-License-Identifier: BSD-3-Clause
#include <octile/orders.hpp>

#include <octile/curves.hpp>
#include <octile/error.hpp>
#include <octile/pbr.hpp>
#include <octile/rcm.hpp>
#include <octile/swaps.hpp>
#include <octile/tsp.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace octile::reorder {
namespace {

VertexOrder make_natural(const Pattern& pattern, std::uint64_t) { return natural_order(pattern.vertex_count()); }
VertexOrder make_rcm(const Pattern& pattern, std::uint64_t) { return rcm_order(pattern); }
VertexOrder make_tsp(const Pattern& pattern, std::uint64_t) { return tsp_order(pattern); }
VertexOrder make_morton(const Pattern& pattern, std::uint64_t) { return morton_order(pattern); }
VertexOrder make_hilbert(const Pattern& pattern, std::uint64_t) { return hilbert_order(pattern); }
VertexOrder make_pbr(const Pattern& pattern, std::uint64_t seed) { return pbr_order(pattern, seed); }
VertexOrder make_swaps(const Pattern& pattern, std::uint64_t seed) { return swaps_order(pattern, seed); }

// clang-format off
constexpr std::array list{
    Order{OrderId::natural, "natural", "as the graphs are given",                                                     false, make_natural},
    Order{OrderId::rcm, "rcm",     "reverse Cuthill-McKee, Boost Graph's: a narrow band",                         false, make_rcm},
    Order{OrderId::tsp, "tsp",     "a short tour over the rows: rows that touch the same octiles come together",  false, make_tsp},
    Order{OrderId::morton, "morton",  "along the Morton curve; needs coordinates",                                   true,  make_morton},
    Order{OrderId::hilbert, "hilbert", "along the Hilbert curve; needs coordinates",                                  true,  make_hilbert},
    Order{OrderId::pbr, "pbr",     "partition-based: recursive hypergraph bipartitions into parts of 8 vertices", false, make_pbr},
    Order{OrderId::swaps, "swaps",   "PBR or RCM, then swaps of vertices on the number of octiles itself",          false, make_swaps},
    Order{OrderId::automatic, "auto",    "swaps for a graph that gets fewer octiles by it, natural for any other",      false, make_swaps},
};
// clang-format on

}  // namespace

std::span<const Order> orders() { return list; }

const Order& find_order(OrderId id) { return *std::ranges::find(list, id, &Order::id); }

OrderId parse_order(std::string_view name) {
  const auto found = std::ranges::find(list, name, &Order::name);
  if (found != list.end()) return found->id;
  std::string known;
  for (const Order& order : list) known += (known.empty() ? "" : ", ") + std::string(order.name);
  throw Error("order '" + std::string(name) + "' is unknown; allowed are " + known);
}

}  // namespace octile::reorder
