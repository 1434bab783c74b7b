// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/kernels/formulas.hpp>
#include <octile/kernels/leaf_table.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cmath>
#include <concepts>
#include <sstream>
#include <string>
#include <type_traits>

// Base kernels κ(a, b) of labels as compile-time types, over the formulas of leaf_kernels.hpp. Run-time expressions
// (expression.hpp) call the same formulas.
namespace octile {

/// A base kernel over labels of type Label: captured by value by a device function, and
/// evaluated there in float or double.
template <class Kernel, class Label>
concept BaseKernel = std::is_copy_constructible_v<Kernel> && requires(const Kernel kernel, const Label label) {
  { kernel.template evaluate<float>(label, label) } -> std::convertible_to<float>;
  { kernel.template evaluate<double>(label, label) } -> std::convertible_to<double>;
};

namespace detail {
/// Throws `Error` unless low ≤ value ≤ high (low excluded if `open`).
inline double require_between(const char* what, double value, double low, double high, bool open) {
  const bool inside = (open ? value > low : value >= low) && value <= high;
  if (!inside) {
    const auto text = [](double number) {
      std::ostringstream out;
      out << number;
      return out.str();
    };
    throw Error(std::string(what) + " is " + text(value) + "; allowed is " + text(low) + (open ? " < " : " <= ") +
                what + " <= " + text(high));
  }
  return value;
}
}  // namespace detail

/// κ(a, b) = c. Range {c}; positive definite for c > 0 (0 < c ≤ 1 here). With
/// c = 1 the unlabelled case. Paper, section II.B.
class Constant {
 public:
  /// Throws `Error` unless 0 < c ≤ 1.
  explicit Constant(double c = 1.0) : value_(detail::require_between("constant", c, 0, 1, true)) {}
  /// c, whatever the labels.
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label&, const Label&) const {
    return static_cast<T>(value_);
  }

 private:
  double value_;
};

/// κ(a, b) = 1 where a = b, else h. Range [h, 1]; positive definite for 0 ≤ h ≤ 1:
/// (1 − h) I + h 1 1ᵀ on distinct labels. A vertex kernel needs h > 0. Paper, section II.B.
class KroneckerDelta {
 public:
  /// Throws `Error` unless 0 ≤ h ≤ 1.
  explicit KroneckerDelta(double h) : h_(detail::require_between("h", h, 0, 1, false)) {}
  /// 1 where a = b, else h.
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return formula::delta(a == b, static_cast<T>(h_));
  }

 private:
  double h_;
};

/// κ(x, y) = exp(−(x − y)² / (2 length²)) of numbers. Range (0, 1]; positive
/// definite for every length > 0. Paper, appendix B.1.
class SquareExponential {
 public:
  /// Throws `Error` unless 1e-100 ≤ length ≤ 1e100.
  explicit SquareExponential(double length)
      : rate_(formula::square_exponential_rate(
            detail::require_between("length", length, least_length, most_length, false))) {}

  /// The kernel exp(−s (x − y)²), where s is 1 / (2 length²). Throws `Error` unless s is finite and ≥ 0.
  static SquareExponential of_rate(double s) {
    SquareExponential kernel(1.0);
    kernel.rate_ = detail::require_between("s", s, 0, 1e300, false);
    return kernel;
  }
  /// exp(−s (x − y)²) with s = `rate()`.
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& x, const Label& y) const {
    return formula::square_exponential<T>(x, y, rate_);
  }

  /// s = 1 / (2 length²).
  KOKKOS_INLINE_FUNCTION double rate() const { return rate_; }

 private:
  double rate_;
};

/// Wendland's compact polynomial radial basis φ_{d,k}(|x − y| / radius) of numbers,
/// `Degree` k = 0 … 3, `Dimension` d ≥ 1. Range [0, 1]; positive definite in spaces
/// of up to d dimensions (Wendland 2004, theorem 9.13), so of numbers for every d.
/// From the radius on it is 0, so that by itself it is no vertex kernel. Paper, appendix B.2.
template <int Degree, int Dimension = 3>
requires(Degree >= 0 && Degree <= 3 && Dimension >= 1) class Wendland {
 public:
  /// Throws `Error` unless 1e-100 ≤ radius ≤ 1e100.
  explicit Wendland(double radius)
      : reciprocal_(1.0 / detail::require_between("radius", radius, least_length, most_length, false)) {}
  /// φ_{d,k}(|x − y| / radius), in [0, 1]: 1 where x = y, 0 from the radius on.
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& x, const Label& y) const {
    // In double: the difference of labels far from zero would be lost in float.
    const double rho = Kokkos::abs(static_cast<double>(x) - static_cast<double>(y)) * reciprocal_;
    return formula::wendland(static_cast<T>(rho), Degree, formula::wendland_exponent(Degree, Dimension));
  }

 private:
  double reciprocal_;
};

