// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/precision.hpp>
#include <octile/stopping.hpp>

#include <limits>

// How closely values of K must agree, in the tests and in `octile verify`. tests/common/tolerances.hpp has the reasons.
namespace octile::agreement {

/// The tolerance that solvers are given: ‖M⁻¹r‖ ≤ tolerance · ‖M⁻¹b‖.
constexpr double solve_tolerance(Precision precision) { return precision == Precision::float32 ? 1e-6 : 1e-12; }

/// The relative error of K that a well-conditioned pair may have.
constexpr double value_tolerance(Precision precision) { return precision == Precision::float32 ? 1e-5 : 1e-10; }

/// The two sides may differ by this many further roundings ε K/q². A pair amplifies rounding by K/q².
inline constexpr int allowed_roundings = 16;

/// The largest |K − expected| / expected of a converged value. If the expected value comes from iterations, it has an error too.
inline double allowed_difference(Precision precision, double expected, const Stopping& stopping, bool exact_judge) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return value_tolerance(precision) + (exact_judge ? 0 : value_tolerance(Precision::float64)) +
         allowed_roundings * epsilon * expected / (stopping.q() * stopping.q());
}

}  // namespace octile::agreement
