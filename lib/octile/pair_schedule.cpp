// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pair_schedule.hpp>

#include <octile/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace octile {
namespace {

/// The most pairs of a piece, and the pieces that a thread writes at a time.
constexpr std::size_t most_in_piece = std::size_t(1) << 15;
constexpr std::size_t pieces_at_once = 64;

/// Where row r begins in the upper triangle of `size` rows, packed row by row.
std::size_t row_begin(std::size_t r, std::size_t size) { return r * size - r * (r - 1) / 2; }

/// The row of element k of that triangle.
std::size_t row_of(std::size_t k, std::size_t size) {
  std::size_t low = 0;
  std::size_t high = size;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (row_begin(middle, size) <= k ? low : high) = middle;
  }
  return low;
}

}  // namespace

PairSchedule::PairSchedule(const CostModel& cost) : graphs_(cost.graph_count()) {
  std::iota(graphs_.begin(), graphs_.end(), 0);
  const auto key = [&cost](std::int32_t graph) {
    const CostModel::Size& size = cost.size(graph);
    return std::pair(size.elements, size.vertices);
  };
  std::ranges::stable_sort(graphs_, {}, key);
  for (std::size_t k = 0; k < graphs_.size(); ++k) {
    if (k == 0 || key(graphs_[k]) != key(graphs_[k - 1])) class_begin_.push_back(k);
  }
  const auto classes = static_cast<std::uint32_t>(class_begin_.size());
  class_begin_.push_back(graphs_.size());
  class_pairs_.reserve(std::size_t{classes} * (std::size_t{classes} + 1) / 2);
  for (std::uint32_t a = 0; a < classes; ++a) {
    for (std::uint32_t b = a; b < classes; ++b) {
      class_pairs_.push_back({cost({members(a)[0], members(b)[0]}), a, b});
    }
  }
  std::ranges::sort(class_pairs_, [](const ClassPair& one, const ClassPair& other) {
    return std::tuple(-one.cost, one.first, one.second) < std::tuple(-other.cost, other.first, other.second);
  });
  for (const ClassPair& pair : class_pairs_) work_ += pair.cost * static_cast<double>(pairs_of(pair));
  size_ = graphs_.size() * (graphs_.size() + 1) / 2;
}

std::span<const std::int32_t> PairSchedule::members(std::uint32_t its_class) const {
  return std::span(graphs_).subspan(class_begin_[its_class], class_begin_[its_class + 1] - class_begin_[its_class]);
}

std::size_t PairSchedule::pairs_of(const ClassPair& classes) const {
  const std::size_t rows = members(classes.first).size();
  return classes.first == classes.second ? rows * (rows + 1) / 2 : rows * members(classes.second).size();
}

void PairSchedule::write(const Piece& piece, std::span<Pair> pairs) const {
  const std::span<const std::int32_t> rows = members(piece.classes.first);
  const std::span<const std::int32_t> columns = members(piece.classes.second);
  const bool triangle = piece.classes.first == piece.classes.second;
  std::size_t row = triangle ? row_of(piece.from, rows.size()) : piece.from / columns.size();
  std::size_t column = triangle ? piece.from - row_begin(row, rows.size()) + row : piece.from % columns.size();
  for (std::size_t k = 0; k < piece.count;) {
    const std::size_t end = k + std::min(piece.count - k, columns.size() - column);
    for (; k < end; ++k, ++column)
      pairs[k] = {std::min(rows[row], columns[column]), std::max(rows[row], columns[column])};
    ++row;
    column = triangle ? row : 0;
  }
}

double PairSchedule::next(double work, std::vector<Pair>& batch) {
  std::vector<Piece> pieces;
  std::size_t count = 0;
  double taken = 0;
  while (class_pair_ < class_pairs_.size() && (count == 0 || taken < work)) {
    const ClassPair& classes = class_pairs_[class_pair_];
    const std::size_t left = pairs_of(classes) - from_;
    const double wanted = std::ceil((work - taken) / classes.cost);
    const std::size_t most = std::min(left, most_in_piece);
    const std::size_t part =
        wanted >= static_cast<double>(most) ? most : std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    pieces.push_back({classes, from_, part, count});
    count += part;
    taken += classes.cost * static_cast<double>(part);
    from_ += part;
    if (part < left) continue;
    from_ = 0;
    ++class_pair_;
  }
  batch.resize(count);
  in_parallel(pieces.size(), pieces_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      write(pieces[k], std::span(batch).subspan(pieces[k].place, pieces[k].count));
  });
  return taken;
}

std::vector<Pair> costliest_first(const CostModel& cost) {
  std::vector<Pair> pairs;
  PairSchedule(cost).next(std::numeric_limits<double>::infinity(), pairs);
  return pairs;
}

}  // namespace octile
