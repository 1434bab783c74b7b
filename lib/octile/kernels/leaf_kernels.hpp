// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/kernels/formulas.hpp>
#include <octile/kernels/leaf_kernel.hpp>
#include <octile/kernels/leaf_list.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

// The leaf kernels: all that the parser, the checks of ranges, the compiler, the machine that runs programs, the help and the
// documents know of one stands here, in one struct. The compile-time types of base_kernels.hpp call the same formulas. A new
// one is a struct and its place in the list `LeafKernels` below.
namespace octile {

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
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    return formula::delta(x == y, static_cast<T>(arguments.parameter));
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, double x, double y, const LeafArguments&) {
    return x == y ? T(0) : T(1);
  }
  /// It compares codes, which are no numbers to differentiate by.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double, double, const LeafArguments&) {
    return T(0);
  }
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    return {.relative = labels.of_parameters, .absolute = 0, .whole = labels.of_parameters, .least = given.parameter};
  }
};

/// What the leaf kernels of two numbers have in common that have a length and stay above 0.
struct LengthLeaf {
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr LeafParameter length{
      .name = "length", .title = "the length", .low = least_length, .high = most_length};
  static constexpr std::string_view values = "(0, 1]";
  static constexpr std::string_view zero{};
  static ValueRange range(std::span<const double>) { return {0, 1, true}; }
};

/// A Gaussian of the difference of two numbers. `parameter` is s = 1 / (2 length²). Paper, appendix B.1.
struct GaussianLeaf : LengthLeaf {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::array<LeafParameter, 1> parameters{{length}};
  static constexpr std::string_view equation = "exp(-(x - y)^2 / (2 length^2))";
  static constexpr std::string_view definite = "every length";

  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = formula::square_exponential_rate(given[0])};
  }
  /// A difference, two products, and the exponential, which counts as one.
  static double operations(std::span<const double>) { return 4; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent)};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    return formula::square_exponential<T>(x, y, arguments.parameter);
  }
  /// κ (x − y)² / length³.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, double x, double y, const LeafArguments& arguments) {
    const double twice = 2 * arguments.parameter;
    return detail::times(value<T>(x, y, arguments), (x - y) * (x - y) * twice * Kokkos::sqrt(twice));
  }
  /// −κ (x − y) / length².
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double x, double y, const LeafArguments& arguments) {
    return detail::times(value<T>(x, y, arguments), (y - x) * 2 * arguments.parameter);
  }
  /// s: 2, x − y twice: 2, products: 2. Where a device takes a power of 2: log2(e) and another product, 2, and a series for the rest.
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    constexpr double of_exponent = 8;
    constexpr double of_series = 8;
    return of_exponential(given.parameter * labels.widest * labels.widest, of_exponent, of_series, labels);
  }
};

