// SPDX-License-Identifier: BSD-3-Clause
#include <octile/tsp.hpp>

#include <octile/rcm.hpp>
#include <octile/tile_objective.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace octile::reorder {
namespace {

constexpr int rounds = 4;
constexpr int most_sweeps = 8;

std::size_t index(std::int32_t vertex) { return static_cast<std::size_t>(vertex); }

/// The columns, or columns of octiles, that each row touches, by rising number. A vertex counts as its own neighbour.
class Rows {
 public:
  Rows(const Pattern& pattern, std::span<const std::int32_t> group_of) : touched_(group_of.size()) {
    for (std::int32_t u = 0; u < pattern.vertex_count(); ++u) {
      std::vector<std::int32_t>& touched = touched_[index(u)];
      touched.push_back(group_of[index(u)]);
      for (const std::int32_t w : pattern.neighbours(u)) touched.push_back(group_of[index(w)]);
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    }
  }

  /// Columns that only one of two rows touches.
  std::int32_t distance(std::int32_t u, std::int32_t v) const {
    const std::vector<std::int32_t>& first = touched_[index(u)];
    const std::vector<std::int32_t>& second = touched_[index(v)];
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      common += first[i] == second[j] ? 1 : 0;
      const bool step_first = first[i] <= second[j];
      const bool step_second = second[j] <= first[i];
      i += step_first ? 1 : 0;
      j += step_second ? 1 : 0;
    }
    return static_cast<std::int32_t>(first.size() + second.size() - 2 * common);
  }

 private:
  std::vector<std::vector<std::int32_t>> touched_;
};

/// Reverses parts of the tour as long as that shortens it.
void shorten(const Rows& rows, VertexOrder& tour) {
  const std::size_t n = tour.size();
  bool shortened = true;
  for (int sweep = 0; shortened && sweep < most_sweeps; ++sweep) {
    shortened = false;
    for (std::size_t i = 0; i + 2 < n; ++i) {
      for (std::size_t j = i + 2; j < n; ++j) {
        const std::int32_t after = tour[j + 1 == n ? 0 : j + 1];
        const std::int32_t old_way = rows.distance(tour[i], tour[i + 1]) + rows.distance(tour[j], after);
        const std::int32_t new_way = rows.distance(tour[i], tour[j]) + rows.distance(tour[i + 1], after);
        if (after == tour[i] || new_way >= old_way) continue;
        std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i + 1),
                     tour.begin() + static_cast<std::ptrdiff_t>(j + 1));
        shortened = true;
      }
    }
  }
}

/// The tour cut where that leaves the fewest tiles. Cuts that are 8 places apart differ by whole rows of octiles (except
/// the short one), so only a few cuts need to be compared.
VertexOrder best_cut(const Pattern& pattern, VertexOrder tour) {
  VertexOrder best = tour;
  std::int64_t fewest = count_tiles(pattern, tour).tiles;
  const std::size_t cuts = std::min<std::size_t>(tour.size(), octile_area);
  for (std::size_t cut = 1; cut < cuts; ++cut) {
    std::rotate(tour.begin(), tour.begin() + 1, tour.end());
    const std::int64_t tiles = count_tiles(pattern, tour).tiles;
    if (tiles >= fewest) continue;
    fewest = tiles;
    best = tour;
  }
  return best;
}

}  // namespace

VertexOrder tsp_order(const Pattern& pattern) {
  const std::int32_t n = pattern.vertex_count();
  VertexOrder best = natural_order(n);
  if (tile_rows(n) <= 1) return best;
  std::vector<std::int32_t> group_of = best;
  VertexOrder tour = rcm_order(pattern);
  best = tour;
  std::int64_t fewest = count_tiles(pattern, best).tiles;
  for (int round = 0; round < rounds; ++round) {
    const Rows rows(pattern, group_of);
    shorten(rows, tour);
    tour = best_cut(pattern, std::move(tour));
    for (std::int32_t k = 0; k < n; ++k) group_of[index(tour[index(k)])] = tile_row_of(k);
    const std::int64_t tiles = count_tiles(pattern, tour).tiles;
    if (tiles >= fewest) continue;
    fewest = tiles;
    best = tour;
  }
  return best;
}

}  // namespace octile::reorder
