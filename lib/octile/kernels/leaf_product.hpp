// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels that are a product of few leaves, as most are:
//
//     κ(a, b) = c · exp(−s (x_a − x_b)²) · Π_k (1 where the k-th compared numbers are equal, else h_k)
//
// with at most one Gaussian and two deltas. Of any label they read a number x and the numbers that are compared, which fit two words.
// So one compiled kernel serves them all, whatever type the labels have and whether they came as types or as text.
namespace octile {

/// The numbers of such a kernel.
struct LeafProduct {
  static constexpr int most_deltas = 2;

  double constant = 1;
  double rate = 0;  ///< s of the Gaussian; 0 without one
  double other[most_deltas] = {1, 1};
  std::int32_t gaussians = 0;
  std::int32_t deltas = 0;

  void multiply_by(double c) { constant *= c; }
  void add_gaussian(double s) {
    ++gaussians;
    rate = s;
  }
  void add_delta(double h) {
    if (deltas < most_deltas) other[deltas] = h;
    ++deltas;
  }

  /// Whether it has no more than one Gaussian and `most_deltas` deltas, and its numbers are normal ones in float.
  bool suits() const {
    constexpr double least = 1e-30;
    return gaussians <= 1 && deltas <= most_deltas && constant >= least && rate < 1 / least &&
           (gaussians == 0 || rate > least);
  }
};

/// What a product reads of a label.
struct NumberAndCode {
  float number;        ///< x; 0 without a Gaussian
  std::uint32_t code;  ///< the number that is compared, or two of 16 bits, the first one in the lower bits
};

/// Whether a float holds every number of a type.
template <class T>
inline constexpr bool fits_a_float = std::is_same_v<T, float> || (std::is_integral_v<T> && sizeof(T) <= 2);

/// Reads a label into two words, member by member.
class WordsOfLabel {
 public:
  /// x may be rounded by as much as changes the exponent of κ = exp(−1) by twice `rounding`. Numbers of types that a float does not hold
  /// are stored as differences from `center`, which rounds them less.
  KOKKOS_INLINE_FUNCTION WordsOfLabel(const LeafProduct& product, double rounding, double center)
      : rate_(product.rate), rounding_(rounding), center_(center), two_codes_(product.deltas > 1) {}

  /// The Gaussian's number.
  template <class T>
  KOKKOS_INLINE_FUNCTION void number(const T& x) {
    const double number = static_cast<double>(x) - (fits_a_float<T> ? 0 : center_);
    words_.number = static_cast<float>(number);
    const double error = number - static_cast<double>(words_.number);
    // An x that is no number, or too large for a float, does not fit.
    fit_ = fit_ && error * error * rate_ <= rounding_ * rounding_;
  }
  /// A number that is compared. One of a type that is not integral does not fit.
  template <class T>
  KOKKOS_INLINE_FUNCTION void compared(const T& x) {
    if constexpr (std::is_enum_v<T>) {
      compared(static_cast<std::underlying_type_t<T>>(x));
    } else if constexpr (std::is_integral_v<T>) {
      if (two_codes_) {
        using Code = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
        const auto code = static_cast<Code>(x);  // NOLINT(bugprone-signed-char-misuse): a label of one byte is a number
        fit_ = fit_ && static_cast<T>(code) == x;
        words_.code |= std::uint32_t(static_cast<std::uint16_t>(code)) << (16 * codes_);
      } else {
        using Code = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
        const auto code = static_cast<Code>(x);  // NOLINT(bugprone-signed-char-misuse): the same
        fit_ = fit_ && static_cast<T>(code) == x;
        words_.code = static_cast<std::uint32_t>(code);
      }
      ++codes_;
    } else {
      fit_ = false;
    }
  }

  KOKKOS_INLINE_FUNCTION const NumberAndCode& words() const { return words_; }
  /// Whether the words have all that the kernel reads of the label.
  KOKKOS_INLINE_FUNCTION bool fit() const { return fit_; }

