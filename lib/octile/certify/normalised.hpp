// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/certificate.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

// K_ij / √(K_ii K_jj).
namespace octile {

/// 1 / √K_ii, by which values of a graph are normalised. 0 where K_ii is 0, as of a graph without edges where walks of no step do
/// not count: no other graph is like it, and its K_ij are 0, too.
KOKKOS_INLINE_FUNCTION double normalising_scale(double own) { return own == 0 ? 0 : 1 / Kokkos::sqrt(own); }

/// The relative error of K / √(K₁ K₂) out of those of K, K₁ and K₂: (1 + e) / √((1 − e₁) (1 − e₂)) − 1. Infinite where one
/// of the two may be 0.
KOKKOS_INLINE_FUNCTION double normalised_error(double error, double first, double second) {
  if (!(first < 1 && second < 1)) return Kokkos::Experimental::infinity_v<double>;
  // Both signs: a value may be too large or too small.
  const double above = (1 + error) / Kokkos::sqrt((1 - first) * (1 - second)) - 1;
  const double below = 1 - (1 - error) / Kokkos::sqrt((1 + first) * (1 + second));
  return Kokkos::max(above, below);
}

/// K_ij / √(K_ii K_jj) out of K_ij and of the `normalising_scale` of graphs i and j.
KOKKOS_INLINE_FUNCTION double normalised_value(double value, double first_scale, double second_scale) {
  return value * (first_scale * second_scale);
}

/// What a pair's result is when it is normalised, out of those of the pair and of both graphs with themselves: the value, bounds that
/// follow from all three, the worst status, and the most iterations. A graph with itself has exactly 1.
KOKKOS_INLINE_FUNCTION PairResult normalised(Pair pair, const PairResult& result, const PairResult& first,
                                             const PairResult& second) {
  // Two roots, two quotients and two products, of which roots halve what was before them.
  constexpr double rounding = 4 * Kokkos::Experimental::epsilon_v<double>;
  const auto worse = [](Status a, Status b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; };
  PairResult one = result;
  one.status = worse(result.status, worse(first.status, second.status));
  one.iterations = Kokkos::max(result.iterations, Kokkos::max(first.iterations, second.iterations));
  one.residual = normalised_error(result.residual, first.residual, second.residual);
  if (pair.first == pair.second) {
    one.value = 1;
    one.error_bound = 0;
    return one;
  }
  one.value = normalised_value(result.value, normalising_scale(first.value), normalising_scale(second.value));
  one.error_bound = normalised_error(result.error_bound, first.error_bound, second.error_bound) + rounding;
  return one;
}

/// The accuracy e of three values with which their normalised value has the given one: 2 e / (1 − e), and rounding.
constexpr double accuracy_before_normalising(double accuracy) {
  constexpr double rounding = 8 * Kokkos::Experimental::epsilon_v<double>;
  return (accuracy - rounding) / (2 + accuracy);
}

}  // namespace octile
