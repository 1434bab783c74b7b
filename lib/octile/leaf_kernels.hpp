// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/formulas.hpp>
#include <octile/leaf_list.hpp>
#include <octile/leaf_table.hpp>

#include <Kokkos_Abort.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The leaf kernels: all that the parser, the checks of ranges, the compiler, the machine that runs programs, the help and the
// documents know of one stands here, in one struct. The compile-time types of base_kernels.hpp call the same formulas. A new
// one is a struct and its place in the list `LeafKernels` below.
namespace octile {

namespace detail {

/// Whether those that may be left out come last, and have values that are allowed.
template <std::size_t Count>
constexpr bool defaults_are_last(const std::array<LeafParameter, Count>& parameters) {
  bool optional = false;
  for (const LeafParameter& parameter : parameters) {
    if (optional && !parameter.standard) return false;
    optional = parameter.standard.has_value();
    if (optional && (*parameter.standard < parameter.low || *parameter.standard > parameter.high)) return false;
  }
  return true;
}

/// −1, 0 or 1.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T sign(T value) {
  return T(value > T(0) ? 1 : 0) - T(value < T(0) ? 1 : 0);
}

}  // namespace detail

/// All parts of a leaf kernel. A leaf that lacks one does not compile. Its members are those of `LeafRow`, and for host and
/// device, in float and double:
///
///     value(x, y, arguments)                 κ(x, y)
///     derivative(k, x, y, arguments)         ∂κ(x, y) / ∂(parameter k), asked for where the parameter is `differentiable`
///     by_label(x, y, arguments)              ∂κ(x, y) / ∂x, asked for where the leaf reads numbers; 0 at a kink
template <class Leaf>
concept LeafKernel = requires(std::span<const double> parameters, const LeafArguments& arguments) {
  requires !std::string_view(Leaf::name).empty();
  { Leaf::reads } -> std::convertible_to<LeafReads>;
  requires detail::defaults_are_last(Leaf::parameters);
  requires !std::string_view(Leaf::equation).empty();
  requires !std::string_view(Leaf::values).empty();
  requires !std::string_view(Leaf::definite).empty();
  { Leaf::zero } -> std::convertible_to<std::string_view>;
  { Leaf::range(parameters) } -> std::same_as<ValueRange>;
  { Leaf::prepare(parameters) } -> std::same_as<LeafArguments>;
  { Leaf::operations(parameters) } -> std::same_as<double>;
  { Leaf::power(parameters, 2.0) } -> std::same_as<std::vector<double>>;
  { Leaf::template value<float>(0.0F, 0.0F, arguments) } -> std::same_as<float>;
  { Leaf::template value<double>(0.0, 0.0, arguments) } -> std::same_as<double>;
  { Leaf::template derivative<float>(0, 0.0F, 0.0F, arguments) } -> std::same_as<float>;
  { Leaf::template derivative<double>(0, 0.0, 0.0, arguments) } -> std::same_as<double>;
  { Leaf::template by_label<double>(0.0, 0.0, arguments) } -> std::same_as<double>;
};

/// 1 where two labels are equal, else h. `parameter` is h. Paper, section II.B.
struct DeltaLeaf {
  static constexpr std::string_view name = "delta";
  static constexpr LeafReads reads = LeafReads::equality;
  static constexpr std::array<LeafParameter, 1> parameters{{{.name = "h", .title = "h", .high = 1}}};
  static constexpr std::string_view equation = "1 if x = y, else h";
  static constexpr std::string_view values = "[h, 1]";
  static constexpr std::string_view definite = "every h: (1 - h) I + h 1 1' on distinct labels";
  static constexpr std::string_view zero = "a delta with h = 0";

  static ValueRange range(std::span<const double> given) { return {given[0], 1, given[0] > 0}; }
  static LeafArguments prepare(std::span<const double> given) { return {.parameter = given[0]}; }
  static double operations(std::span<const double>) { return 1; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {std::pow(given[0], exponent)};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    return formula::delta(x == y, static_cast<T>(arguments.parameter));
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, T x, T y, const LeafArguments&) {
    return x == y ? T(0) : T(1);
  }
  /// It compares codes, which are no numbers to differentiate by.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T, T, const LeafArguments&) {
    return T(0);
  }
};

