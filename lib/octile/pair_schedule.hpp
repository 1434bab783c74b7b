// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace octile {

/// All pairs i ≤ j of `size` graphs, costliest first, so that the last ones to
/// finish are small. Equal costs keep their order: the schedule is the same in
/// every run.
inline std::vector<Pair> costliest_first(std::size_t size, const CostModel& cost) {
  struct Costed {
    double cost;
    Pair pair;
  };
  std::vector<Costed> costed;
  costed.reserve(size * (size + 1) / 2);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(size); ++j) costed.push_back({cost({i, j}), {i, j}});
  }
  std::ranges::stable_sort(costed, std::ranges::greater(), &Costed::cost);
  std::vector<Pair> pairs;
  pairs.reserve(costed.size());
  for (const Costed& entry : costed) pairs.push_back(entry.pair);
  return pairs;
}

}  // namespace octile
