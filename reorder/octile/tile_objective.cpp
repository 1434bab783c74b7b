// SPDX-License-Identifier: BSD-3-Clause
#include <octile/tile_objective.hpp>

#include <vector>

namespace octile::reorder {

TileCounts& TileCounts::operator+=(const TileCounts& other) {
  tiles += other.tiles;
  elements += other.elements;
  places += other.places;
  for (std::size_t p = 0; p < of_population.size(); ++p) of_population[p] += other.of_population[p];
  return *this;
}

TileCounts count_tiles(const Pattern& pattern, std::span<const std::int32_t> order) {
  const std::int32_t n = pattern.vertex_count();
  const std::int32_t rows = tile_rows(n);
  std::vector<std::int32_t> tile_of(static_cast<std::size_t>(n));
  for (std::int32_t k = 0; k < n; ++k) {
    tile_of[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = tile_row_of(k);
  }

  TileCounts counts;
  counts.elements = static_cast<std::int64_t>(pattern.columns.size());
  counts.places = static_cast<std::int64_t>(rows) * rows;
  // For one row of octiles at a time: which of its tiles have elements, and how many.
  std::vector<std::int32_t> population(static_cast<std::size_t>(rows), 0);
  std::vector<std::int32_t> met;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t k = row * octile_size; k < row * octile_size + tile_row_size(row, n); ++k) {
      for (const std::int32_t neighbour : pattern.neighbours(order[static_cast<std::size_t>(k)])) {
        const std::int32_t column = tile_of[static_cast<std::size_t>(neighbour)];
        if (population[static_cast<std::size_t>(column)]++ == 0) met.push_back(column);
      }
    }
    counts.tiles += static_cast<std::int64_t>(met.size());
    for (const std::int32_t column : met) {
      ++counts.of_population[static_cast<std::size_t>(population[static_cast<std::size_t>(column)])];
      population[static_cast<std::size_t>(column)] = 0;
    }
    met.clear();
  }
  return counts;
}

std::int64_t fewest_tiles(const Pattern& pattern) {
  const std::int32_t n = pattern.vertex_count();
  const auto elements = static_cast<std::int64_t>(pattern.columns.size());
  const std::int64_t rows = tile_rows(n);
  const std::int64_t beside = rows * (rows - 1);
  const std::int64_t room = octile_area * beside;
  constexpr std::int64_t on_diagonal = octile_area - octile_size;
  const std::int64_t by_room = elements <= room ? (elements + octile_area - 1) / octile_area
                                                : beside + (elements - room + on_diagonal - 1) / on_diagonal;
  // Vertices with an edge, and the components that they form.
  std::int32_t joined = 0;
  std::int64_t components = 0;
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  std::vector<std::int32_t> waiting;
  for (std::int32_t first = 0; first < n; ++first) {
    if (seen[static_cast<std::size_t>(first)] || pattern.neighbours(first).empty()) continue;
    ++components;
    seen[static_cast<std::size_t>(first)] = true;
    waiting.push_back(first);
    while (!waiting.empty()) {
      const std::int32_t vertex = waiting.back();
      waiting.pop_back();
      ++joined;
      for (const std::int32_t neighbour : pattern.neighbours(vertex)) {
        if (seen[static_cast<std::size_t>(neighbour)]) continue;
        seen[static_cast<std::size_t>(neighbour)] = true;
        waiting.push_back(neighbour);
      }
    }
  }
  return std::max({by_room, 2 * (tile_rows(joined) - components), std::int64_t{joined > 0 ? 1 : 0}});
}

std::int64_t total_cost(const TileCounts& counts, const TileCost& cost) {
  std::int64_t sum = 0;
  for (std::size_t p = 1; p < counts.of_population.size(); ++p) {
    sum += counts.of_population[p] * cost(static_cast<std::int16_t>(p));
  }
  return sum;
}

}  // namespace octile::reorder
