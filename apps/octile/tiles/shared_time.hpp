// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace octile::app {

/// How long ranks take together for tiles of these costs, if each claims the costliest one left as soon as it is free. `alone` is what each
/// would need for all of them, at least one rank.
inline double seconds_together(std::vector<double> costs, std::span<const double> alone) {
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  if (!(all > 0)) return *std::ranges::min_element(alone);
  std::ranges::sort(costs, std::ranges::greater());
  using Free = std::pair<double, std::size_t>;  // when a rank is, and which
  std::priority_queue<Free, std::vector<Free>, std::greater<>> ranks;
  for (std::size_t rank = 0; rank < alone.size(); ++rank) ranks.emplace(0.0, rank);
  double last = 0;
  for (const double cost : costs) {
    const auto [free, rank] = ranks.top();
    ranks.pop();
    const double done = free + alone[rank] * cost / all;
    last = std::max(last, done);
    ranks.emplace(done, rank);
  }
  return last;
}

}  // namespace octile::app
