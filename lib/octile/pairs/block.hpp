// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/cost_model.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

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

  /// The whole matrix of so many graphs.
  static Block whole(std::size_t graphs);

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

}  // namespace octile
