// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/hypergraph.hpp>
#include <octile/random.hpp>

#include <cstdint>
#include <vector>

namespace octile::reorder {

/// The work to spend on a bipartition.
struct BipartitionEffort {
  int starts = 8;   ///< random vertices from which parts are grown and refined; the best result is taken
  int passes = 12;  ///< the most refinement passes for each
};

/// Splits a hypergraph into two parts of exactly `left` and n − left vertices, such that the nets with vertices in both
/// have a low total cost. Parts are grown greedily from random vertices, then refined by the passes of Fiduccia and
/// Mattheyses (1982): every vertex moves once, best gain first, and the best balanced state of the pass is kept.
/// Returns the part of each vertex, 0 (left) or 1. 0 ≤ left ≤ n.
std::vector<std::uint8_t> bipartition(const Hypergraph& hypergraph, std::int32_t left, Random& random,
                                      const BipartitionEffort& effort = {});

/// The total cost of the nets that have vertices in both parts.
std::int64_t cut_cost(const Hypergraph& hypergraph, const std::vector<std::uint8_t>& part);

}  // namespace octile::reorder
