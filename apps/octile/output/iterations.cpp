// SPDX-License-Identifier: BSD-3-Clause
#include "output/iterations.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <octile/base/parallel_join.hpp>

namespace octile::app {
namespace {

constexpr std::size_t results_at_once = std::size_t(1) << 14;

Iterations least_and_most(std::span<const PairResult> results) {
  const Iterations none{std::numeric_limits<std::int32_t>::max(), 0, 0};
  const auto of_part = [&](std::size_t begin, std::size_t end) {
    Iterations part = none;
    for (const PairResult& result : results.subspan(begin, end - begin)) {
      part.fewest = std::min(part.fewest, result.iterations);
      part.most = std::max(part.most, result.iterations);
    }
    return part;
  };
  return joined_in_parallel(results.size(), results_at_once, none, of_part,
                            [](Iterations& all, const Iterations& part) {
                              all.fewest = std::min(all.fewest, part.fewest);
                              all.most = std::max(all.most, part.most);
                            });
}

/// How many results have each number of iterations from the fewest on.
std::vector<std::size_t> counted_by_iterations(std::span<const PairResult> results, const Iterations& range) {
  using Counts = std::vector<std::size_t>;
  const Counts none(static_cast<std::size_t>(range.most - range.fewest) + 1);
  const auto of_part = [&](std::size_t begin, std::size_t end) {
    Counts part = none;
    for (const PairResult& result : results.subspan(begin, end - begin)) {
      ++part[static_cast<std::size_t>(result.iterations - range.fewest)];
    }
    return part;
  };
  return joined_in_parallel(results.size(), results_at_once, none, of_part, [](Counts& all, const Counts& part) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += part[k];
  });
}

/// The median where numbers of iterations lie so far apart that counting each of them takes longer than sorting.
std::int32_t sorted_median(std::span<const PairResult> results) {
  std::vector<std::int32_t> iterations(results.size());
  std::ranges::transform(results, iterations.begin(), &PairResult::iterations);
  const auto middle = iterations.begin() + static_cast<std::ptrdiff_t>(iterations.size() / 2);
  std::ranges::nth_element(iterations, middle);
  return *middle;
}

}  // namespace

Iterations iterations_of(std::span<const PairResult> results) {
  if (results.empty()) return {};
  Iterations found = least_and_most(results);
  constexpr std::int32_t few = 4096;
  if (found.most - found.fewest >= few) {
    found.median = sorted_median(results);
    return found;
  }
  const std::vector<std::size_t> counts = counted_by_iterations(results, found);
  std::size_t below = 0;
  found.median = found.fewest;
  for (const std::size_t count : counts) {
    below += count;
    if (below > results.size() / 2) break;
    ++found.median;
  }
  return found;
}

}  // namespace octile::app
