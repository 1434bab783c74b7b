// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <type_traits>

namespace octile {

/// The formulas, for any floating-point T.
namespace formula {

/// 1 where the labels are equal, else h.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T delta(bool equal, T h) {
  return equal ? T(1) : h;
}

/// exp(−s (x − y)²), s = 1 / (2 length²). Labels are subtracted in double, unless they are floats, whose difference is a float but
/// for its rounding. Where s is no usual float the exponent is formed in double too.
template <class T, class Label>
KOKKOS_INLINE_FUNCTION T square_exponential(Label x, Label y, double s) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Label, float>) {
    // On a GPU conversions take longer than all of this.
    if (s > 1e-30 && s < 1e30) {
      const float difference = x - y;
      return Kokkos::exp(-static_cast<float>(s) * difference * difference);
    }
  }
  const double difference = static_cast<double>(x) - static_cast<double>(y);
  return Kokkos::exp(static_cast<T>(-s * difference * difference));
}

/// s of `square_exponential` from the length scale.
constexpr double square_exponential_rate(double length) { return 0.5 / (length * length); }

/// ℓ of Wendland's function: ⌊d/2⌋ + k + 1.
KOKKOS_INLINE_FUNCTION constexpr int wendland_exponent(int degree, int dimension) { return dimension / 2 + degree + 1; }

/// Wendland's φ_{d,k}(ρ), ρ = |x − y| / radius, of smoothness C^{2k}: with
/// u = 1 − ρ for ρ < 1, and 0 beyond,
///
///     k = 0   u^ℓ
///     k = 1   u^{ℓ+1} ((ℓ+1) ρ + 1)
///     k = 2   u^{ℓ+2} ((ℓ²+4ℓ+3) ρ² + (3ℓ+6) ρ + 3) / 3
///     k = 3   u^{ℓ+3} ((ℓ³+9ℓ²+23ℓ+15) ρ³ + (6ℓ²+36ℓ+45) ρ² + (15ℓ+45) ρ + 15) / 15
template <class T>
KOKKOS_INLINE_FUNCTION T wendland(T rho, int degree, int exponent) {
  if (!(rho < T(1))) return T(0);
  const T u = T(1) - rho;
  const T l = static_cast<T>(exponent);
  T power = T(1);
  for (int count = exponent + degree; count > 0; --count) power *= u;
  switch (degree) {
    case 0: return power;
    case 1: return power * ((l + T(1)) * rho + T(1));
    case 2: return power * (((l + T(4)) * l + T(3)) * rho * rho + (T(3) * l + T(6)) * rho + T(3)) / T(3);
    default:
      return power *
             (((((l + T(9)) * l + T(23)) * l + T(15)) * rho + (T(6) * l + T(36)) * l + T(45)) * rho * rho +
              (T(15) * l + T(45)) * rho + T(15)) /
             T(15);
  }
}

/// φ'_{d,k}(ρ), which is one of the same family, with the same ℓ:
///
///     k = 0   −ℓ u^{ℓ−1}
///     k > 0   −(ℓ+2k−1) (ℓ+2k) / (2k−1) · ρ φ_{k−1}(ρ)
template <class T>
KOKKOS_INLINE_FUNCTION T wendland_slope(T rho, int degree, int exponent) {
  const T l = static_cast<T>(exponent);
  if (degree == 0) return -l * wendland(rho, 0, exponent - 1);
  const T twice = static_cast<T>(2 * degree);
  return -(l + twice - T(1)) * (l + twice) / (twice - T(1)) * rho * wendland(rho, degree - 1, exponent);
}

}  // namespace formula

}  // namespace octile