/// A Gaussian of the difference of two numbers. `parameter` is s = 1 / (2 length²). Paper, appendix B.1.
struct GaussianLeaf {
  static constexpr std::string_view name = "gaussian";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 1> parameters{
      {{.name = "length", .title = "the length", .above_low = true}}};
  static constexpr std::string_view equation = "exp(-(x - y)^2 / (2 length^2))";
  static constexpr std::string_view values = "(0, 1]";
  static constexpr std::string_view definite = "every length";
  static constexpr std::string_view zero{};

  static ValueRange range(std::span<const double>) { return {0, 1, true}; }
  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = formula::square_exponential_rate(given[0])};
  }
  /// A difference, two products, and the exponential, which counts as one.
  static double operations(std::span<const double>) { return 4; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent)};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    return formula::square_exponential(x, y, static_cast<T>(arguments.parameter));
  }
  /// κ (x − y)² / length³.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, T x, T y, const LeafArguments& arguments) {
    const T twice = T(2) * static_cast<T>(arguments.parameter);
    return value(x, y, arguments) * (x - y) * (x - y) * twice * Kokkos::sqrt(twice);
  }
  /// −κ (x − y) / length².
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T x, T y, const LeafArguments& arguments) {
    return -value(x, y, arguments) * (x - y) * T(2) * static_cast<T>(arguments.parameter);
  }
};

/// Wendland's function of the difference of two numbers. `parameter` is 1 / radius, `degree` k, `exponent` ℓ. Wendland
/// 2004, theorem 9.13; paper, appendix B.2.
struct WendlandLeaf {
  static constexpr std::string_view name = "wendland";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 3> parameters{
      {{.name = "radius", .title = "the radius", .above_low = true},
       {.name = "k", .title = "the degree k", .low = 0, .high = 3, .step = 1, .standard = 1},
       {.name = "d", .title = "the dimension d", .low = 1, .high = 10, .step = 1, .standard = 3}}};
  static constexpr std::string_view equation = "Wendland's phi_{d,k}(|x - y| / radius), 0 from the radius on";
  static constexpr std::string_view values = "[0, 1]";
  static constexpr std::string_view definite = "every radius: in up to d dimensions, so of numbers for every d";
  static constexpr std::string_view zero = "a wendland beyond its radius";

  static ValueRange range(std::span<const double>) { return {0, 1, false}; }
  static LeafArguments prepare(std::span<const double> given) {
    const auto degree = static_cast<std::int32_t>(given[1]);
    return {.parameter = 1.0 / given[0],
            .degree = degree,
            .exponent = formula::wendland_exponent(degree, static_cast<int>(given[2]))};
  }
  /// 2 for ρ, 1 for 1 − ρ, ℓ + k products, 4 k for the polynomial.
  static double operations(std::span<const double> given) {
    const LeafArguments arguments = prepare(given);
    return 3 + arguments.exponent + 5 * arguments.degree;
  }
  static std::vector<double> power(std::span<const double>, double) { return {}; }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    return formula::wendland(Kokkos::abs(x - y) * static_cast<T>(arguments.parameter), arguments.degree,
                             arguments.exponent);
  }
  /// −φ'(ρ) ρ / radius.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, T x, T y, const LeafArguments& arguments) {
    const T reciprocal = static_cast<T>(arguments.parameter);
    const T rho = Kokkos::abs(x - y) * reciprocal;
    return -formula::wendland_slope(rho, arguments.degree, arguments.exponent) * rho * reciprocal;
  }
  /// φ'(ρ) / radius, with the sign of x − y.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T x, T y, const LeafArguments& arguments) {
    const T reciprocal = static_cast<T>(arguments.parameter);
    const T rho = Kokkos::abs(x - y) * reciprocal;
    return detail::sign(x - y) * reciprocal * formula::wendland_slope(rho, arguments.degree, arguments.exponent);
  }
};

