// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/fixed_pointer.hpp>
#include <octile/base/upper_half.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/on_device/pairs.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_MathematicalConstants.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// κe between an edge and others: `row(end, at)` gives κ of that end with others. Ends come with their places in the list of all.
struct ConstantEdges {
  double value;
  KOKKOS_INLINE_FUNCTION auto row(const ExactEnd&, std::uint32_t) const {
    return [c = value](const ExactEnd&, std::uint32_t) { return c; };
  }
};
struct TableEdges {
  const double* table;
  std::uint32_t count;
  struct Row {
    const double* values;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd& other, std::uint32_t) const {
      return values[other.record];
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd& end, std::uint32_t) const {
    return {fixed_pointer(table + std::size_t(end.record) * count)};
  }
};
/// `Leaf` is one of leaf_kernels.hpp, or `AnyLeaf`.
template <class Leaf, class Arguments = LeafArguments>
struct LeafEdges {
  Arguments arguments;
  const double* labels;  ///< of ends
  struct Row {
    const LeafEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      return Leaf::template value<double>(label, edges.labels[at], edges.arguments);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const { return {*this, labels[at]}; }
};
/// The leaf of numbers that an instruction names.
struct AnyLeaf {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(double x, double y, const Instruction& leaf) {
    return LeafKernels::value<T>(leaf.leaf, x, y, leaf);
  }
};
using AnyLeafEdges = LeafEdges<AnyLeaf, Instruction>;
/// A square exponential that is all of κe, in powers of 2. The terms of the polynomial are read with the launch's arguments: those
/// of `Kokkos::exp` are put together of halves each time, which takes a GPU longer than to multiply by them.
struct SquareExponentialEdges {
  /// 2^t for |t| ≤ 1/2 is the sum of terms[k] t^k but for a sixth of the roundoff: its Chebyshev series of degree 11 there, by powers of t.
  static constexpr int term_count = 12;
  double rate;  ///< −log2(e) / (2 length²)
  Kokkos::Array<double, term_count> terms{
      1.0,
      0.6931471805599453,
      0.24022650695910158,
      0.0555041086648217,
      0.009618129107587253,
      0.001333355814639035,
      0.00015403530463727982,
      1.5252733856295574e-05,
      1.3215432534254118e-06,
      1.0178051192117847e-07,
      7.074194562613105e-09,
      4.456675463639861e-10,
  };
  const double* labels;  ///< of ends

  SquareExponentialEdges(const LeafArguments& arguments, const double* of_ends)
      : rate(-arguments.parameter / Kokkos::numbers::ln2), labels(of_ends) {}

  struct Row {
    const SquareExponentialEdges& edges;
    double label;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd&, std::uint32_t at) const {
      const double difference = label - edges.labels[at];
      return edges.power_of_2(edges.rate * (difference * difference));
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd&, std::uint32_t at) const { return {*this, labels[at]}; }

  /// 2^t for t ≤ 0, and about 2^−1020 for less than that.
  KOKKOS_INLINE_FUNCTION double power_of_2(double t) const {
    // As whole numbers, the upper halves of numbers that are not above 0 are in reverse order. So the larger number has the smaller
    // upper half, found by one instruction where a maximum of doubles takes five.
    constexpr std::uint32_t least = 0xc08fe000;  // of −1020
    constexpr double shift =
        6755399441055744.0;  // 1.5 · 2^52: a sum with it is rounded to a whole number, its last bits
    constexpr int mantissa = 52;
    const auto bits = Kokkos::bit_cast<std::uint64_t>(t);
    const auto upper = Kokkos::min(upper_half(t), least);
    const auto bounded = Kokkos::bit_cast<double>(std::uint64_t(upper) << 32U | (bits & 0xffffffffU));
    const double shifted = bounded + shift;
    const double rest = bounded - (shifted - shift);
    double sum = terms[term_count - 1];
    for (int k = term_count - 2; k >= 0; --k) sum = sum * rest + terms[k];
    const auto whole = Kokkos::bit_cast<std::uint64_t>(shifted) << mantissa;
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(sum) + whole);
  }
};
template <class MemorySpace>
struct ProgramEdges {
  RuntimeKernel<double, MemorySpace> kernel;
  struct Row {
    const RuntimeKernel<double, MemorySpace>& kernel;
    std::uint32_t first;
    KOKKOS_INLINE_FUNCTION double operator()(const ExactEnd& other, std::uint32_t) const {
      return kernel.template evaluate<double>(first, other.record);
    }
  };
  KOKKOS_INLINE_FUNCTION Row row(const ExactEnd& end, std::uint32_t) const { return {kernel, end.record}; }
};

}  // namespace octile::detail
