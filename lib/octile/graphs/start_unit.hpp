// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace octile {

/// The power of two nearest to the largest of a graph's starting probabilities, by which a solver in float divides them.
inline double start_unit_of(std::span<const double> starting) {
  return std::exp2(std::round(std::log2(*std::ranges::max_element(starting))));
}

}  // namespace octile
