// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/asked_values.hpp>
#include <octile/gram.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace octile {

/// The result of a Gram matrix from the solution of all its pairs. `values` is N×N numbers, which are overwritten.
inline GramResult square_of(const PreparedSet& set, const SetRequest& request, SetSolution&& solution,
                            std::vector<double> values) {
  GramResult result;
  result.size = set.size();
  result.values = std::move(values);
  take_values(solution, request, result.size, [&](std::size_t, Pair pair, const PairResult& asked) {
    const auto i = static_cast<std::size_t>(pair.first);
    const auto j = static_cast<std::size_t>(pair.second);
    result.values[i * result.size + j] = result.values[j * result.size + i] = asked.value;
  });
  result.pairs = std::move(solution.results);
  result.refined = solution.refined;
  result.order = set.order();
  result.setup_seconds = solution.setup_seconds;
  result.solve_seconds = solution.solve_seconds;
  result.description = std::move(solution.description);
  return result;
}

}  // namespace octile
