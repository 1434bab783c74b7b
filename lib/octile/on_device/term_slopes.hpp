// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/exponential.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/on_device/edges.hpp>
#include <octile/on_device/flat_slopes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::detail {

/// Exponentials of numbers up to 0, to the precision of `Real`.
struct FastExponential {
  SquareExponentialEdges power{LeafArguments{}, nullptr};

  template <class Real>
  KOKKOS_INLINE_FUNCTION Real of(Real exponent) const {
    if constexpr (std::is_same_v<Real, float>) {
      return exponential(exponent);
    } else {
      return power.power_of_2((1 / Kokkos::numbers::ln2) * exponent);
    }
  }
  /// Of r = |x − y| / length, with its derivative by the length, times the length. Where r is large all is as good as 0, and r² might be infinite.
  template <class Real>
  KOKKOS_INLINE_FUNCTION Slope<Real> square_exponential(Real r) const {
    constexpr Real most = std::is_same_v<Real, float> ? 17 : 45;
    const Real square = Kokkos::min(r, most) * Kokkos::min(r, most);
    const Real kappa = of<Real>(Real(-0.5) * square);
    return {kappa, kappa * square};
  }
  /// Matérn's function of a = √(2ν) |x − y| / length for ν = degree + 1/2, with its derivative by the length, times the length.
  template <class Real>
  KOKKOS_INLINE_FUNCTION Slope<Real> matern(Real scaled, std::int32_t degree) const {
    constexpr Real most = std::is_same_v<Real, float> ? 120 : 760;
    constexpr Real third = Real(1) / Real(3);
    const Real a = Kokkos::min(scaled, most);
    const Real decay = of<Real>(-a);
    if (degree == 0) return {decay, decay * a};
    if (degree == 1) return {decay * (Real(1) + a), decay * a * a};
    return {decay * (Real(1) + a + third * a * a), decay * a * (a + a * a) * third};
  }
};

/// κ and its derivatives by every parameter where κ is a sum of few products (`KernelTerms`): each leaf is evaluated once, and what a thread
/// adds up are no derivatives but sums that these are formed of, once a pair of graphs (`function`):
///
///     0                          κ
///     1 + t (columns + 1)        Π_l κ_tl
///     2 + t (columns + 1) + l    Π_{l' ≠ l} κ_tl' ∂κ_tl, which lacks a scale that the shares have
///
/// All loops have bounds that a compiler knows: a thread keeps its sums in registers. With `held`, a label comes with the one number that is
/// read.
template <int most_terms, int columns, bool held>
struct TermSlopes {
  static constexpr int at_once = 1 + most_terms * (1 + columns);
  RecordPointers labels;
  Kokkos::Array<std::int32_t, columns> slots{};
  Kokkos::Array<double, most_terms> factors{};
  Kokkos::Array<Kokkos::Array<TermLeaf, columns>, most_terms> leaves{};
  int terms = 0;
  const std::int32_t* share_begin = nullptr;  ///< one a function, and the end
  const TermShare* shares = nullptr;
  int first = 0;  ///< number of the first function that is asked for
  FastExponential exponential;

  TermSlopes(const KernelTerms& of, const RecordPointers& records, const std::int32_t* begin, const TermShare* all)
      : labels(records), terms(static_cast<int>(of.terms.size())), share_begin(begin), shares(all) {
    for (std::size_t l = 0; l < of.slots.size(); ++l) slots[l] = of.slots[l];
    for (std::size_t t = 0; t < of.terms.size(); ++t) {
      factors[t] = of.terms[t].factor;
      for (std::size_t l = 0; l < of.slots.size(); ++l) leaves[t][l] = of.terms[t].leaves[l];
    }
  }

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    Difference<Real> read[columns];
    for (int l = 0; l < columns; ++l) {
      // Labels far from 0 are told apart in double.
      const double difference = Kokkos::abs(number(a, l) - number(b, l));
      read[l] = {static_cast<Real>(difference), difference == 0};
    }
    values[0] = 0;
    for (int t = 0; t < most_terms; ++t) {
      double* const sums = values + 1 + t * (columns + 1);
      for (int k = 0; k <= columns; ++k) sums[k] = 0;
      if (t >= terms) continue;
      Slope<Real> own[columns];
      Real before = 1;
      for (int l = 0; l < columns; ++l) {
        own[l] = leaf(leaves[t][l], read[l]);
        own[l].slope *= before;
        before *= own[l].value;
      }
      Real after = 1;
      for (int l = columns - 1; l >= 0; --l) {
        sums[1 + l] = static_cast<double>(own[l].slope * after);
        after *= own[l].value;
      }
      sums[0] = static_cast<double>(before);
      if (first == 0) values[0] += factors[t] * sums[0];
    }
  }

  /// Function `number` of the sums of `evaluate` over many labels.
  KOKKOS_INLINE_FUNCTION double function(int number, const double* sums) const {
    if (number == 0) return sums[0];
    double of_shares = 0;
    for (std::int32_t k = share_begin[number]; k < share_begin[number + 1]; ++k) {
      const TermShare& share = shares[k];
      of_shares += share.factor * sums[1 + share.term * (columns + 1) + share.place];
    }
    return of_shares;
  }

 private:
  template <class Real>
  struct Difference {
    Real distance;
    bool none;
  };

  KOKKOS_INLINE_FUNCTION double number(const SlopeLabel& label, int column) const {
    if constexpr (held) {
      return label.number;
    } else {
      return labels.records[static_cast<std::size_t>(label.record) * static_cast<std::size_t>(labels.slots) +
                            static_cast<std::size_t>(slots[column])];
    }
  }

  /// A leaf and its derivative but for its scale, which the shares know.
  template <class Real>
  KOKKOS_INLINE_FUNCTION Slope<Real> leaf(const TermLeaf& of, const Difference<Real>& read) const {
    Real number;
    if constexpr (std::is_same_v<Real, float>) {
      number = of.number.in_float;
    } else {
      number = of.number.in_double;
    }
    switch (of.kind) {
      case TermLeaf::Kind::delta: return {read.none ? Real(1) : number, read.none ? Real(0) : Real(1)};
      case TermLeaf::Kind::square_exponential: return exponential.square_exponential(number * read.distance);
      case TermLeaf::Kind::matern: return exponential.matern(number * read.distance, of.degree);
      case TermLeaf::Kind::none: break;
    }
    return {Real(1), Real(0)};
  }
};

}  // namespace octile::detail
