// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include <octile/solve.hpp>

namespace octile::app {

/// How many iterations pairs took; 0 of no pairs.
struct Iterations {
  std::int32_t fewest = 0;
  std::int32_t median = 0;  ///< of an even number of pairs the larger one in the middle
  std::int32_t most = 0;
};
Iterations iterations_of(std::span<const PairResult> results);

}  // namespace octile::app
