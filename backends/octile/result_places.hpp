// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel_join.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace octile {

/// The places of the results that `is_wanted(result)` is true of, in their order. Of millions of pairs these are few. Threads call it side
/// by side.
template <class IsWanted>
std::vector<std::size_t> places_where(std::span<const PairResult> results, const IsWanted& is_wanted) {
  constexpr std::size_t results_at_once = std::size_t(1) << 14;
  using Places = std::vector<std::size_t>;
  const auto of_part = [&](std::size_t begin, std::size_t end) {
    Places found;
    for (std::size_t k = begin; k < end; ++k) {
      if (is_wanted(results[k])) found.push_back(k);
    }
    return found;
  };
  const auto join = [](Places& all, const Places& found) { all.insert(all.end(), found.begin(), found.end()); };
  Places places = joined_in_parallel(results.size(), results_at_once, Places(), of_part, join);
  std::ranges::sort(places);
  return places;
}

}  // namespace octile
