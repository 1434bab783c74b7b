// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace octile {

/// Graphs `begin` … `end` − 1 of a set, by number.
struct GraphRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  bool operator==(const GraphRange&) const = default;
};

/// A block of a Gram matrix: each graph of `rows` with each of `columns`. The two ranges are apart, or they are one. Then the block
/// is symmetric, and of it the pairs i < j are meant, and those of a graph with itself only if `own` says so.
struct Block {
  GraphRange rows;
  GraphRange columns;
  bool own = true;

  bool symmetric() const { return rows == columns; }
  /// Places for results, row by row: rows × columns. In a symmetric block those below the diagonal stay free.
  std::size_t places() const { return rows.size() * columns.size(); }
  std::size_t place(Pair pair) const {
    return static_cast<std::size_t>(pair.first - rows.begin) * columns.size() +
           static_cast<std::size_t>(pair.second - columns.begin);
  }
  /// The pairs that are meant.
  std::size_t pairs() const;
  /// Their cost together.
  double work(const CostModel& cost) const;
};

/// The pairs of a block in batches, costliest first, as `PairSchedule` gives those of a set: without a list of them, by classes of
/// graphs of one size.
class BlockSchedule {
 public:
  BlockSchedule(const Block& block, const CostModel& cost);

  std::size_t size() const { return block_.pairs(); }
  double work() const { return work_; }
  /// Replaces `batch` by the next pairs that cost `work` together, at least one, or all that are left. Returns their cost.
  double next(double work, std::vector<Pair>& batch);
  /// The place of pair k of the last batch, which is given.
  std::size_t place(std::span<const Pair> batch, std::size_t k) const { return block_.place(batch[k]); }

 private:
  using Class = std::vector<std::int32_t>;

  struct ClassPair {
    double cost;  ///< of one pair
    std::uint32_t rows;
    std::uint32_t columns;
  };

  /// Goes to the next pair of the two classes; false at their end.
  bool advance(const Class& rows, const Class& columns);

  Block block_;
  double work_;
  std::vector<Class> rows_;
  std::vector<Class> columns_;
  std::vector<ClassPair> class_pairs_;  ///< costliest first
  std::size_t class_pair_ = 0;          ///< the next pair's; below, its places in the two classes
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

}  // namespace octile
