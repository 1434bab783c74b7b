// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <octile/block_solver.hpp>
#include <octile/prepared_set.hpp>

#include "output/summary.hpp"
#include "tiles/request.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// The time that a matrix takes, from a sample of its pairs.
struct Prediction {
  std::size_t pairs = 0;  ///< of the sample
  double sample_seconds = 0;
  double seconds = 0;  ///< of all
};

/// Solves the tiles of a matrix, with one set that is prepared once.
class MatrixSolver {
 public:
  /// Prepares the set with the memory that a tile and the graphs' own results leave. The request must outlive this. Throws
  /// `Error` as `BlockSolver` does, and where no memory is left.
  MatrixSolver(const MatrixRequest& request, const Tiling& tiling);

  /// Says which tiles will be asked for, and solves the pairs of their graphs with themselves, if values are to be normalised and these
  /// are not known yet.
  void expect(std::span<const std::size_t> tiles) { expect(tiles, {}); }

  /// One of several that solve the tiles, by its number.
  struct Share {
    std::size_t number = 0;
    std::size_t count = 1;
    /// The texts of all of them, one after the other, where each gives its own.
    std::function<std::string(const std::string&)> join{};
  };
  /// Says which tiles will be asked for, where several processes solve them. Each solves a share of the pairs of a
  /// graph with itself, and all take the results of all.
  void expect(std::span<const std::size_t> tiles, const Share& share);

  /// Solves one of them, and counts its pairs. Those of a graph with itself that values of a rectangle are normalised by, and that did
  /// not converge, are counted by one tile each.
  TileValues solve(const Tile& tile, Statistics& statistics);

  /// Solves the pairs of all graphs with themselves. Values are to be normalised.
  void solve_own();
  /// The result of a graph with itself, if values are normalised.
  const PairResult& own(std::int32_t graph) const { return own_[static_cast<std::size_t>(graph)]; }
  /// Counts all of these, as tiles do.
  void count_own(Statistics& statistics) const;

  /// Solves some pairs; values are not normalised. Of the statistics only what was solved again is counted.
  void solve(std::span<const Pair> pairs, std::span<PairResult> results, Statistics& statistics);

  /// The graphs as they are solved.
  std::span<const Graph> graphs() const { return set_.graphs(); }

  /// The cost of a tile, by the cost model.
  double work(const Tile& tile) const { return block(tile).work(set_.cost()); }

  /// The time that these tiles take. Solves all pairs of some random rows with some random columns, for about half a second. All others are
  /// taken to need as long for each unit of their cost.
  Prediction predict(std::span<const std::size_t> tiles);

  /// What it says of itself; `refined` is left out, which each tile counts.
  SolveFacts facts() const;

 private:
  static GramOptions options_of(const MatrixRequest& request, const Tiling& tiling);
  void solve_own(std::span<const Pair> pairs, const Share& share);
  /// Whether each graph stands in one of these tiles.
  std::vector<bool> graphs_of(std::span<const std::size_t> tiles) const;
  Block block(const Tile& tile) const { return tiling_.block(tile, !request_.options.normalize); }
  void count_own(const Tile& tile, const Block& wanted, Statistics& statistics) const;

  const MatrixRequest& request_;
  Tiling tiling_;
  PreparedSet set_;
  BlockSolver solver_;
  std::vector<PairResult> own_;  ///< of each graph with itself by number, if values are normalised
  std::vector<PairResult> results_;
  double solve_seconds_ = 0;
};

}  // namespace octile::app
