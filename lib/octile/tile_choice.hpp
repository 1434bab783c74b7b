// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/primitives.hpp>

#include <Kokkos_Macros.hpp>

namespace octile {

/// How the adaptive primitive multiplies two octiles, by their populations: both up to `sparse`, sparse × sparse;
/// both above `dense`, dense × dense; else only the fuller one as dense. Each backend has measured thresholds.
struct AdaptiveThresholds {
  int sparse;
  int dense;
};

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
