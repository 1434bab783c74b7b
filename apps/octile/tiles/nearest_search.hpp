// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <octile/block_solver.hpp>
#include <octile/prepared_set.hpp>

#include "output/summary.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/nearest.hpp"
#include "tiles/request.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tiling.hpp"
#include "tiles/top_file.hpp"

namespace octile::app {

/// The least value that is certain to be among the `most` largest of each row: of so many lower bounds the smallest.
class Floors {
 public:
  Floors(std::size_t rows, std::size_t most) : most_(most), rows_(rows) {}

  static std::size_t bytes(std::size_t rows, std::size_t most) {
    return rows * (sizeof(std::vector<double>) + most * sizeof(double));
  }

  /// Takes the lower bound of one more value of a row. What is not a number says nothing.
  void offer(std::size_t row, double low);

  /// Below this a value is not among them. −∞ as long as fewer bounds are known.
  double of(std::size_t row) const;

 private:
  std::size_t most_;
  std::vector<std::vector<double>> rows_;  ///< heaps, the smallest on top
};

/// Finds the nearest columns of each row, and solves only those pairs to the asked accuracy that can be among them. All pairs are solved
/// roughly first. With the certified interval of each, a pair stops that is below the floors of its row, and of its column where that is
/// a row too. The others have the bits of a whole matrix. Values are compared as they will be computed: one factor of each
/// pair normalises both its rough and its better value.
class NearestSearch {
 public:
  /// Whether values have certified intervals that shrink with the work: not without a certified accuracy, and not where a solver is
  /// as exact as it can be anyway. On a GPU all pairs go on: the host would certify rough values there.
  static bool is_possible(const GramOptions& options);
  /// The bytes that its floors take.
  static std::size_t bytes(const Tiling& tiling, std::size_t most) {
    return Floors::bytes(tiling.rows(), std::min(most, tiling.columns()));
  }

  /// `memory` is for rough values and candidates, and `on_progress` is told of them. Both solver and request must outlive this. Throws
  /// `Error` where the memory does not suffice.
  NearestSearch(const MatrixRequest& request, const Tiling& tiling, std::size_t most, MatrixSolver& solver,
                std::size_t memory, const std::function<bool(const Progress&)>& on_progress);

  /// Whether it takes fewer products than to solve all pairs to the end, by a sample of the pairs. From here on the solver has to have
  /// solved the pairs of graphs with themselves.
  bool pays();
  /// The share of rough values in the work, by that sample.
  double rough_share() const { return rough_share_; }

  /// How a search goes on that was begun, and how it can be gone on with.
  struct Groups {
    TopDone& done;  ///< before and after
    /// If given, called when some tiles more are done, with these alone in its statistics.
    std::function<void(const TopDone& group, std::span<const Tile> tiles)> reached{};
    double seconds = seconds_of_group;  ///< that a group takes at least
  };
  /// Candidates of a group of tiles are solved at its end, by what is known then: longer groups leave fewer.
  static constexpr double seconds_of_group = 5;

  /// Solves all tiles that are not done. Pairs that stopped are not counted among the statistics.
  EarlyStops run(Nearest& nearest, const Groups& groups);

  double setup_seconds() const { return rough_.setup_seconds(); }
  /// Seconds of rough solves.
  double solve_seconds() const { return seconds_; }

 private:
  /// A pair that may be among the nearest, and the most that its value may be.
  struct Candidate {
    Pair pair;
    double high;
  };
  struct Interval {
    double low;
    double high;
  };

  Interval interval(Pair pair, const PairResult& rough) const;
  std::size_t row_of(Pair pair) const { return static_cast<std::size_t>(pair.first); }
  bool may_enter(Pair pair, double high) const;
  void add_rough(const Tile& tile);
  /// Forgets candidates that the floors have passed.
  void forget_far();
  /// Solves what may still enter, and forgets all candidates.
  void settle(Nearest& nearest, Statistics& statistics);

  Tiling tiling_;
  std::size_t most_;
  MatrixSolver& solver_;
  PreparedSet rough_set_;
  BlockSolver rough_;
  Floors floors_;
  std::vector<PairResult> results_;
  std::vector<Candidate> candidates_;
  std::size_t most_candidates_;
  SearchCounts counts_;
  double rough_share_ = 1;
  double seconds_ = 0;
};

}  // namespace octile::app
