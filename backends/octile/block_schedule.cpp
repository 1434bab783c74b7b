// SPDX-License-Identifier: BSD-3-Clause
#include <octile/block_schedule.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace octile {
namespace {

/// The graphs of a range, put together that are of one size: all pairs of two classes have the same cost.
std::vector<std::vector<std::int32_t>> classes_of(GraphRange graphs, const CostModel& cost) {
  std::map<std::pair<double, double>, std::vector<std::int32_t>> by_size;
  for (std::int32_t g = graphs.begin; g < graphs.end; ++g) {
    by_size[{cost.size(g).elements, cost.size(g).vertices}].push_back(g);
  }
  std::vector<std::vector<std::int32_t>> classes;
  classes.reserve(by_size.size());
  for (auto& [size, members] : by_size) classes.push_back(std::move(members));
  return classes;
}

}  // namespace

std::size_t Block::pairs() const {
  if (!symmetric()) return places();
  const std::size_t size = rows.size();
  return own ? size * (size + 1) / 2 : size * (size - 1) / 2;
}

double Block::work(const CostModel& cost) const {
  const auto of_rows = classes_of(rows, cost);
  const auto of_columns = symmetric() ? of_rows : classes_of(columns, cost);
  double all = 0;
  for (const auto& one : of_rows) {
    for (const auto& other : of_columns) {
      all += cost(Pair{one.front(), other.front()}) * static_cast<double>(one.size() * other.size());
    }
  }
  if (!symmetric()) return all;
  double diagonal = 0;
  for (std::int32_t g = rows.begin; g < rows.end; ++g) diagonal += cost(Pair{g, g});
  return (all - diagonal) / 2 + (own ? diagonal : 0);
}

BlockSchedule::BlockSchedule(const Block& block, const CostModel& cost)
    : block_(block),
      work_(block.work(cost)),
      rows_(classes_of(block.rows, cost)),
      columns_(block.symmetric() ? rows_ : classes_of(block.columns, cost)) {
  class_pairs_.reserve(rows_.size() * columns_.size());
  for (std::uint32_t a = 0; a < rows_.size(); ++a) {
    for (std::uint32_t b = block.symmetric() ? a : 0; b < columns_.size(); ++b) {
      class_pairs_.push_back({cost(Pair{rows_[a].front(), columns_[b].front()}), a, b});
    }
  }
  std::ranges::sort(class_pairs_, [](const ClassPair& one, const ClassPair& other) {
    return std::tuple(-one.cost, one.rows, one.columns) < std::tuple(-other.cost, other.rows, other.columns);
  });
}

bool BlockSchedule::advance(const Class& rows, const Class& columns) {
  if (++column_ < columns.size()) return true;
  ++row_;
  column_ = &rows == &columns ? row_ : 0;
  return row_ < rows.size();
}

double BlockSchedule::next(double work, std::vector<Pair>& batch) {
  batch.clear();
  double taken = 0;
  for (; class_pair_ < class_pairs_.size(); ++class_pair_, row_ = 0, column_ = 0) {
    const ClassPair& pair = class_pairs_[class_pair_];
    const Class& rows = rows_[pair.rows];
    // In a symmetric block the classes are those of the rows, so that a class with itself is seen to be one.
    const Class& columns = block_.symmetric() ? rows_[pair.columns] : columns_[pair.columns];
    for (bool more = true; more; more = advance(rows, columns)) {
      if (!batch.empty() && taken >= work) return taken;
      const std::int32_t first = rows[row_];
      const std::int32_t second = columns[column_];
      if (first == second && !block_.own) continue;
      batch.push_back(block_.symmetric() ? Pair{std::min(first, second), std::max(first, second)}
                                         : Pair{first, second});
      taken += pair.cost;
    }
  }
  return taken;
}

}  // namespace octile
