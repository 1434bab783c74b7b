// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/block.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/size_classes.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octile {

/// The pairs of a block of a Gram matrix, costliest first, so that the last ones to finish are small. They come
/// in batches, so that the whole list is never stored. Only pairs of classes (`SizeClasses`) are sorted. The order of pairs with equal
/// costs depends on the block alone, not on how the list is cut into batches.
class PairSchedule {
 public:
  PairSchedule(const Block& block, const CostModel& cost);
  /// All pairs i ≤ j of the graphs of a cost model.
  explicit PairSchedule(const CostModel& cost) : PairSchedule(Block::whole(cost.graph_count()), cost) {}

  /// Pairs of the whole list.
  std::size_t size() const { return block_.pairs(); }

  /// The cost of all pairs together.
  double work() const { return work_; }

  /// Replaces `batch` by the next pairs: the fewest that cost `work` together, at least one, or all that are left.
  /// Returns their cost; `batch` is empty at the end of the list.
  double next(double work, std::vector<Pair>& batch);

 private:
  /// The pairs of two classes, or of one with itself.
  struct ClassPair {
    double cost;  ///< of one pair
    std::uint32_t row;
    std::uint32_t column;
  };

  /// Consecutive pairs of one pair of classes.
  struct Piece {
    ClassPair classes;
    std::size_t from;  ///< the first, counted within its two classes
    std::size_t count;
    std::size_t place;  ///< where it begins in the batch
  };

  const SizeClasses& columns() const { return columns_ ? *columns_ : rows_; }
  bool is_triangle(const ClassPair& classes) const { return block_.symmetric() && classes.row == classes.column; }
  std::size_t pairs_of(const ClassPair& classes) const;
  void write(const Piece& piece, std::span<Pair> pairs) const;

  Block block_;
  SizeClasses rows_;
  std::optional<SizeClasses> columns_;  ///< if they are others
  std::vector<ClassPair> class_pairs_;  ///< costliest first
  double work_ = 0;
  std::size_t class_pair_ = 0;  ///< the next pair's pair of classes; below, its number in it
  std::size_t from_ = 0;
};

/// The whole list of a `PairSchedule` of all pairs.
std::vector<Pair> costliest_first(const CostModel& cost);

}  // namespace octile
