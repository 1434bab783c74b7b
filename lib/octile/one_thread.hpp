// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>

#include <algorithm>

namespace octile {

/// One thread of a host as a team of `VectorSteps` (vector_steps.hpp).
struct OneThread {
  using Partial = TwoSums;

  template <class Scalar>
  static Scalar quotient(Scalar a, Scalar b) {
    return a / b;
  }
  template <class Function>
  void for_each(int count, const Function& function) const {
    for (int k = 0; k < count; ++k) function(k);
  }
  template <class Function>
  void in_turn(int count, const Function& function) const {
    for_each(count, function);
  }
  template <class Function>
  TwoSums sum(int count, const Function& function) const {
    TwoSums sums;
    for (int k = 0; k < count; ++k) function(k, sums);
    return sums;
  }
  template <class Function>
  double most(int count, const Function& function) const {
    double most = 0;
    for (int k = 0; k < count; ++k) most = std::max(most, function(k));
    return most;
  }
};

}  // namespace octile
