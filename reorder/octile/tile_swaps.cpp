// SPDX-License-Identifier: BSD-3-Clause
#include <octile/tile_swaps.hpp>

#include <algorithm>
#include <utility>

namespace octile::reorder {
namespace {

/// Counts of 16 bits that the smallest vector register holds.
constexpr std::size_t lanes = 8;

/// How many changes, each at most 2·202 (two full tiles emptied), can be summed in 16 bits.
constexpr std::size_t summed_in_16_bits = 64;

std::size_t index(std::int32_t vertex) { return static_cast<std::size_t>(vertex); }

bool is_tile(std::int16_t population) { return population != 0; }

}  // namespace

TileSwaps::TileSwaps(const Pattern& pattern, const TileCost& cost)
    : pattern_(&pattern),
      cost_(cost),
      stride_((index(tile_rows(pattern.vertex_count())) + lanes - 1) / lanes * lanes),
      place_(index(pattern.vertex_count())) {}

void TileSwaps::assign(std::span<const std::int32_t> order) {
  const std::int32_t n = pattern_->vertex_count();
  order_.assign(order.begin(), order.end());
  for (std::int32_t k = 0; k < n; ++k) place_[index(order_[index(k)])] = k;
  neighbours_.assign(index(n) * stride_, 0);
  population_.assign(index(tile_rows(n)) * stride_, 0);
  for (std::int32_t u = 0; u < n; ++u) {
    for (const std::int32_t w : pattern_->neighbours(u)) {
      ++neighbours_in(u)[row_of(w)];
      ++row(row_of(u))[row_of(w)];
    }
  }
  tiles_ = std::ranges::count_if(population_, is_tile);
}

bool TileSwaps::adjacent(std::int32_t u, std::int32_t v) const {
  return std::ranges::binary_search(pattern_->neighbours(u), v);
}

TileSwaps::Crossing TileSwaps::crossing(std::int32_t u, std::int32_t v) const {
  const std::int32_t a = row_of(u);
  const std::int32_t b = row_of(v);
  const Count* of_u = neighbours_in(u);
  const Count* of_v = neighbours_in(v);
  // An edge {u, v} stays in tile (a, b). It can exist only if both counts are positive.
  const int edge = of_u[b] > 0 && of_v[a] > 0 && adjacent(u, v) ? 1 : 0;
  return {static_cast<Count>(row(a)[a] + 2 * (of_v[a] - of_u[a] - edge)),
          static_cast<Count>(row(b)[b] + 2 * (of_u[b] - of_v[b] - edge)),
          static_cast<Count>(row(a)[b] - of_u[b] - of_v[a] + of_u[a] + of_v[b] + 2 * edge)};
}

std::int32_t TileSwaps::cost_change(std::int32_t u, std::int32_t v) const {
  const std::int32_t a = row_of(u);
  const std::int32_t b = row_of(v);
  const Count* __restrict of_u = neighbours_in(u);
  const Count* __restrict of_v = neighbours_in(v);
  const Count* __restrict of_a = row(a);
  const Count* __restrict of_b = row(b);
  const TileCost cost = cost_;
  const auto change_at = [&](std::size_t c) {
    const auto moved = static_cast<Count>(of_v[c] - of_u[c]);
    return static_cast<Count>(cost(static_cast<Count>(of_a[c] + moved)) + cost(static_cast<Count>(of_b[c] - moved)) -
                              cost(of_a[c]) - cost(of_b[c]));
  };
  // Vectorised over c, so rows a and b are taken in, and out again.
  std::int32_t others = 0;
  for (std::size_t begin = 0; begin < stride_; begin += summed_in_16_bits) {
    Count sum = 0;
    const std::size_t end = std::min(begin + summed_in_16_bits, stride_);
    for (std::size_t c = begin; c < end; ++c) sum = static_cast<Count>(sum + change_at(c));
    others += sum;
  }
  others -= change_at(index(a)) + change_at(index(b));

  const Crossing after = crossing(u, v);
  return 2 * others + cost(after.first) - cost(of_a[a]) + cost(after.second) - cost(of_b[b]) +
         2 * (cost(after.both) - cost(of_a[b]));
}

void TileSwaps::swap(std::int32_t u, std::int32_t v) {
  const std::int32_t a = row_of(u);
  const std::int32_t b = row_of(v);
  const Crossing after = crossing(u, v);
  const std::int32_t rows = tile_rows(pattern_->vertex_count());
  const auto set = [this](std::int32_t first, std::int32_t second, Count population) {
    const int both = first == second ? 1 : 2;
    tiles_ += both * (static_cast<int>(is_tile(population)) - static_cast<int>(is_tile(row(first)[second])));
    row(first)[second] = row(second)[first] = population;
  };
  for (std::int32_t c = 0; c < rows; ++c) {
    const int moved = neighbours_in(v)[c] - neighbours_in(u)[c];
    if (moved == 0 || c == a || c == b) continue;
    set(a, c, static_cast<Count>(row(a)[c] + moved));
    set(b, c, static_cast<Count>(row(b)[c] - moved));
  }
  set(a, a, after.first);
  set(b, b, after.second);
  set(a, b, after.both);
  for (const std::int32_t w : pattern_->neighbours(u)) {
    --neighbours_in(w)[a];
    ++neighbours_in(w)[b];
  }
  for (const std::int32_t w : pattern_->neighbours(v)) {
    --neighbours_in(w)[b];
    ++neighbours_in(w)[a];
  }
  std::swap(order_[index(place_[index(u)])], order_[index(place_[index(v)])]);
  std::swap(place_[index(u)], place_[index(v)]);
}

}  // namespace octile::reorder
