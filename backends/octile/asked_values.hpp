// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/batch_runner.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile {

/// Calls `visit(i, j)` for each pair i ≤ j of `size` graphs, in parallel. It goes tile by tile, so that writes of the transposed
/// matrix stay in the cache until their lines are full.
template <class Visit>
void visit_triangle(std::size_t size, const Visit& visit) {
  constexpr std::size_t tile = 64;
  in_parallel(size, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < size; first += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = std::max(i, first); j < std::min(first + tile, size); ++j) visit(i, j);
      }
    }
  });
}

/// Calls `take(place, pair, asked)` once for each pair of the request, in parallel. `asked` is the pair's result, normalised if the
/// request says so: no better than K_ij, K_ii and K_jj are. The pair's result keeps K and gets the status of `asked`. The time
/// counts as time of the solve.
template <class Take>
void take_values(SetSolution& solution, const SetRequest& request, std::size_t size, const Take& take) {
  const Clock::time_point start = Clock::now();
  const auto own = [&solution](std::int32_t graph) -> const PairResult& {
    return solution.results[solution.own[static_cast<std::size_t>(graph)]];
  };
  const auto take_one = [&](std::size_t place, Pair pair) {
    PairResult& result = solution.results[place];
    if (!request.normalize) {
      take(place, pair, result);
      return;
    }
    const PairResult asked = normalised(pair, result, own(pair.first), own(pair.second));
    // The result of a graph with itself has that status already, and other threads read it.
    if (pair.first != pair.second) result.status = asked.status;
    take(place, pair, asked);
  };
  if (request.pairs) {
    constexpr std::size_t pairs_at_once = std::size_t(1) << 14;
    in_parallel(request.pairs->size(), pairs_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) take_one(k, (*request.pairs)[k]);
    });
  } else {
    visit_triangle(size, [&](std::size_t i, std::size_t j) {
      take_one(pair_index(i, j, size), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    });
  }
  solution.solve_seconds += seconds_since(start);
}

}  // namespace octile
