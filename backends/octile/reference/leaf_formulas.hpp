// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The leaf kernels of numbers once more, as the documents define them: the judge computes with nothing that it judges.
namespace octile::reference {

/// exp(−(x − y)² / (2 l²)).
template <class Real>
Real gaussian(Real x, Real y, Real length) {
  return std::exp(-(x - y) * (x - y) / (2 * length * length));
}

/// Wendland's function φ_{d,k} of r = |x − y| / R, scaled to φ(0) = 1, with l = ⌊d/2⌋ + k + 1:
///
///     k = 0   (1−r)^l
///     k = 1   (1−r)^(l+1) ((l+1) r + 1)
///     k = 2   (1−r)^(l+2) ((l²+4l+3) r² + (3l+6) r + 3) / 3
///     k = 3   (1−r)^(l+3) ((l³+9l²+23l+15) r³ + (6l²+36l+45) r² + (15l+45) r + 15) / 15
template <class Real>
Real wendland(Real x, Real y, Real radius, Real k, Real d) {
  const Real r = std::abs(x - y) / radius;
  if (r >= 1) return 0;
  const Real l = std::floor(d / 2) + k + 1;
  const Real bump = std::pow(1 - r, l + k);
  if (k == 0) return bump;
  if (k == 1) return bump * ((l + 1) * r + 1);
  if (k == 2) return bump * ((l * l + 4 * l + 3) * r * r + (3 * l + 6) * r + 3) / 3;
  return bump *
         ((l * l * l + 9 * l * l + 23 * l + 15) * r * r * r + (6 * l * l + 36 * l + 45) * r * r + (15 * l + 45) * r +
          15) /
         15;
}

/// (1 + (x − y)² / (2 α l²))^−α. Where α is large, 1 + w has lost w to rounding: so it is the exponential of −α ln(1 + w).
template <class Real>
Real rational(Real x, Real y, Real length, Real alpha) {
  return std::exp(-alpha * std::log1p((x - y) * (x - y) / (2 * alpha * length * length)));
}

/// Matérn's function of r = |x − y| / l: exp(−r), (1 + √3 r) exp(−√3 r), (1 + √5 r + 5r²/3) exp(−√5 r).
template <class Real>
Real matern(Real x, Real y, Real length, Real nu) {
  const Real r = std::abs(x - y) / length;
  if (nu == 0.5) return std::exp(-r);
  if (nu == 1.5) return (1 + std::sqrt(Real(3)) * r) * std::exp(-std::sqrt(Real(3)) * r);
  return (1 + std::sqrt(Real(5)) * r + 5 * r * r / 3) * std::exp(-std::sqrt(Real(5)) * r);
}

/// exp(−2 sin²(π (x − y) / period) / l²).
template <class Real>
Real periodic(Real x, Real y, Real length, Real period) {
  // What is left of whole turns, which is exact: of many turns the difference would round away a part of one.
  const Real rest = std::remainder(x, period) - std::remainder(y, period);
  const Real sine = std::sin(std::numbers::pi_v<Real> * rest / period);
  return std::exp(-2 * sine * sine / (length * length));
}

/// κ(x, y) of the leaf kernel of this name, with all its parameters.
template <class Real>
Real number_kernel(std::string_view name, std::span<const Real> given, Real x, Real y) {
  if (name == "gaussian") return gaussian(x, y, given[0]);
  if (name == "wendland") return wendland(x, y, given[0], given[1], given[2]);
  if (name == "rational") return rational(x, y, given[0], given[1]);
  if (name == "matern") return matern(x, y, given[0], given[1]);
  if (name == "periodic") return periodic(x, y, given[0], given[1]);
  throw Error("reference: kernel '" + std::string(name) + "' is not restated here");
}

/// Its derivative with respect to parameter k, by differences: with half the step and the whole one, (4 D(h/2) − D(h)) / 3 is exact
/// up to h⁴.
template <class Real>
Real number_slope(std::string_view name, std::span<const Real> given, std::size_t k, Real x, Real y) {
  std::vector<Real> varied(given.begin(), given.end());
  const auto difference = [&](Real step) {
    const auto at = [&](Real value) {
      varied[k] = value;
      return number_kernel<Real>(name, varied, x, y);
    };
    return (at(given[k] + step) - at(given[k] - step)) / (2 * step);
  };
  const Real step = Real(1e-5) * std::abs(given[k]);
  return (4 * difference(step / 2) - difference(step)) / 3;
}

}  // namespace octile::reference
