// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <octile/block_solver.hpp>
#include <octile/prepared_set.hpp>

#include "output/summary.hpp"
#include "tiles/request.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tile_values.hpp"
#include "tiles/tiling.hpp"

namespace octile::app::tiles {

/// Solves the tiles of a matrix, with one set that is prepared once.
class MatrixSolver {
 public:
  /// Prepares the set with the memory that a tile and the graphs' own results leave. The request must outlive this. Throws
  /// `Error` as `BlockSolver` does, and where no memory is left.
  MatrixSolver(const MatrixRequest& request, const Tiling& tiling);

  /// Says which tiles will be asked for, and solves the pairs of their graphs with themselves, if values are to be normalised.
  void expect(std::span<const std::size_t> tiles);

  /// Solves one of them, and counts its pairs.
  TileValues solve(const Tile& tile, Statistics& statistics);

  /// What it says of itself; `refined` is left out, which each tile counts.
  SolveFacts facts() const;

 private:
  static GramOptions options_of(const MatrixRequest& request, const Tiling& tiling);
  Block block(const Tile& tile) const { return tiling_.block(tile, !request_.options.normalize); }

  const MatrixRequest& request_;
  Tiling tiling_;
  PreparedSet set_;
  BlockSolver solver_;
  std::vector<PairResult> own_;  ///< of each graph with itself by number, if values are normalised
  std::vector<PairResult> results_;
  double solve_seconds_ = 0;
};

}  // namespace octile::app::tiles
