// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/precision.hpp>
#include <octile/stopping.hpp>

#include <limits>

// What values of K are held to, by the tests and by `octile verify`; tests/tolerances.hpp has the reasons.
namespace octile::agreement {

/// Asked of the solvers: ‖b − A x‖ ≤ tolerance · ‖b‖.
constexpr double solve_tolerance(Precision precision) { return precision == Precision::float32 ? 1e-6 : 1e-12; }

/// Relative error of K in a well-conditioned pair.
constexpr double value_tolerance(Precision precision) { return precision == Precision::float32 ? 1e-5 : 1e-10; }

/// Roundings ε K/q² that the two sides may differ by on top: K/q² is how much a pair amplifies rounding.
inline constexpr int allowed_roundings = 16;

/// Most |K − expected| / expected for a value that converged. An iterating judge carries an error of its own.
inline double allowed_difference(Precision precision, double expected, const Stopping& stopping, bool exact_judge) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return value_tolerance(precision) + (exact_judge ? 0 : value_tolerance(Precision::float64)) +
         allowed_roundings * epsilon * expected / (stopping.q() * stopping.q());
}

}  // namespace octile::agreement
