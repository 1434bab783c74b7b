// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile {

/// All pairs i ≤ j of the graphs of a cost model, costliest first, so that the last ones to finish are small. They come
/// in batches, so that the whole list is never stored. Graphs of one size form a class. All pairs of two classes have
/// the same cost, so only pairs of classes are sorted. The order of pairs with equal costs depends on the set alone,
/// not on how the list is cut into batches.
class PairSchedule {
 public:
  explicit PairSchedule(const CostModel& cost);

  /// Pairs of the whole list, N (N + 1) / 2.
  std::size_t size() const { return size_; }

  /// The cost of all pairs together.
  double work() const { return work_; }

  /// Replaces `batch` by the next pairs: the fewest that cost `work` together, at least one, or all that are left.
  /// Returns their cost; `batch` is empty at the end of the list.
  double next(double work, std::vector<Pair>& batch);

 private:
  /// The pairs of two classes, or of one with itself.
  struct ClassPair {
    double cost;  ///< of one pair
    std::uint32_t first;
    std::uint32_t second;
  };

  /// Consecutive pairs of one pair of classes.
  struct Piece {
    ClassPair classes;
    std::size_t from;  ///< the first, counted within its two classes
    std::size_t count;
    std::size_t place;  ///< where it begins in the batch
  };

  std::span<const std::int32_t> members(std::uint32_t its_class) const;
  std::size_t pairs_of(const ClassPair& classes) const;
  void write(const Piece& piece, std::span<Pair> pairs) const;

  std::vector<std::int32_t> graphs_;      ///< class by class
  std::vector<std::size_t> class_begin_;  ///< classes + 1, into `graphs_`
  std::vector<ClassPair> class_pairs_;    ///< costliest first
  std::size_t size_ = 0;
  double work_ = 0;
  std::size_t class_pair_ = 0;  ///< the next pair's pair of classes; below, its number in it
  std::size_t from_ = 0;
};

/// The whole list of a `PairSchedule`.
std::vector<Pair> costliest_first(const CostModel& cost);

}  // namespace octile
