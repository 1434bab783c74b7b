// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_size.hpp>
#include <octile/pattern.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

// What an order is judged by: the non-empty octiles of the reordered matrix, both triangles of it, and how full they
// are. Those who minimise it are elsewhere.
namespace octile::reorder {

/// Rows of octiles that cover `vertices` rows; the last may be short.
constexpr std::int32_t tile_rows(std::int32_t vertices) { return (vertices + octile_size - 1) / octile_size; }

/// The row of octiles that the k-th vertex of an order falls into.
constexpr std::int32_t tile_row_of(std::int32_t place) { return place / octile_size; }

/// Vertices of a row of octiles: 8, but for the last.
constexpr std::int32_t tile_row_size(std::int32_t row, std::int32_t vertices) {
  return std::min(octile_size, vertices - row * octile_size);
}

/// What a tile costs by its population p, a concave function that is 0 for an empty one:
///
///     cost(p) = Σ_k weight[k] · min(p, 2^k)          in 64ths of an octile
///
/// With the first weight alone, non-empty tiles are counted. With the others a full tile costs more than a nearly empty
/// one,
/// but less than several: two tiles of 8 cost more than one of 15 and one of 1. This is similar to the cost of products of
/// octiles (sparse × sparse grows with the population), and it guides a search where the plain count does not change.
struct TileCost {
  std::array<std::int16_t, 4> weight{64, 19, 13, 6};

  constexpr std::int16_t operator()(std::int16_t population) const {
    const auto up_to = [population](int most) {
      return static_cast<std::int16_t>(std::min<std::int16_t>(population, static_cast<std::int16_t>(most)));
    };
    return static_cast<std::int16_t>(weight[0] * up_to(1) + weight[1] * up_to(2) + weight[2] * up_to(4) +
                                     weight[3] * up_to(8));
  }
};

/// The octiles of a matrix by population.
struct TileCounts {
  std::int64_t tiles = 0;                                     ///< non-empty
  std::int64_t elements = 0;                                  ///< non-zero, of both triangles
  std::int64_t places = 0;                                    ///< octiles of the whole matrix, empty or not
  std::array<std::int64_t, octile_area + 1> of_population{};  ///< tiles with p elements; [0] is left 0

  /// Elements that are non-zero in a non-empty tile on average, in [0, 1]; 0 without tiles.
  double fill() const {
    return tiles == 0 ? 0 : static_cast<double>(elements) / static_cast<double>(octile_area * tiles);
  }
  TileCounts& operator+=(const TileCounts& other);
};

/// The tiles of a pattern in an order. Linear in its non-zero elements.
TileCounts count_tiles(const Pattern& pattern, std::span<const std::int32_t> order);

/// Non-empty tiles that no order can do without: room for all elements, 56 in a tile on the diagonal and 64 elsewhere;
/// and since the parts that a connected component falls into are connected by tiles, a pair of tiles for each part of
/// it but one.
std::int64_t fewest_tiles(const Pattern& pattern);

/// What these tiles cost together, in 64ths of an octile.
std::int64_t total_cost(const TileCounts& counts, const TileCost& cost);

}  // namespace octile::reorder
