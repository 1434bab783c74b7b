// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/conjugate_gradient.hpp>

#include <Kokkos_Core.hpp>

namespace octile {

/// One thread as a team of `VectorSteps` (vector_steps.hpp). It is marked for host and device, as the steps are.
struct OneThread {
  using Partial = TwoSums;

  template <class Scalar>
  KOKKOS_INLINE_FUNCTION static Scalar quotient(Scalar a, Scalar b) {
    return a / b;
  }
  template <class Function>
  KOKKOS_INLINE_FUNCTION void for_each(int count, const Function& function) const {
    for (int k = 0; k < count; ++k) function(k);
  }
  template <class Function>
  KOKKOS_INLINE_FUNCTION TwoSums sum(int count, const Function& function) const {
    TwoSums sums;
    for (int k = 0; k < count; ++k) function(k, sums);
    return sums;
  }
  template <class Function>
  KOKKOS_INLINE_FUNCTION double most(int count, const Function& function) const {
    double most = 0;
    for (int k = 0; k < count; ++k) most = Kokkos::max(most, function(k));
    return most;
  }
};

}  // namespace octile