/// A rational quadratic function of the difference of two numbers: Gaussians of all lengths, mixed with the weights of a
/// gamma distribution. `parameter` is 1 / (2 α length²), `shape` α. Rasmussen and Williams 2006, equation 4.19.
struct RationalLeaf {
  static constexpr std::string_view name = "rational";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 2> parameters{
      {{.name = "length", .title = "the length", .above_low = true},
       {.name = "alpha", .title = "the exponent alpha", .above_low = true}}};
  static constexpr std::string_view equation = "(1 + (x - y)^2 / (2 alpha length^2))^(-alpha)";
  static constexpr std::string_view values = "(0, 1]";
  static constexpr std::string_view definite = "every length and alpha: a mixture of gaussians";
  static constexpr std::string_view zero{};

  static ValueRange range(std::span<const double>) { return {0, 1, true}; }
  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = 0.5 / (given[1] * given[0] * given[0]), .shape = given[1]};
  }
  /// A difference, three products, and the logarithm and the exponential, which count as one each.
  static double operations(std::span<const double>) { return 6; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent), given[1] * exponent};
  }

  /// With w = (x − y)² / (2 α length²), as exp(−α log(1 + w)): a power of 1 + w would round w away where α is large.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    const T w = (x - y) * (x - y) * static_cast<T>(arguments.parameter);
    return Kokkos::exp(-static_cast<T>(arguments.shape) * Kokkos::log1p(w));
  }
  /// κ 2α/length · w/(1 + w) for the length, κ (w/(1 + w) − log(1 + w)) for α.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int k, T x, T y, const LeafArguments& arguments) {
    const T alpha = static_cast<T>(arguments.shape);
    const T scale = static_cast<T>(arguments.parameter);
    const T w = (x - y) * (x - y) * scale;
    const T kappa = value(x, y, arguments);
    if (k == 0) return kappa * T(2) * alpha * Kokkos::sqrt(T(2) * alpha * scale) * w / (T(1) + w);
    return kappa * (w / (T(1) + w) - Kokkos::log1p(w));
  }
  /// −κ (x − y) / length² / (1 + w).
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T x, T y, const LeafArguments& arguments) {
    const T scale = static_cast<T>(arguments.parameter);
    const T w = (x - y) * (x - y) * scale;
    return -value(x, y, arguments) * T(2) * static_cast<T>(arguments.shape) * scale * (x - y) / (T(1) + w);
  }
};

/// Matérn's function of the difference of two numbers, of smoothness ν = 1/2, 3/2 or 5/2: with a = √(2ν) |x − y| / length,
///
///     ν = 1/2   e^{−a}
///     ν = 3/2   e^{−a} (1 + a)
///     ν = 5/2   e^{−a} (1 + a + a²/3)
///
/// `parameter` is √(2ν) / length, `degree` ν − 1/2. Rasmussen and Williams 2006, equation 4.16.
struct MaternLeaf {
  static constexpr std::string_view name = "matern";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 2> parameters{
      {{.name = "length", .title = "the length", .above_low = true},
       {.name = "nu", .title = "the smoothness nu", .low = 0.5, .high = 2.5, .step = 1}}};
  static constexpr std::string_view equation =
      "exp(-a), times 1 + a for nu = 1.5, times 1 + a + a^2/3 for nu = 2.5; a = sqrt(2 nu) |x - y| / length";
  static constexpr std::string_view values = "(0, 1]";
  static constexpr std::string_view definite = "every length: its spectrum is positive";
  static constexpr std::string_view zero{};

