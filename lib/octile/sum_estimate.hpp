// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// Estimates the relative error of Σ x while CG forms x (docs/mathematics.md, "An estimate instead").
///
/// The error of Σ x is linear in the residual: y·r, with y the solution for a right-hand side of ones. A step is taken to remove most of it,
/// so that |α Σ p| / ‖M⁻¹r‖, r before the step, tells how far r and y point the same way. The largest of the last steps, times what is left
/// of ‖M⁻¹r‖, is the estimate: of two thirds of the steps, at least 4 and at most 16. It is multiplied by 6, since steps are uneven. It is no
/// bound.
class SumEstimate {
 public:
  /// A step by α along a p with Σ p = `total`, which took ‖M⁻¹r‖² from `before` to `now`.
  KOKKOS_INLINE_FUNCTION void add(double alpha, double total, double before, double now) {
    constexpr double most_uneven = 0.2;
    even_ = count_ > 0 && Kokkos::abs(alpha - alpha_) <= most_uneven * alpha;
    alpha_ = alpha;
    left_ = Kokkos::sqrt(now / before);
    norm_ = Kokkos::sqrt(now);
    sum_ += alpha * total;
    ratios_[count_ % kept] = Kokkos::abs(alpha * total) / Kokkos::sqrt(before);
    ++count_;
  }

  /// Of Σ x as it is. A single step knows nothing of others: infinite.
  KOKKOS_INLINE_FUNCTION double error() const {
    if (count_ < 2 || !(sum_ > 0)) return Kokkos::Experimental::infinity_v<double>;
    const int wanted = 2 * count_ / 3;
    const int steps = Kokkos::min(Kokkos::min(count_, int(kept)), Kokkos::max(wanted, 4));
    double largest = 0;
    for (int last = 1; last <= steps; ++last) largest = Kokkos::max(largest, ratios_[(count_ - last) % kept]);
    constexpr double margin = 6;
    return margin * largest * norm_ / sum_;
  }

  /// Of Σ x after a further step by the same α, for which N p is not formed. That α is off by a fifth at most, if the last two were alike, and so
  /// at least a fifth of the error is taken to remain; infinite if they were not.
  KOKKOS_INLINE_FUNCTION double error_of_next() const {
    constexpr double least_left = 0.2;
    return even_ ? Kokkos::max(left_, least_left) * error() : Kokkos::Experimental::infinity_v<double>;
  }

 private:
  static constexpr int kept = 16;
  double ratios_[kept] = {};
  double sum_ = 0;
  double alpha_ = 0;
  double left_ = 1;
  double norm_ = 0;
  int count_ = 0;
  bool even_ = false;
};

}  // namespace octile
