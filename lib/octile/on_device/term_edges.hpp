// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/on_device/edges.hpp>
#include <octile/on_device/pairs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// κe that is an `ExponentialSum`, as `edges.hpp` has edges. The series of its powers of 2 run beside each other; one that is not there has a factor
/// of 0.
struct ExponentialSumEdges {
  static constexpr std::size_t most = ExponentialSum::most;
  SquareExponentialEdges power{LeafArguments{}, nullptr};
  double constant;
  Kokkos::Array<double, most> factors{};
  Kokkos::Array<double, most> rates{};  ///< −s log2(e)
  const double* labels;                 ///< of ends

  ExponentialSumEdges(const ExponentialSum& sum, const double* of_ends) : constant(sum.constant), labels(of_ends) {
    for (std::size_t t = 0; t < sum.terms.size(); ++t) {
      factors[t] = sum.terms[t].factor;
      rates[t] = -sum.terms[t].rate / Kokkos::numbers::ln2;
    }
  }

  struct Row {
    const ExponentialSumEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      const double difference = label - edges.labels[at];
      const double square = difference * difference;
      double sum = edges.constant;
      for (std::size_t t = 0; t < most; ++t) sum += edges.factors[t] * edges.power.power_of_2(edges.rates[t] * square);
      return sum;
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const { return {*this, labels[at]}; }
};

/// κe that is a sum of few products (`KernelTerms`), in the same way: a program takes ten times as long. Loops have bounds that a compiler
/// knows, and what is added up stays in registers.
template <int most_terms, int columns>
struct TermEdges {
  using Kind = TermLeaf::Kind;
  struct Leaf {
    Kind kind = Kind::none;
    std::int32_t degree = 0;
    double number = 0;  ///< h of a delta, −s log2(e) of a square exponential, √(2ν) / length of a matern
  };
  SquareExponentialEdges power{LeafArguments{}, nullptr};
  Kokkos::Array<Kokkos::Array<Leaf, columns>, most_terms> leaves{};
  Kokkos::Array<double, most_terms> factors{};
  int terms = 0;
  const double* labels = nullptr;  ///< of ends, one a column

  TermEdges(const KernelTerms& of, const double* of_ends) : terms(static_cast<int>(of.terms.size())), labels(of_ends) {
    for (std::size_t t = 0; t < of.terms.size(); ++t) {
      factors[t] = of.terms[t].factor;
      for (std::size_t l = 0; l < of.slots.size(); ++l) {
        const TermLeaf& leaf = of.terms[t].leaves[l];
        const bool square = leaf.kind == Kind::square_exponential;
        leaves[t][l] = {leaf.kind, leaf.degree, square ? -leaf.prepared / Kokkos::numbers::ln2 : leaf.prepared};
      }
    }
  }

  struct Row {
    const TermEdges& edges;
    double label[columns];
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      double difference[columns];
      for (int l = 0; l < columns; ++l) difference[l] = label[l] - edges.label(at, l);
      double sum = 0;
      for (int t = 0; t < most_terms; ++t) {
        if (t >= edges.terms) continue;
        double product = edges.factors[t];
        for (int l = 0; l < columns; ++l) product *= edges.value(edges.leaves[t][l], difference[l]);
        sum += product;
      }
      return sum;
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const {
    Row row{*this, {}};
    for (int l = 0; l < columns; ++l) row.label[l] = label(at, l);
    return row;
  }

  KOKKOS_INLINE_FUNCTION double label(std::uint32_t at, int column) const {
    return labels[std::size_t(at) * std::size_t(columns) + static_cast<std::size_t>(column)];
  }
  KOKKOS_INLINE_FUNCTION double value(const Leaf& leaf, double difference) const {
    constexpr double most = 1000;  // at which a matern is 0: the square of a would overflow
    switch (leaf.kind) {
      case Kind::delta: return difference == 0 ? 1.0 : leaf.number;
      case Kind::square_exponential: return power.power_of_2(leaf.number * (difference * difference));
      case Kind::matern: {
        const double a = Kokkos::min(Kokkos::abs(difference) * leaf.number, most);
        const double decay = power.power_of_2(-(1 / Kokkos::numbers::ln2) * a);
        if (leaf.degree == 0) return decay;
        return decay * (leaf.degree == 1 ? 1 + a : 1 + a + a * a / 3);
      }
      case Kind::none: break;
    }
    return 1;
  }
};

}  // namespace octile::detail
