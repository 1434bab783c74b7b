// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/graphs/octile_set.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>

// Edge labels of E bytes, and base kernels with any number of operations, with their counts.
namespace octile::bench {

/// A label of E = 4 N bytes.
template <int N>
struct Features {
  float values[N];
};

/// κ(a, b) = a polynomial of s = |a − b|², of N features:
///
///     s = Σ_k (a_k − b_k)²        3 N − 1 operations
///     κ = Horner's rule           2 Degree
template <int Degree>
struct Polynomial {
  template <class T, int N>
  KOKKOS_INLINE_FUNCTION T evaluate(const Features<N>& a, const Features<N>& b) const {
    T square = T(0);
    for (int k = 0; k < N; ++k) {
      const T difference = T(a.values[k]) - T(b.values[k]);
      square = k == 0 ? difference * difference : square + difference * difference;
    }
    T value = Degree == 0 ? square : T(coefficient);
    for (int k = 0; k < Degree; ++k) value = value * square + T(coefficient);
    return value;
  }
  static constexpr float coefficient = 0.75F;
};

/// The operations of one evaluation of κe.
template <int N, int Degree>
constexpr double kernel_operations(const Features<N>&, const Polynomial<Degree>&) {
  return 3 * N - 1 + 2 * Degree;
}
/// A constant takes no operation.
constexpr double kernel_operations(const NoLabel&, const Constant&) { return 0; }
/// One difference, two products, and the exponential, which counts as one.
constexpr double kernel_operations(float, const SquareExponential&) { return 4; }

/// E; 0 for an empty type, which has a size in C++ but is never moved.
template <class Label>
constexpr double label_bytes(const Label&) {
  return sizeof(Label);
}
constexpr double label_bytes(const NoLabel&) { return 0; }

/// A label from random numbers in [0, 1).
template <class Label, class Uniform>
Label random_label(const Uniform& uniform) {
  if constexpr (std::is_same_v<Label, NoLabel>) {
    return {};
  } else if constexpr (std::is_same_v<Label, float>) {
    return static_cast<float>(uniform());
  } else {
    Label label;
    for (float& value : label.values) value = static_cast<float>(0.5 * uniform());
    return label;
  }
}

}  // namespace octile::bench
