// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octile::app {
namespace {

std::size_t most_of(const Tiling& tiling, std::size_t most) {
  return std::min(most, tiling.symmetric() ? tiling.columns() - 1 : tiling.columns());
}

/// A NaN ranks below every number, as the least similar.
double rank_of(double value) { return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value; }

}  // namespace

Nearest::Nearest(const Tiling& tiling, std::size_t most)
    : tiling_(tiling), most_(most_of(tiling, most)), rows_(tiling.rows()) {
  for (auto& row : rows_) row.reserve(most_);
}

std::size_t Nearest::bytes(const Tiling& tiling, std::size_t most) {
  return tiling.rows() * (sizeof(std::vector<Neighbour>) + most_of(tiling, most) * sizeof(Neighbour));
}

bool Nearest::before(const Neighbour& one, const Neighbour& other) {
  const double first = rank_of(one.value);
  const double second = rank_of(other.value);
  return first != second ? first > second : one.column < other.column;
}

void Nearest::offer(std::size_t row, const Neighbour& neighbour) {
  std::vector<Neighbour>& heap = rows_[row];
  if (heap.size() < most_) {
    heap.push_back(neighbour);
  } else if (most_ > 0 && before(neighbour, heap.front())) {
    std::ranges::pop_heap(heap, before);
    heap.back() = neighbour;
  } else {
    return;
  }
  std::ranges::push_heap(heap, before);
}

void Nearest::add(const Tile& tile, const TileValues& formed) {
  const bool mirror = tiling_.has_mirror(tile);
  const bool diagonal = tiling_.on_diagonal(tile);
  for (std::size_t i = 0; i < tile.rows; ++i) {
    for (std::size_t j = 0; j < tile.columns; ++j) {
      if (diagonal && i == j) continue;
      const std::size_t place = i * tile.columns + j;
      const double value = formed.values[place];
      const double error = formed.errors[place];
      offer(tile.row + i, {tile.column + j, value, error});
      if (mirror) offer(tile.column + j, {tile.row + i, value, error});
    }
  }
}

void Nearest::add(std::size_t row, std::size_t column, double value, double error) {
  offer(row, {column, value, error});
  if (tiling_.symmetric()) offer(column, {row, value, error});
}

bool Nearest::takes(std::size_t row, std::size_t column) const {
  return row < rows_.size() && column < tiling_.columns() && !(tiling_.symmetric() && row == column);
}

std::vector<Neighbour> Nearest::of(std::size_t row) const {
  std::vector<Neighbour> sorted = rows_[row];
  std::ranges::sort(sorted, before);
  return sorted;
}

}  // namespace octile::app
