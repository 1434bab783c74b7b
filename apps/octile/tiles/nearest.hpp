// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// A column of a row, with its value and the bound of its relative error.
struct Neighbour {
  std::size_t column = 0;
  double value = 0;
  double error = 0;
};

/// The columns of the largest values of each row, taken from tiles in any order: what sorting whole rows gives. Of equal values that of the
/// smaller column comes first; what is not a number comes last. In a symmetric matrix a row is no neighbour of itself.
class Nearest {
 public:
  /// Keeps up to `most` columns of each row.
  Nearest(const Tiling& tiling, std::size_t most);

  /// The bytes that so many take.
  static std::size_t bytes(const Tiling& tiling, std::size_t most);

  void add(const Tile& tile, const TileValues& formed);
  /// Adds one value, of a row and a column by their numbers.
  void add(std::size_t row, std::size_t column, double value, double error);

  /// Whether there is such a row and column, of two graphs.
  bool takes(std::size_t row, std::size_t column) const;
  /// Gives a row a neighbour that it had before.
  void restore(std::size_t row, const Neighbour& neighbour) { offer(row, neighbour); }
  /// Calls `visit(row, neighbour)` for all of the neighbours so far that are from this tile or its mirror image.
  template <class Visit>
  void visit(const Tile& tile, const Visit& visit) const {
    const auto among = [this, &visit](std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
      for (std::size_t i = row; i < row + rows; ++i) {
        for (const Neighbour& one : rows_[i]) {
          if (one.column >= column && one.column < column + columns) visit(i, one);
        }
      }
    };
    among(tile.row, tile.rows, tile.column, tile.columns);
    if (tiling_.has_mirror(tile)) among(tile.column, tile.columns, tile.row, tile.rows);
  }

  std::size_t rows() const { return rows_.size(); }
  /// The number of tiles of the matrix.
  std::size_t tiles() const { return tiling_.count(); }
  /// Nearest first.
  std::vector<Neighbour> of(std::size_t row) const;

 private:
  static bool before(const Neighbour& one, const Neighbour& other);
  void offer(std::size_t row, const Neighbour& neighbour);

  Tiling tiling_;
  std::size_t most_;
  std::vector<std::vector<Neighbour>> rows_;  ///< heaps, the farthest on top
};

}  // namespace octile::app
