// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/prices.hpp>
#include <octile/primitives.hpp>

#include <Kokkos_Macros.hpp>

namespace octile {

/// Which of two octiles a product takes as dense.
struct TakenAsDense {
  bool first;
  bool second;
};

/// The choice of an octile family for two populations; see `AdaptiveThresholds`.
KOKKOS_INLINE_FUNCTION TakenAsDense taken_as_dense(PrimitiveFamily family, const AdaptiveThresholds& thresholds,
                                                   int population, int population_second) {
  const bool adaptive = family == PrimitiveFamily::adaptive;
  if (family == PrimitiveFamily::dense_dense ||
      (adaptive && population > thresholds.dense && population_second > thresholds.dense)) {
    return {true, true};
  }
  if (family == PrimitiveFamily::dense_sparse ||
      (adaptive && (population > thresholds.sparse || population_second > thresholds.sparse))) {
    const bool first = population > population_second;
    return {first, !first};
  }
  return {false, false};
}

}  // namespace octile
