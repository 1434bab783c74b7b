// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

// How leaf kernels round, for the host. A leaf counts the roundings of its formula in `rounding`. Its arguments are formed from its
// parameters by up to four operations, which are counted there, too.
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

/// For edge kernels: beyond this exponent a value is below 1e-17.
inline constexpr double deep_exponent = 40;
/// For vertex kernels, by which is divided: all of it is relative. Beyond this exponent a value underflows.
inline constexpr double deepest_exponent = 745;

/// The labels that a leaf is asked about, and how well its parameters are known.
struct LeafLabels {
  double widest = 0;         ///< the largest |x − y|
  double deepest = 0;        ///< the largest exponent t of an e^{−t} that counts as relative
  double of_parameters = 0;  ///< roundoffs of its parameters, beside those of its arguments
};

/// A library's exp, log1p, sin or pow is off by a unit in the last place: two roundoffs. A root, as all else, by one.
inline constexpr double of_function = 2;

/// e^{−t}, 0 ≤ t ≤ `largest`, times a factor that rounds by `further`, where t is off by at most `of_exponent` · t roundoffs. Those of
/// parameters count twice in t at most: as squares.
inline KernelRounding of_exponential(double largest, double of_exponent, double further, const LeafLabels& labels) {
  constexpr double least_exponent = -700;
  const double deepest = labels.deepest;
  const double t = std::min(largest, deepest);
  of_exponent += 2 * labels.of_parameters;
  // t e^{−t} falls from t = 1 on.
  const double highest = largest < 1 ? largest * std::exp(-largest) : std::exp(-1.0);
  KernelRounding rounding;
  rounding.relative = of_exponent * t + of_function + further;
  rounding.absolute = largest > deepest && deepest < deepest_exponent ? of_exponent * deepest * std::exp(-deepest) : 0;
  rounding.whole = of_exponent * highest + of_function + further;
  rounding.least = std::exp(std::max(-largest, least_exponent));
  return rounding;
}

}  // namespace octile
