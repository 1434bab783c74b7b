// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <string_view>

// The leaf kernels of numbers once more, as the documents define them: the judge computes with nothing that it judges.
namespace octile::reference {

/// exp(−(x − y)² / (2 l²)).
inline double gaussian(double x, double y, double length) {
  return std::exp(-(x - y) * (x - y) / (2 * length * length));
}

/// Wendland's function φ_{d,k} of r = |x − y| / R, scaled to φ(0) = 1, with l = ⌊d/2⌋ + k + 1:
///
///     k = 0   (1−r)^l
///     k = 1   (1−r)^(l+1) ((l+1) r + 1)
///     k = 2   (1−r)^(l+2) ((l²+4l+3) r² + (3l+6) r + 3) / 3
///     k = 3   (1−r)^(l+3) ((l³+9l²+23l+15) r³ + (6l²+36l+45) r² + (15l+45) r + 15) / 15
inline double wendland(double x, double y, double radius, double k, double d) {
  const double r = std::abs(x - y) / radius;
  if (r >= 1) return 0;
  const double l = std::floor(d / 2) + k + 1;
  const double bump = std::pow(1 - r, l + k);
  if (k == 0) return bump;
  if (k == 1) return bump * ((l + 1) * r + 1);
  if (k == 2) return bump * ((l * l + 4 * l + 3) * r * r + (3 * l + 6) * r + 3) / 3;
  return bump *
         ((l * l * l + 9 * l * l + 23 * l + 15) * r * r * r + (6 * l * l + 36 * l + 45) * r * r + (15 * l + 45) * r +
          15) /
         15;
}

/// (1 + (x − y)² / (2 α l²))^−α.
inline double rational(double x, double y, double length, double alpha) {
  return std::pow(1 + (x - y) * (x - y) / (2 * alpha * length * length), -alpha);
}

/// Matérn's function of r = |x − y| / l: exp(−r), (1 + √3 r) exp(−√3 r), (1 + √5 r + 5r²/3) exp(−√5 r).
inline double matern(double x, double y, double length, double nu) {
  const double r = std::abs(x - y) / length;
  if (nu == 0.5) return std::exp(-r);
  if (nu == 1.5) return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
  return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
}

/// exp(−2 sin²(π (x − y) / period) / l²).
inline double periodic(double x, double y, double length, double period) {
  const double sine = std::sin(std::numbers::pi * (x - y) / period);
  return std::exp(-2 * sine * sine / (length * length));
}

/// κ(x, y) of the leaf kernel of this name, with all its parameters.
inline double number_kernel(std::string_view name, std::span<const double> given, double x, double y) {
  if (name == "gaussian") return gaussian(x, y, given[0]);
  if (name == "wendland") return wendland(x, y, given[0], given[1], given[2]);
  if (name == "rational") return rational(x, y, given[0], given[1]);
  if (name == "matern") return matern(x, y, given[0], given[1]);
  if (name == "periodic") return periodic(x, y, given[0], given[1]);
  throw Error("reference: kernel '" + std::string(name) + "' is not restated here");
}

}  // namespace octile::reference
