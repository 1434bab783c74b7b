// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/hypergraph.hpp>
#include <octile/random.hpp>

#include <cstdint>
#include <vector>

namespace octile::reorder {

/// How much work a bipartition is worth.
struct BipartitionEffort {
  int starts = 8;   ///< parts grown from as many random vertices, each refined; the best is taken
  int passes = 12;  ///< most passes of refinement of one of them
};

/// Two parts of a hypergraph, of exactly `left` and n − left vertices, so that nets with vertices in both cost little
/// together (`net.cost` each): parts grown greedily from random vertices, then refined by the passes of Fiduccia and
/// Mattheyses (1982), in which every vertex moves once, best gain first, and the best balanced state on the way stays.
/// Gives the part of each vertex, 0 (left) or 1. 0 ≤ left ≤ n.
std::vector<std::uint8_t> bipartition(const Hypergraph& hypergraph, std::int32_t left, Random& random,
                                      const BipartitionEffort& effort = {});

/// What the nets cost together that have vertices in both parts.
std::int64_t cut_cost(const Hypergraph& hypergraph, const std::vector<std::uint8_t>& part);

}  // namespace octile::reorder
