// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace octile {

/// Columns of vectors that a tile is multiplied with at a time: 1, 2, 4 or 8. So many are taken of `columns` that are left.
constexpr std::size_t columns_at_once(std::size_t columns) {
  if (columns > 4) return 8;
  return columns > 2 ? 4 : columns;
}

/// Rows and columns of a tile K of a symmetric matrix, and V of as many rows each: `width` numbers a row, as `columns_at_once` says.
struct TileOperands {
  std::size_t rows;
  std::size_t columns;
  std::size_t width;
  const double* of_rows;       ///< V of the graphs of the rows
  const double* of_columns;    ///< V of those of the columns
  double* product_of_rows;     ///< to which K · `of_columns` is added
  double* product_of_columns;  ///< to which Kᵀ · `of_rows` is added; null for a tile on the diagonal
};

/// Adds the products of a tile, rows × columns values row major, in double and by vectors of the processor at hand.
void add_tile_products(const double* values, const TileOperands& operands);
void add_tile_products(const float* values, const TileOperands& operands);

}  // namespace octile
