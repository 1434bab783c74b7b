// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>
#include <octile/tile_objective.hpp>

#include <cstdint>
#include <span>

namespace octile::reorder {

/// The work and the temperatures of annealing. Work is counted in proposals and not in seconds, so that equal seeds
/// give equal orders on any machine.
struct AnnealOptions {
  std::int64_t proposals_per_vertex = 1500;
  double first_temperature = 0.4;  ///< in costs of a tile of one element
  double last_temperature = 0.19;
  TileCost cost{};
};

/// Whether a graph of so many vertices can be annealed: the tables of `TileSwaps` grow with n².
constexpr bool can_anneal(std::int32_t vertices) { return vertices <= 16384; }

/// Simulated annealing on the tiles themselves: pairs of vertices are swapped, most of them such that a vertex comes
/// to its neighbours or to their neighbours. A swap that raises the cost is accepted with a probability that falls with
/// the temperature. Returns the order with the fewest non-empty tiles (of equal ones the lower total cost) of all that
/// were visited, `start` included. Ends early if no order can have fewer. Deterministic for a seed.
VertexOrder anneal_order(const Pattern& pattern, std::span<const std::int32_t> start, std::uint64_t seed,
                         const AnnealOptions& options = {});

}  // namespace octile::reorder
