// SPDX-License-Identifier: BSD-3-Clause
#include "apps/spatial_oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "common/tolerances.hpp"

namespace octile::test {

JoinedPairs all_pairs_joined(std::span<const app::Place> places, const app::SpatialRule& rule) {
  JoinedPairs joined;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      const double length =
          std::hypot(places[i][0] - places[j][0], places[i][1] - places[j][1], places[i][2] - places[j][2]);
      if (length >= rule.cutoff) continue;
      const std::pair<std::int32_t, std::int32_t> pair(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
      joined[pair] = {length, std::pow(1 - length / rule.cutoff, rule.decay)};
    }
  }
  return joined;
}

void check_joined(std::span<const Edge> edges, std::span<const double> lengths, const JoinedPairs& expected) {
  REQUIRE(edges.size() == lengths.size());
  CHECK(edges.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto found = expected.find(std::minmax(edges[k].i, edges[k].j));
    const bool right = found != expected.end() &&
                       std::abs(lengths[k] - found->second.length) <= tolerance::roundings * found->second.length &&
                       std::abs(edges[k].weight - found->second.weight) <= tolerance::roundings;
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace octile::test