/// Wendland's function of the difference of two numbers. `parameter` is 1 / radius, `degree` k, `exponent` ℓ. Wendland
/// 2004, theorem 9.13; paper, appendix B.2.
struct WendlandLeaf {
  static constexpr std::string_view name = "wendland";
  static constexpr LeafReads reads = LeafReads::numbers;
  static constexpr std::array<LeafParameter, 3> parameters{
      {{.name = "radius", .title = "the radius", .low = least_length, .high = most_length},
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
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    return formula::wendland(rho<T>(x, y, arguments), arguments.degree, arguments.exponent);
  }
  /// −φ'(ρ) ρ / radius.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, double x, double y, const LeafArguments& arguments) {
    const T at = rho<T>(x, y, arguments);
    return -formula::wendland_slope(at, arguments.degree, arguments.exponent) * at *
           static_cast<T>(arguments.parameter);
  }
  /// φ'(ρ) / radius, with the sign of x − y.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double x, double y, const LeafArguments& arguments) {
    return static_cast<T>(detail::sign(x - y) * arguments.parameter) *
           formula::wendland_slope(rho<T>(x, y, arguments), arguments.degree, arguments.exponent);
  }
  /// ρ: 3 of ρ, by which φ changes by less than its steepest slope, |φ'| ≤ (ℓ+2k−1)(ℓ+2k)/(2k−1) or ℓ. Then 1 − ρ, its power, and a
  /// polynomial of terms ≥ 0.
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    constexpr double of_rho = 3;
    constexpr double of_polynomial = 16;
    const double l = given.exponent;
    const double k = given.degree;
    const double steepest = k == 0 ? l : (l + 2 * k - 1) * (l + 2 * k) / (2 * k - 1);
    const double rho = std::min(labels.widest * given.parameter, 1.0);
    KernelRounding bound;
    bound.relative = 2 * (l + k) + of_polynomial;
    bound.absolute = of_rho * steepest * rho;
    bound.whole = bound.relative + bound.absolute;
    bound.least = value<double>(0.0, labels.widest, given);
    return bound;
  }

 private:
  /// |x − y| / radius, or if that is larger a number beyond 1, where all is 0.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T rho(double x, double y, const LeafArguments& arguments) {
    return static_cast<T>(Kokkos::min(Kokkos::abs(x - y) * arguments.parameter, 2.0));
  }
};

/// A rational quadratic function of the difference of two numbers: Gaussians of all lengths, mixed with the weights of a
/// gamma distribution. `parameter` is 1 / (2 α length²), `shape` α. Rasmussen and Williams 2006, equation 4.19.
struct RationalLeaf : LengthLeaf {
  static constexpr std::string_view name = "rational";
  static constexpr std::array<LeafParameter, 2> parameters{
      {length, {.name = "alpha", .title = "the exponent alpha", .low = least_length, .high = most_length}}};
  static constexpr std::string_view equation = "(1 + (x - y)^2 / (2 alpha length^2))^(-alpha)";
  static constexpr std::string_view definite = "every length and alpha: a mixture of gaussians";

  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = 0.5 / (given[1] * given[0] * given[0]), .shape = given[1]};
  }
  /// A difference, three products, and the logarithm and the exponential, which count as one each.
  static double operations(std::span<const double>) { return 6; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent), given[1] * exponent};
  }

  /// With w = (x − y)² / (2 α length²), as exp(−α log(1 + w)): a power of 1 + w would round w away where α is large. In double up
  /// to the exponent: α and w are large and small together.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    const double w = (x - y) * (x - y) * arguments.parameter;
    return Kokkos::exp(static_cast<T>(-arguments.shape * Kokkos::log1p(w)));
  }
  /// κ 2α/length · w/(1 + w) for the length, κ (w/(1 + w) − log(1 + w)) for α.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int k, double x, double y, const LeafArguments& arguments) {
    const double alpha = arguments.shape;
    const double scale = arguments.parameter;
    const double w = (x - y) * (x - y) * scale;
    const T kappa = value<T>(x, y, arguments);
    if (k == 0) return detail::times(kappa, 2 * alpha * Kokkos::sqrt(2 * alpha * scale) * w / (1 + w));
    return detail::times(kappa, w / (1 + w) - Kokkos::log1p(w));
  }
  /// −κ (x − y) / length² / (1 + w).
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double x, double y, const LeafArguments& arguments) {
    const double scale = arguments.parameter;
    const double w = (x - y) * (x - y) * scale;
    return detail::times(value<T>(x, y, arguments), 2 * arguments.shape * scale * (y - x) / (1 + w));
  }
  /// w: 3 of the scale, x − y twice: 2, products: 2. log1p(w) changes by no more, relatively. The exponent: 2 for log1p, 1 for α.
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    constexpr double of_exponent = 10;
    const double largest = given.shape * std::log1p(labels.widest * labels.widest * given.parameter);
    return of_exponential(largest, of_exponent, 0, labels);
  }
};