  static ValueRange range(std::span<const double>) { return {0, 1, true}; }
  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = std::sqrt(2 * given[1]) / given[0], .degree = static_cast<std::int32_t>(given[1] - 0.5)};
  }
  /// A difference, its absolute value and a product, the exponential, which counts as one, and the polynomial.
  static double operations(std::span<const double> given) { return 4 + 2 * (given[1] - 0.5); }
  /// The exponential alone, nu = 1/2, stays one.
  static std::vector<double> power(std::span<const double> given, double exponent) {
    if (given[1] != 0.5) return {};
    return {given[0] / exponent, given[1]};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    const T a = Kokkos::abs(x - y) * static_cast<T>(arguments.parameter);
    const T decay = Kokkos::exp(-a);
    switch (arguments.degree) {
      case 0: return decay;
      case 1: return decay * (T(1) + a);
      default: return decay * (T(1) + a + a * a / T(3));
    }
  }
  /// e^{−a} a / length times 1 for ν = 1/2, a for 3/2, (a + a²)/3 for 5/2.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, T x, T y, const LeafArguments& arguments) {
    const T scale = static_cast<T>(arguments.parameter);
    const T a = Kokkos::abs(x - y) * scale;
    const T twice_nu = static_cast<T>(2 * arguments.degree + 1);
    const T slope = Kokkos::exp(-a) * a * scale / Kokkos::sqrt(twice_nu);
    switch (arguments.degree) {
      case 0: return slope;
      case 1: return slope * a;
      default: return slope * (a + a * a) / T(3);
    }
  }
  /// −√(2ν)/length e^{−a} times 1 for ν = 1/2, a for 3/2, (a + a²)/3 for 5/2, with the sign of x − y.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T x, T y, const LeafArguments& arguments) {
    const T scale = static_cast<T>(arguments.parameter);
    const T a = Kokkos::abs(x - y) * scale;
    const T slope = -detail::sign(x - y) * scale * Kokkos::exp(-a);
    switch (arguments.degree) {
      case 0: return slope;
      case 1: return slope * a;
      default: return slope * (a + a * a) / T(3);
    }
  }
};

/// A Gaussian of the chord between two numbers on a circle of one period. `parameter` is 2 / length², `shape` 1 / period.
/// Rasmussen and Williams 2006, equation 4.31.
struct PeriodicLeaf {
  static constexpr std::string_view name = "periodic";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 2> parameters{
      {{.name = "length", .title = "the length", .above_low = true},
       {.name = "period", .title = "the period", .above_low = true}}};
  static constexpr std::string_view equation = "exp(-2 sin(pi (x - y) / period)^2 / length^2)";
  static constexpr std::string_view values = "(0, 1]";
  static constexpr std::string_view definite = "every length and period: a gaussian on a circle";
  static constexpr std::string_view zero{};

  static ValueRange range(std::span<const double>) { return {0, 1, true}; }
  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = 2 / (given[0] * given[0]), .shape = 1 / given[1]};
  }
  /// A difference, four products, and the sine and the exponential, which count as one each.
  static double operations(std::span<const double>) { return 7; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent), given[1]};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(T x, T y, const LeafArguments& arguments) {
    const T sine = Kokkos::sin(angle(x, y, arguments));
    return Kokkos::exp(-static_cast<T>(arguments.parameter) * sine * sine);
  }
  /// κ 4 sin²(φ) / length³ for the length, κ 2/length² sin(2φ) π (x − y) / period² for the period.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int k, T x, T y, const LeafArguments& arguments) {
    const T scale = static_cast<T>(arguments.parameter);
    const T frequency = static_cast<T>(arguments.shape);
    const T phi = angle(x, y, arguments);
    const T sine = Kokkos::sin(phi);
    const T kappa = Kokkos::exp(-scale * sine * sine);
    if (k == 0) return kappa * sine * sine * scale * Kokkos::sqrt(T(2) * scale);
    return kappa * scale * Kokkos::sin(T(2) * phi) * Kokkos::numbers::pi_v<T> * (x - y) * frequency * frequency;
  }
  /// −κ 2/length² sin(2φ) π / period.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(T x, T y, const LeafArguments& arguments) {
    const T scale = static_cast<T>(arguments.parameter);
    return -value(x, y, arguments) * scale * Kokkos::sin(T(2) * angle(x, y, arguments)) * Kokkos::numbers::pi_v<T> *
           static_cast<T>(arguments.shape);
  }

 private:
  /// φ = π (x − y) / period, less the whole multiples of π, which change neither sin² φ nor sin 2φ.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T angle(T x, T y, const LeafArguments& arguments) {
    const T turns = (x - y) * static_cast<T>(arguments.shape);
    return Kokkos::numbers::pi_v<T> * (turns - Kokkos::round(turns));
  }
};

/// Every leaf kernel that there is.
using LeafKernels = LeafList<DeltaLeaf, GaussianLeaf, WendlandLeaf, RationalLeaf, MaternLeaf, PeriodicLeaf>;

/// The number of a leaf kernel, such as leaf_number<DeltaLeaf>.
template <class Leaf>
inline constexpr std::int32_t leaf_number = LeafKernels::number<Leaf>;

}  // namespace octile
