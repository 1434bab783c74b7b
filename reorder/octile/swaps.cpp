// SPDX-License-Identifier: BSD-3-Clause
#include <octile/swaps.hpp>

#include <octile/pbr.hpp>
#include <octile/rcm.hpp>
#include <octile/tile_objective.hpp>

#include <utility>

namespace octile::reorder {
namespace {

/// Starts of PBR. Few, since further time is better spent on swaps.
constexpr int starts_of_pbr = 3;

}  // namespace

VertexOrder swaps_order(const Pattern& pattern, std::uint64_t seed, const AnnealOptions& options) {
  VertexOrder natural = natural_order(pattern.vertex_count());
  const std::int64_t natural_tiles = count_tiles(pattern, natural).tiles;
  if (natural_tiles <= fewest_tiles(pattern)) return natural;

  PbrOptions quick;
  quick.effort.starts = starts_of_pbr;
  VertexOrder best = pbr_order(pattern, seed, quick);
  VertexOrder other = rcm_order(pattern);
  if (total_cost(count_tiles(pattern, other), options.cost) < total_cost(count_tiles(pattern, best), options.cost)) {
    best = std::move(other);
  }
  if (can_anneal(pattern.vertex_count())) best = anneal_order(pattern, best, seed, options);
  if (count_tiles(pattern, best).tiles < natural_tiles) return best;
  return natural;
}

}  // namespace octile::reorder
