// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// The estimated relative error of Σ x.
template <class Real>
struct SumErrors {
  Real now;
  Real
      next;  ///< after a further step by the same α, for which N p is not formed; infinite where the last two α were not alike
};

/// What `error_of_sum` keeps of earlier steps, where one thread forms x.
template <class Real>
struct SumTrace {
  static constexpr int kept = 16;
  Real ratios[kept];  ///< |α Σ p| / ‖M⁻¹r‖ of step k, r that before it, at k mod 16
  Real sums[2];       ///< Σ x after step k, at k mod 2
  Real alphas[2];     ///< α of step k, at k mod 2

  /// Takes down step k. What the step before left stays, as do the ratios of the last 15.
  KOKKOS_INLINE_FUNCTION void put(int k, Real ratio, Real sum, Real alpha) {
    ratios[k % kept] = ratio;
    sums[k % 2] = sum;
    alphas[k % 2] = alpha;
  }
  KOKKOS_INLINE_FUNCTION Real sum(int k) const { return sums[k % 2]; }
  KOKKOS_INLINE_FUNCTION Real alpha(int k) const { return alphas[k % 2]; }
  /// The largest ratio of the `count` steps before step k, at most 15.
  KOKKOS_INLINE_FUNCTION Real largest(int k, int count) const {
    Real largest = 0;
    for (int last = 1; last <= count; ++last) largest = Kokkos::max(largest, ratios[(k - last) % kept]);
    return largest;
  }
};

/// Estimates the relative error of Σ x after step k = 0, 1, … of CG (docs/mathematics.md, "An estimate instead"): by α along a p with
/// Σ p = `total`, which took ‖M⁻¹r‖² from `before` to `now`. `trace` is a `SumTrace`, or reads and writes one.
///
/// The error of Σ x is linear in the residual: y·r, with y the solution for a right-hand side of ones. A step is taken to remove most of it,
/// so that |α Σ p| / ‖M⁻¹r‖, r before the step, tells how far r and y point the same way. The largest of the last steps, times what is left
/// of ‖M⁻¹r‖, is the estimate: of two thirds of the steps, at least 4 and at most 16. It is multiplied by 6, since steps are uneven. It is no
/// bound. A single step knows nothing of others: infinite.
template <class Real, class Trace>
KOKKOS_FORCEINLINE_FUNCTION SumErrors<Real> error_of_sum(Trace&& trace, int k, Real alpha, Real total, Real before,
                                                         Real now) {
  constexpr Real infinite = Kokkos::Experimental::infinity_v<Real>;
  constexpr Real margin = 6;
  constexpr Real most_uneven = Real(0.2);
  // The α of the step that is not formed is off by a fifth at most, if the last two were alike, so at least a fifth of the error may remain.
  constexpr Real least_left = Real(0.2);
  const Real added = alpha * total;
  const Real ratio = Kokkos::abs(added) / Kokkos::sqrt(before);
  const Real sum = k > 0 ? trace.sum(k - 1) + added : added;
  const bool even = k > 0 && Kokkos::abs(alpha - trace.alpha(k - 1)) <= most_uneven * alpha;
  const int wanted = Kokkos::max(2 * (k + 1) / 3, 4);
  const int steps = Kokkos::min(Kokkos::min(k + 1, wanted), int(SumTrace<Real>::kept));
  const Real largest = Kokkos::max(ratio, trace.largest(k, steps - 1));
  trace.put(k, ratio, sum, alpha);
  if (k == 0 || !(sum > 0)) return {infinite, infinite};
  const Real error = margin * largest * Kokkos::sqrt(now) / sum;
  return {error, even ? Kokkos::max(Kokkos::sqrt(now / before), least_left) * error : infinite};
}

}  // namespace octile
