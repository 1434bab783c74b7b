// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <octile/pairs/block.hpp>

namespace octile::app {

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
/// diagonal and above it are counted; those below follow from them. No tile goes across `cut`, rows of a symmetric matrix that
/// are there already: a new row of squares begins behind them.
class Tiling {
 public:
  Tiling(std::size_t rows, std::size_t columns, bool symmetric, std::size_t edge, std::size_t cut = 0)
      : rows_(rows), columns_(columns), symmetric_(symmetric), edge_(edge), cut_(cut) {}

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
    const auto [row, rows] = range(down, rows_);
    const auto [column, columns] = range(symmetric_ ? down + left : left, columns_);
    return {number, row, column, rows, columns};
  }

  /// Whether all of a tile is there already.
  bool before_cut(const Tile& tile) const { return tile.column + tile.columns <= cut_; }

  /// Whether the transpose of a tile is a part of the matrix, too.
  bool has_mirror(const Tile& tile) const { return symmetric_ && tile.row != tile.column; }
  bool on_diagonal(const Tile& tile) const { return symmetric_ && tile.row == tile.column; }

  /// The graphs of a tile. Those of the columns of a matrix that is not symmetric stand behind those of the rows.
  Block block(const Tile& tile, bool own) const {
    const auto graphs = [](std::size_t begin, std::size_t count) {
      return GraphRange{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(begin + count)};
    };
    return {graphs(tile.row, tile.rows), graphs((symmetric_ ? 0 : rows_) + tile.column, tile.columns), own};
  }

 private:
  std::size_t squares(std::size_t length) const { return (length + edge_ - 1) / edge_; }
  std::size_t down() const { return squares(cut_) + squares(rows_ - cut_); }
  std::size_t across() const { return squares(cut_) + squares(columns_ - cut_); }
  /// Where square k along a side of this length begins, and how long it is.
  std::pair<std::size_t, std::size_t> range(std::size_t k, std::size_t length) const {
    const std::size_t before = squares(cut_);
    const std::size_t begin = k < before ? k * edge_ : cut_ + (k - before) * edge_;
    return {begin, std::min(edge_, (k < before ? cut_ : length) - begin)};
  }
  std::size_t row_length(std::size_t down) const { return symmetric_ ? across() - down : across(); }

  std::size_t rows_;
  std::size_t columns_;
  bool symmetric_;
  std::size_t edge_;
  std::size_t cut_;
};

/// The bytes that the results of a tile take for each of its pairs while it is solved, and the one before is written: results with
/// those of a batch, pairs, values and bounds, and the values and bounds of the other.
inline constexpr std::size_t bytes_of_place = 2 * sizeof(PairResult) + sizeof(Pair) + 4 * sizeof(double);

/// The edge of tiles that is taken where none is given: 16 tiles along the longer side, so that little is lost when a run ends
/// early, and 32 to 2,048 graphs; on a GPU, whose processors wait for the slowest pair of each tile, 8 tiles and 1,024 to 4,096 graphs.
/// Fewer where a tile would take more than `memory` bytes. 0 where even one row does.
std::size_t choose_edge(std::size_t rows, std::size_t columns, std::size_t memory, bool on_gpu);

}  // namespace octile::app