/// κ(a.member, b.member): a kernel of one attribute of a label that is a struct,
/// as `Field<&Bond::length, SquareExponential>`. Range and definiteness are the kernel's.
template <auto Member, class Kernel>
class Field {
 public:
  /// A kernel of what the member holds.
  explicit Field(const Kernel& kernel) : kernel_(kernel) {}
  /// κ(a.member, b.member).
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return kernel_.template evaluate<T>(a.*Member, b.*Member);
  }

  /// The kernel of the attribute.
  KOKKOS_INLINE_FUNCTION const Kernel& kernel() const { return kernel_; }

 private:
  Kernel kernel_;
};

/// `Field` with its kernel's type deduced: field<&Bond::length>(SquareExponential(0.1)).
template <auto Member, class Kernel>
Field<Member, Kernel> field(const Kernel& kernel) {
  return Field<Member, Kernel>(kernel);
}

/// κ(a, b) = Π_k κ_k(a, b), each factor usually on an attribute of its own. Range
/// within [0, 1] and positive definite, as products of such are (Schur). Paper, appendix B.3.
template <class First, class... Rest>
class TensorProduct {
 public:
  /// One factor or more.
  explicit TensorProduct(const First& first, const Rest&... rest) : first_(first), rest_(rest...) {}
  /// Π_k κ_k(a, b), in [0, 1].
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return first_.template evaluate<T>(a, b) * rest_.template evaluate<T>(a, b);
  }

  /// The first factor, and the product of the others.
  KOKKOS_INLINE_FUNCTION const First& first() const { return first_; }
  KOKKOS_INLINE_FUNCTION const TensorProduct<Rest...>& rest() const { return rest_; }  ///< all factors but the first

 private:
  First first_;
  TensorProduct<Rest...> rest_;
};

/// The last factor.
template <class Last>
class TensorProduct<Last> {
 public:
  /// The product of this one factor.
  explicit TensorProduct(const Last& last) : last_(last) {}
  /// The value of this factor, κ(a, b).
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return last_.template evaluate<T>(a, b);
  }

  /// The factor.
  KOKKOS_INLINE_FUNCTION const Last& first() const { return last_; }

 private:
  Last last_;
};

/// κ(a, b) = w κ₁(a, b) + (1 − w) κ₂(a, b). Range within [0, 1]; positive definite
/// for 0 < w < 1, as positive sums of such are. Nest it for more than two terms.
template <class First, class Second>
class WeightedSum {
 public:
  /// Throws `Error` unless 0 < weight < 1.
  WeightedSum(double weight, const First& first, const Second& second)
      : weight_(detail::require_between("weight", weight, 0, std::nextafter(1.0, 0.0), true)),
        first_(first),
        second_(second) {}
  /// w κ₁(a, b) + (1 − w) κ₂(a, b), in [0, 1].
  template <class T, class Label>
  KOKKOS_INLINE_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return static_cast<T>(weight_) * first_.template evaluate<T>(a, b) +
           static_cast<T>(1.0 - weight_) * second_.template evaluate<T>(a, b);
  }

 private:
  double weight_;
  First first_;
  Second second_;
};

/// A list label of at most `Capacity` elements, by value, for `RConvolution`.
template <class T, int Capacity>
struct BoundedList {
  int count = 0;                                      ///< elements in use, 0 to `Capacity`
  T values[static_cast<std::size_t>(Capacity)] = {};  ///< the elements; those from `count` on are not read

  KOKKOS_INLINE_FUNCTION int size() const { return count; }  ///< the number of elements in use
  /// Element k, from 0.
  KOKKOS_INLINE_FUNCTION const T& operator[](int k) const { return values[k]; }
};

/// κ(a, b) = 1/(|a| |b|) Σ_i Σ_j κ₀(a_i, b_j) of lists (`size()`, `operator[]`) of
/// any lengths; 0 where one is empty. The paper's R-convolution (appendix B.4),
/// averaged: the plain sum leaves [0, 1]. Range that of κ₀ (and 0 for empty lists);
/// positive definite where κ₀ is, being an inner product of mean features. A vertex
/// kernel needs non-empty lists.
template <class Kernel>
class RConvolution {
 public:
  /// κ₀, a kernel of two elements.
  explicit RConvolution(const Kernel& kernel) : kernel_(kernel) {}
  /// The mean of κ₀ over all pairs of their elements; 0 where a list is empty.
  template <class T, class List>
  KOKKOS_INLINE_FUNCTION T evaluate(const List& a, const List& b) const {
    if (a.size() == 0 || b.size() == 0) return T(0);
    T sum = T(0);
    for (int i = 0; i < a.size(); ++i) {
      for (int j = 0; j < b.size(); ++j) sum += kernel_.template evaluate<T>(a[i], b[j]);
    }
    return sum / (static_cast<T>(a.size()) * static_cast<T>(b.size()));
  }

 private:
  Kernel kernel_;
};

}  // namespace octile
