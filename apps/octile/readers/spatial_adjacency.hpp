// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// A position in Å.
using Place = std::array<double, 3>;

/// The rule that joins places in space: two at a distance r < cutoff are joined with the weight
/// (1 - r / cutoff)^decay, which falls from 1 to 0 at the cutoff (or is always 1 if the decay is 0).
struct SpatialRule {
  double cutoff = 4.0;  ///< Å; finite, > 0
  double decay = 2.0;   ///< finite, >= 0
};

struct SpatialAdjacency {
  std::vector<Edge> edges;      ///< each once, i < j, in no particular order
  std::vector<double> lengths;  ///< Å, one an edge
};

/// The largest coordinate, and the most edges, that `spatial_adjacency` takes.
inline constexpr double largest_coordinate = 1e9;
inline constexpr std::size_t most_spatial_edges = std::size_t{1} << 25U;

/// Joins places by a rule, in a time linear in the numbers of places and edges. Places that coincide are joined
/// with weight 1 and length 0. Throws `Error` that names the place, the value and what is allowed, for a
/// coordinate that is not finite or is beyond `largest_coordinate`, and for more edges than `most_spatial_edges`.
SpatialAdjacency spatial_adjacency(std::span<const Place> places, const SpatialRule& rule);

}  // namespace octile::app