 private:
  NumberAndCode words_{};
  double rate_;
  double rounding_;
  double center_;
  bool two_codes_;
  int codes_ = 0;
  bool fit_ = true;
};

/// What is known at compile time of a kernel's leaves.
template <bool Known, bool Rounds, int Gaussians, int Deltas>
struct LeafCounts {
  static constexpr bool known = Known;    ///< whether it is a product of leaves over labels of its type
  static constexpr bool rounds = Rounds;  ///< whether a float cannot hold every number that its Gaussian may read
  static constexpr int gaussians = Gaussians;
  static constexpr int deltas = Deltas;
};

/// The leaves of a kernel that is a compile-time type, over labels of a type: their `LeafCounts`, and
///
///     collect(kernel, product)              adds its numbers to a `LeafProduct`
///     read(label, words)                    gives `WordsOfLabel` what it reads, in the same order
///
/// A kernel of the user's own is no such product.
template <class Kernel, class Label>
struct LeavesOf : LeafCounts<false, false, 0, 0> {};

template <class Label>
struct LeavesOf<Constant, Label> : LeafCounts<true, false, 0, 0> {
  static void collect(const Constant& kernel, LeafProduct& product) {
    product.multiply_by(kernel.evaluate<double>(0, 0));
  }
  KOKKOS_INLINE_FUNCTION static void read(const Label&, WordsOfLabel&) {}
};

template <class Label>
requires std::is_arithmetic_v<Label>
struct LeavesOf<SquareExponential, Label> : LeafCounts<true, !fits_a_float<Label>, 1, 0> {
  static void collect(const SquareExponential& kernel, LeafProduct& product) { product.add_gaussian(kernel.rate()); }
  KOKKOS_INLINE_FUNCTION static void read(const Label& label, WordsOfLabel& words) { words.number(label); }
};

template <class Label>
requires(std::is_integral_v<Label> || std::is_enum_v<Label>) struct LeavesOf<KroneckerDelta, Label>
    : LeafCounts<true, false, 0, 1> {
  static void collect(const KroneckerDelta& kernel, LeafProduct& product) {
    product.add_delta(kernel.evaluate<double>(0, 1));
  }
  KOKKOS_INLINE_FUNCTION static void read(const Label& label, WordsOfLabel& words) { words.compared(label); }
};

/// The counts of the product of two kernels.
template <class First, class Second>
using BothCounts = LeafCounts<First::known && Second::known, First::rounds || Second::rounds,
                              First::gaussians + Second::gaussians, First::deltas + Second::deltas>;

template <auto Member, class Kernel, class Label>
using LeavesOfMember = LeavesOf<Kernel, std::remove_cvref_t<decltype(std::declval<const Label&>().*Member)>>;

template <auto Member, class Kernel, class Label>
struct LeavesOf<Field<Member, Kernel>, Label> : LeavesOfMember<Member, Kernel, Label> {
  using Inner = LeavesOfMember<Member, Kernel, Label>;
  static void collect(const Field<Member, Kernel>& kernel, LeafProduct& product) {
    Inner::collect(kernel.kernel(), product);
  }
  KOKKOS_INLINE_FUNCTION static void read(const Label& label, WordsOfLabel& words) {
    Inner::read(label.*Member, words);
  }
};

template <class Only, class Label>
struct LeavesOf<TensorProduct<Only>, Label> : LeavesOf<Only, Label> {
  static void collect(const TensorProduct<Only>& kernel, LeafProduct& product) {
    LeavesOf<Only, Label>::collect(kernel.first(), product);
  }
};

template <class First, class Second, class... Rest, class Label>
struct LeavesOf<TensorProduct<First, Second, Rest...>, Label>
    : BothCounts<LeavesOf<First, Label>, LeavesOf<TensorProduct<Second, Rest...>, Label>> {
  using Head = LeavesOf<First, Label>;
  using Tail = LeavesOf<TensorProduct<Second, Rest...>, Label>;
  static void collect(const TensorProduct<First, Second, Rest...>& kernel, LeafProduct& product) {
    Head::collect(kernel.first(), product);
    Tail::collect(kernel.rest(), product);
  }
  KOKKOS_INLINE_FUNCTION static void read(const Label& label, WordsOfLabel& words) {
    Head::read(label, words);
    Tail::read(label, words);
  }
};

/// Whether a compile-time type is a product of few leaves.
template <class Kernel, class Label>
inline constexpr bool is_leaf_product = LeavesOf<Kernel, Label>::known&& LeavesOf<Kernel, Label>::gaussians <= 1 &&
                                        LeavesOf<Kernel, Label>::deltas <= LeafProduct::most_deltas;

}  // namespace octile
