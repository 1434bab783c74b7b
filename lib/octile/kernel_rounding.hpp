// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/lowering.hpp>
#include <octile/unit_roundoff.hpp>

namespace octile {

/// How far κ̂, a base kernel as a program computes it in double, may be from κ, for all pairs of a set's records:
///
///     |κ̂ − κ| ≤ u (relative · κ + absolute)        |κ̂ − κ| ≤ u · whole        u the unit roundoff, 1.1e-16
///
/// κ is exact for the numbers that the graphs and the expression hold, which are doubles.
struct KernelRounding {
  double relative = 0;
  double absolute = 0;
  double whole = 0;
  double least = 1;  ///< κ is at least this
  double most = 1;   ///< and at most this

  /// |κ̂ − κ| ≤ u · this · κ. Infinite where κ may be 0 and rounds.
  double all_relative() const { return absolute > 0 ? relative + absolute / least : relative; }
};

/// Follows the roundings of a program's formulas step by step, over the range of labels that the records have. Errors of an exponential grow
/// with its exponent t, while the exponential falls: a t of more than `deepest` counts in `absolute`, as t e^{-t}.
KernelRounding kernel_rounding(const LoweredKernel& kernel, double deepest);

/// For edge kernels: beyond this exponent a value is below 1e-17.
inline constexpr double deep_exponent = 40;
/// For vertex kernels, by which is divided: all of it is relative. Beyond this exponent a value underflows.
inline constexpr double deepest_exponent = 745;

}  // namespace octile
