// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile {

/// All pairs i ≤ j of the graphs of a cost model, costliest first, so that the last ones to finish are small; a batch at a
/// time, so that the whole list is never kept. Graphs of one size are a class, and pairs of two classes cost alike: classes
/// are sorted, and pairs counted off. Pairs of equal cost stand in an order that depends on the set alone, however the list is
/// cut into batches.
class PairSchedule {
 public:
  explicit PairSchedule(const CostModel& cost);

  /// Pairs of the whole list, N (N + 1) / 2.
  std::size_t size() const { return size_; }

  /// What they cost together.
  double work() const { return work_; }

  /// Replaces `batch` by the next pairs: as few as cost `work` together, one at least, or those that are left. Returns what
  /// they cost; `batch` is empty at the end of the list.
  double next(double work, std::vector<Pair>& batch);

 private:
  /// The pairs of two classes, or of one with itself.
  struct ClassPair {
    double cost;  ///< of one pair
    std::uint32_t first;
    std::uint32_t second;
  };

  /// Some of them, one behind the other.
  struct Piece {
    ClassPair classes;
    std::size_t from;  ///< the first, counted within its two classes
    std::size_t count;
    std::size_t place;  ///< in the batch
  };

  std::span<const std::int32_t> members(std::uint32_t its_class) const;
  std::size_t pairs_of(const ClassPair& classes) const;
  void write(const Piece& piece, std::span<Pair> pairs) const;

  std::vector<std::int32_t> graphs_;      ///< class by class
  std::vector<std::size_t> class_begin_;  ///< classes + 1, into `graphs_`
  std::vector<ClassPair> class_pairs_;    ///< costliest first
  std::size_t size_ = 0;
  double work_ = 0;
  std::size_t class_pair_ = 0;  ///< the next pair's, and which of them it is
  std::size_t from_ = 0;
};

/// The whole list of a `PairSchedule`.
std::vector<Pair> costliest_first(const CostModel& cost);

}  // namespace octile
