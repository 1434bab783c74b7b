// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <readers/spatial_adjacency.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <utility>

namespace octile::test {

/// An edge of atoms: its distance and its weight.
struct JoinedBy {
  double length;
  double weight;
};

using JoinedPairs = std::map<std::pair<std::int32_t, std::int32_t>, JoinedBy>;

/// The result that `spatial_adjacency` promises, found by checking all pairs.
JoinedPairs all_pairs_joined(std::span<const app::Place> places, const app::SpatialRule& rule);

/// Checks edges and lengths, in any order and direction, against all pairs.
void check_joined(std::span<const Edge> edges, std::span<const double> lengths, const JoinedPairs& expected);

}  // namespace octile::test