/// Matérn's function of the difference of two numbers, of smoothness ν = 1/2, 3/2 or 5/2: with a = √(2ν) |x − y| / length,
///
///     ν = 1/2   e^{−a}
///     ν = 3/2   e^{−a} (1 + a)
///     ν = 5/2   e^{−a} (1 + a + a²/3)
///
/// `parameter` is √(2ν) / length, `degree` ν − 1/2. Rasmussen and Williams 2006, equation 4.16.
struct MaternLeaf : LengthLeaf {
  static constexpr std::string_view name = "matern";
  static constexpr std::array<LeafParameter, 2> parameters{
      {length, {.name = "nu", .title = "the smoothness nu", .low = 0.5, .high = 2.5, .step = 1}}};
  static constexpr std::string_view equation =
      "exp(-a), times 1 + a for nu = 1.5, times 1 + a + a^2/3 for nu = 2.5; a = sqrt(2 nu) |x - y| / length";
  static constexpr std::string_view definite = "every length: its spectrum is positive";

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
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    const T a = distance<T>(x, y, arguments);
    const T decay = Kokkos::exp(-a);
    switch (arguments.degree) {
      case 0: return decay;
      case 1: return decay * (T(1) + a);
      default: return decay * (T(1) + a + a * a / T(3));
    }
  }
  /// e^{−a} a / length times 1 for ν = 1/2, a for 3/2, (a + a²)/3 for 5/2.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int, double x, double y, const LeafArguments& arguments) {
    const T a = distance<T>(x, y, arguments);
    const double twice_nu = 2 * arguments.degree + 1;
    const T slope = Kokkos::exp(-a) * a * static_cast<T>(arguments.parameter / Kokkos::sqrt(twice_nu));
    switch (arguments.degree) {
      case 0: return slope;
      case 1: return slope * a;
      default: return slope * (a + a * a) / T(3);
    }
  }
  /// −√(2ν)/length e^{−a} times 1 for ν = 1/2, a for 3/2, (a + a²)/3 for 5/2, with the sign of x − y.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double x, double y, const LeafArguments& arguments) {
    const T a = distance<T>(x, y, arguments);
    const T slope = static_cast<T>(-detail::sign(x - y) * arguments.parameter) * Kokkos::exp(-a);
    switch (arguments.degree) {
      case 0: return slope;
      case 1: return slope * a;
      default: return slope * (a + a * a) / T(3);
    }
  }
  /// a: 2 of the scale, 2. Where a device takes a power of 2: log2(e) and another product, 2, and a series. The polynomial's terms are ≥ 0, and a
  /// counts in them twice at most.
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    constexpr double of_a = 6;
    constexpr double of_series = 8;
    constexpr double of_polynomial = 16;
    return of_exponential(given.parameter * labels.widest, of_a, of_series + of_polynomial, labels);
  }

 private:
  /// a, or if that is larger a distance at which the kernel is 0: the square of a would overflow.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T distance(double x, double y, const LeafArguments& arguments) {
    constexpr double most = 1000;
    return static_cast<T>(Kokkos::min(Kokkos::abs(x - y) * arguments.parameter, most));
  }
};

/// A Gaussian of the chord between two numbers on a circle of one period. `parameter` is 2 / length², `shape` the period.
/// Rasmussen and Williams 2006, equation 4.31.
struct PeriodicLeaf : LengthLeaf {
  static constexpr std::string_view name = "periodic";
  static constexpr std::array<LeafParameter, 2> parameters{
      {length, {.name = "period", .title = "the period", .low = least_length, .high = most_length}}};
  static constexpr std::string_view equation = "exp(-2 sin(pi (x - y) / period)^2 / length^2)";
  static constexpr std::string_view definite = "every length and period: a gaussian on a circle";

