// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/cost_model.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace octile {

/// `places` of a list of pairs, costliest first and equal ones as they were. Where they are many, all threads sort them, and costs count
/// to one part in a million: a pair may stand before one that costs that little more.
std::vector<std::size_t> costliest_first(std::span<const Pair> list, std::vector<std::size_t> places,
                                         const CostModel& cost);

}  // namespace octile
