// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/schedule.hpp>

#include <octile/base/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

PairSchedule::PairSchedule(const Block& block, const CostModel& cost) : block_(block), rows_(block.rows, cost) {
  if (!block.symmetric()) columns_.emplace(block.columns, cost);
  class_pairs_.reserve(std::size_t{rows_.count()} * columns().count());
  for (std::uint32_t a = 0; a < rows_.count(); ++a) {
    for (std::uint32_t b = block.symmetric() ? a : 0; b < columns().count(); ++b) {
      class_pairs_.push_back({cost({rows_.members(a).front(), columns().members(b).front()}), a, b});
    }
  }
  // Without the pairs of graphs with themselves, a class of one graph has none with itself.
  std::erase_if(class_pairs_, [this](const ClassPair& pair) { return pairs_of(pair) == 0; });
  std::ranges::sort(class_pairs_, [](const ClassPair& one, const ClassPair& other) {
    return std::tuple(-one.cost, one.row, one.column) < std::tuple(-other.cost, other.row, other.column);
  });
  for (const ClassPair& pair : class_pairs_) work_ += pair.cost * static_cast<double>(pairs_of(pair));
}

std::size_t PairSchedule::pairs_of(const ClassPair& classes) const {
  const std::size_t rows = rows_.members(classes.row).size();
  if (!is_triangle(classes)) return rows * columns().members(classes.column).size();
  return block_.own ? rows * (rows + 1) / 2 : rows * (rows - 1) / 2;
}

void PairSchedule::write(const Piece& piece, std::span<Pair> pairs) const {
  const std::span<const std::int32_t> rows = rows_.members(piece.classes.row);
  const std::span<const std::int32_t> columns = this->columns().members(piece.classes.column);
  const bool triangle = is_triangle(piece.classes);
  // Row r of a triangle begins at column r, or behind the diagonal.
  const std::size_t behind = block_.own ? 0 : 1;
  const std::size_t size = rows.size() - (triangle ? behind : 0);
  std::size_t row = triangle ? row_of(piece.from, size) : piece.from / columns.size();
  std::size_t column = triangle ? piece.from - row_begin(row, size) + row + behind : piece.from % columns.size();
  for (std::size_t k = 0; k < piece.count;) {
    const std::size_t end = k + std::min(piece.count - k, columns.size() - column);
    const std::int32_t first = rows[row];
    for (; k < end; ++k, ++column) {
      const std::int32_t second = columns[column];
      pairs[k] = block_.symmetric() ? Pair{std::min(first, second), std::max(first, second)} : Pair{first, second};
    }
    ++row;
    column = triangle ? row + behind : 0;
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
