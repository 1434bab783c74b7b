// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <octile/block_schedule.hpp>

namespace octile::app::tiles {

/// Rows `row` … and columns `column` … of a matrix, with its number among the tiles.
struct Tile {
  std::size_t number = 0;
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::size_t size() const { return rows * columns; }
};

/// A matrix cut into squares of `edge` rows and columns, row of tiles by row of tiles. Of a symmetric matrix only tiles on the
/// diagonal and above it are counted; those below follow from them.
class Tiling {
 public:
  Tiling(std::size_t rows, std::size_t columns, bool symmetric, std::size_t edge)
      : rows_(rows), columns_(columns), symmetric_(symmetric), edge_(edge) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool symmetric() const { return symmetric_; }
  std::size_t edge() const { return edge_; }
  std::size_t count() const { return symmetric_ ? down() * (down() + 1) / 2 : down() * across(); }

  /// The tile of this number, which is below `count()`.
  Tile tile(std::size_t number) const {
    std::size_t down = 0;
    std::size_t left = number;
    for (; left >= row_length(down); ++down) left -= row_length(down);
    const std::size_t row = down * edge_;
    const std::size_t column = (symmetric_ ? down + left : left) * edge_;
    return {number, row, column, std::min(edge_, rows_ - row), std::min(edge_, columns_ - column)};
  }

  /// Whether its transpose is a part of the matrix too.
  bool has_mirror(const Tile& tile) const { return symmetric_ && tile.row != tile.column; }
  bool on_diagonal(const Tile& tile) const { return symmetric_ && tile.row == tile.column; }

  /// The graphs of a tile. Those of the columns of a matrix that is not symmetric stand behind those of the rows.
  Block block(const Tile& tile, bool own) const {
    const auto range = [](std::size_t begin, std::size_t count) {
      return GraphRange{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(begin + count)};
    };
    return {range(tile.row, tile.rows), range((symmetric_ ? 0 : rows_) + tile.column, tile.columns), own};
  }

 private:
  std::size_t down() const { return (rows_ + edge_ - 1) / edge_; }
  std::size_t across() const { return (columns_ + edge_ - 1) / edge_; }
  std::size_t row_length(std::size_t down) const { return symmetric_ ? across() - down : across(); }

  std::size_t rows_;
  std::size_t columns_;
  bool symmetric_;
  std::size_t edge_;
};

/// The bytes that the results of a tile take for each of its pairs while it is solved, written and checked: results with those of
/// a batch, pairs, values and bounds.
inline constexpr std::size_t bytes_of_place = 2 * sizeof(PairResult) + sizeof(Pair) + 2 * sizeof(double);

/// The edge of tiles that is taken where none is given: 16 tiles along the longer side, so that little is lost when a run ends
/// early, and at most 2,048 graphs; fewer where a tile would take more than `memory` bytes. 0 where even one row does.
std::size_t choose_edge(std::size_t rows, std::size_t columns, std::size_t memory);

}  // namespace octile::app::tiles