  static LeafArguments prepare(std::span<const double> given) {
    return {.parameter = 2 / (given[0] * given[0]), .shape = given[1]};
  }
  /// A difference, a quotient, three products, and the sine and the exponential, which count as one each.
  static double operations(std::span<const double>) { return 7; }
  static std::vector<double> power(std::span<const double> given, double exponent) {
    return {given[0] / std::sqrt(exponent), given[1]};
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const LeafArguments& arguments) {
    const double sine = Kokkos::sin(angle<double>(x, y, arguments));
    return Kokkos::exp(static_cast<T>(-arguments.parameter * sine * sine));
  }
  /// κ 4 sin²(φ) / length³ for the length, κ 2/length² sin(2φ) π (x − y) / period² for the period.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T derivative(int k, double x, double y, const LeafArguments& arguments) {
    const double scale = arguments.parameter;
    const double frequency = 1 / arguments.shape;
    const T phi = angle<T>(x, y, arguments);
    const double sine = Kokkos::sin(phi);
    const T kappa = Kokkos::exp(static_cast<T>(-scale * sine * sine));
    if (k == 0) return detail::times(kappa, sine * sine * scale * Kokkos::sqrt(2 * scale));
    if (phi == T(0)) return T(0);  // on a whole turn
    const double turn = Kokkos::numbers::pi_v<double> * (x - y) * frequency * frequency;
    return detail::times(kappa, scale * Kokkos::sin(T(2) * phi) * turn);
  }
  /// −κ 2/length² sin(2φ) π / period.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T by_label(double x, double y, const LeafArguments& arguments) {
    const double sine = Kokkos::sin(T(2) * angle<T>(x, y, arguments));
    return detail::times(value<T>(x, y, arguments),
                         -sine * arguments.parameter * Kokkos::numbers::pi_v<double> / arguments.shape);
  }
  /// The angle φ is off by 3 of all turns that are divided out, and by 3 of what is left, which is up to 2 turns. With E = S sin² φ the exponent is off by 2 √(S E) times that, and by 8
  /// of itself.
  static KernelRounding rounding(const LeafArguments& given, const LeafLabels& labels) {
    constexpr double of_exponent = 8;
    const double turns = labels.widest / given.shape;
    const double of_angle = 3 * std::numbers::pi * (std::min(turns, most_turns) + 2);
    const double largest =
        turns < 0.5 ? given.parameter * std::pow(std::sin(std::numbers::pi * turns), 2) : given.parameter;
    KernelRounding bound = of_exponential(largest, of_exponent, 0, labels);
    const double squared = given.parameter * of_angle * of_angle * unit_roundoff;
    const auto by_angle = [&](double exponent) {
      return 2 * std::sqrt(given.parameter * exponent) * of_angle + squared;
    };
    bound.relative += by_angle(std::min(largest, labels.deepest));
    if (largest > labels.deepest && labels.deepest < deepest_exponent)
      bound.absolute += by_angle(labels.deepest) * std::exp(-labels.deepest);
    // √E e^{−E} is largest at E = 1/2.
    bound.whole += by_angle(std::min(largest, 0.5));
    return bound;
  }

 private:
  /// Up to so many turns the difference of two numbers tells what is left of one.
  static constexpr double most_turns = 0x1p10;

  /// φ = π (x − y) / period, less the whole multiples of π, which change neither sin² φ nor sin 2φ. Remainders are exact.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T angle(double x, double y, const LeafArguments& arguments) {
    const double period = arguments.shape;
    double turns = (x - y) / period;
    if (!(Kokkos::abs(turns) < most_turns)) turns = (Kokkos::fmod(x, period) - Kokkos::fmod(y, period)) / period;
    return static_cast<T>(Kokkos::numbers::pi_v<double> * (turns - Kokkos::round(turns)));
  }
};

/// Every leaf kernel that there is.
using LeafKernels = LeafList<DeltaLeaf, GaussianLeaf, WendlandLeaf, RationalLeaf, MaternLeaf, PeriodicLeaf>;

/// The number of a leaf kernel, such as leaf_number<DeltaLeaf>.
template <class Leaf>
inline constexpr std::int32_t leaf_number = LeafKernels::number<Leaf>;

}  // namespace octile
