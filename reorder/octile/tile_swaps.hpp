// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>
#include <octile/tile_objective.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::reorder {

/// An order of a pattern in which pairs of vertices can be swapped, with the effect of a swap on the tiles, found
/// without counting them again. Let a_uc be the number of neighbours of u in row of octiles c, and p_ac the population
/// of tile (a, c). A swap of u in row a and v in row b changes p_ac and p_bc, for every other row c, to
///
///     p_ac − a_uc + a_vc     and     p_bc + a_uc − a_vc
///
/// So the effect of a swap follows from four rows of ⌈n/8⌉ small numbers. An order takes n·⌈n/8⌉ × 2 bytes.
class TileSwaps {
 public:
  TileSwaps(const Pattern& pattern, const TileCost& cost);

  /// Starts from an order of the pattern.
  void assign(std::span<const std::int32_t> order);

  const VertexOrder& order() const { return order_; }
  /// Non-empty tiles of both triangles.
  std::int64_t tiles() const { return tiles_; }
  std::int32_t row_of(std::int32_t vertex) const { return tile_row_of(place_[static_cast<std::size_t>(vertex)]); }

  /// The change of the total cost of all tiles if u and v, of different rows of octiles, were swapped.
  std::int32_t cost_change(std::int32_t u, std::int32_t v) const;
  /// Swaps u and v, which must be of different rows of octiles.
  void swap(std::int32_t u, std::int32_t v);

 private:
  using Count = std::int16_t;

  /// The populations after a swap of the three tiles that are in rows and columns a and b.
  struct Crossing {
    Count first;   // (a, a)
    Count second;  // (b, b)
    Count both;    // (a, b)
  };

  const Count* neighbours_in(std::int32_t vertex) const {
    return &neighbours_[static_cast<std::size_t>(vertex) * stride_];
  }
  Count* neighbours_in(std::int32_t vertex) { return &neighbours_[static_cast<std::size_t>(vertex) * stride_]; }
  const Count* row(std::int32_t index) const { return &population_[static_cast<std::size_t>(index) * stride_]; }
  Count* row(std::int32_t index) { return &population_[static_cast<std::size_t>(index) * stride_]; }
  Crossing crossing(std::int32_t u, std::int32_t v) const;
  bool adjacent(std::int32_t u, std::int32_t v) const;

  const Pattern* pattern_;
  TileCost cost_;
  std::size_t stride_;             // ⌈n/8⌉ rounded up, so that loops over a row have no remainder
  std::vector<Count> neighbours_;  // n × stride: a_uc
  std::vector<Count> population_;  // ⌈n/8⌉ × stride: p_ac, of the full matrix
  VertexOrder order_;
  std::vector<std::int32_t> place_;  // the position of each vertex in the order
  std::int64_t tiles_ = 0;
};

}  // namespace octile::reorder
