// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// Where something is, in Å.
using Place = std::array<double, 3>;

/// Which of the places in space are joined, and how strongly: two at a distance r < cutoff, with the weight
/// (1 - r / cutoff)^decay, which falls from 1 to nothing at the cutoff (or, with the decay 0, is 1 all the way).
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

/// Joins places by a rule, in a time that grows as their number and that of the edges. Places that coincide are joined
/// with the weight 1 and the length 0. Throws `Error` that names the place, the value and what is allowed, for a
/// coordinate that is not finite or is beyond `largest_coordinate`, and for more edges than `most_spatial_edges`.
SpatialAdjacency spatial_adjacency(std::span<const Place> places, const SpatialRule& rule);

}  // namespace octile::app
