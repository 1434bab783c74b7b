// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_runner.hpp>
#include <octile/gram.hpp>
#include <octile/normalised.hpp>
#include <octile/parallel.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace octile {

/// Fills the matrix from its packed upper triangle; the diagonal of a normalised one is exactly 1.
inline void fill_square(std::vector<double>& values, const std::vector<PairResult>& pairs, std::size_t size,
                        bool normalize) {
  std::vector<double> scale(size, 1.0);
  if (normalize) {
    for (std::size_t i = 0; i < size; ++i) scale[i] = normalising_scale(pairs[pair_index(i, i, size)].value);
  }
  // Tile by tile, so that transposed writes stay in the cache until their lines are full.
  constexpr std::size_t tile = 64;
  in_parallel(size, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < size; first += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = std::max(i, first); j < std::min(first + tile, size); ++j) {
          const double raw = pairs[pair_index(i, j, size)].value;
          const double value = normalize && i == j ? 1.0 : normalised_value(raw, scale[i], scale[j]);
          values[i * size + j] = value;
          values[j * size + i] = value;
        }
      }
    }
  });
}

/// The result of a Gram matrix from the solution of all its pairs. `values` is N×N numbers, which are overwritten.
inline GramResult square_of(const PreparedSet& set, SetSolution&& solution, bool normalize,
                            std::vector<double> values) {
  const Clock::time_point start = Clock::now();
  GramResult result;
  result.size = set.size();
  result.pairs = std::move(solution.results);
  result.values = std::move(values);
  fill_square(result.values, result.pairs, result.size, normalize);
  result.refined = solution.refined;
  result.order = set.order();
  result.setup_seconds = solution.setup_seconds;
  result.solve_seconds = solution.solve_seconds + seconds_since(start);
  result.description = std::move(solution.description);
  return result;
}

}  // namespace octile
