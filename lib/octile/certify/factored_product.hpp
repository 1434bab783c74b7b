// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace octile {

/// One graph of a `FactoredSet`: its arrays of rows from the first vertex on, and the arrays of elements. A product takes the first
/// `rank` of the numbers that each element has.
template <class Scalar>
struct FactoredRows {
  const std::uint32_t* row_begin;
  const std::uint32_t* columns;
  const Scalar* factors;
  int rank;
  int pitch;  ///< numbers of an element
};

/// Bytes of the longest vectors: one AVX-512 register, and a cache line.
inline constexpr std::size_t factored_alignment = 64;

/// Rows of G that are multiplied together at most, as many as fit the longest vectors. They are the innermost extent of T, over which
/// the second stage is one vector operation. Rows of x are padded to a multiple of it.
template <class Scalar>
inline constexpr int factored_rows = static_cast<int>(factored_alignment / sizeof(Scalar));

/// Factors of the smallest chunk (factored_chunks.hpp).
inline constexpr int factors_together = 4;

template <class Scalar>
constexpr std::size_t padded_columns(std::size_t m) {
  constexpr auto lanes = static_cast<std::size_t>(factored_rows<Scalar>);
  return (m + lanes - 1) / lanes * lanes;
}

template <class Scalar>
constexpr std::size_t factored_work(std::size_t n, std::size_t m, std::size_t rank) {
  constexpr auto rows = static_cast<std::size_t>(factored_rows<Scalar>);
  const std::size_t padded = padded_columns<Scalar>(m);
  return n * padded + (padded + 2 * rows) * rank * rows + padded * rows + rows;
}

/// The factored product on one thread of a CPU (see `FactoredXmv`), x and y being n×m:
///
///     y_ii' = Σ_k Σ_jj' A_ij φ_k(e_ij) A'_i'j' φ_k(e'_i'j') x_jj'
///
/// `work` has `factored_work` numbers: from a multiple of `factored_alignment` on x padded to n × `padded_columns(m)`, then T,
/// `padded_columns(m)` × rank × `factored_rows`, then 2 rank squares of `factored_rows` numbers a side, then a vector for each row of G'.
/// There are versions for AVX2 and AVX-512, of which the best is used that the processor has. All of them give the same bits but for the rounding that fused
/// multiplication and addition leave out.
void factored_product(const FactoredRows<float>& first, const FactoredRows<float>& second, int n, int m, const float* x,
                      float* y, float* work);
void factored_product(const FactoredRows<double>& first, const FactoredRows<double>& second, int n, int m,
                      const double* x, double* y, double* work);

template <class Scalar>
using FactoredProduct = void (*)(const FactoredRows<Scalar>&, const FactoredRows<Scalar>&, int, int, const Scalar*,
                                 Scalar*, Scalar*);

/// The versions that this processor runs, the fastest last, which is the one above.
template <class Scalar>
std::span<const FactoredProduct<Scalar>> factored_products();

}  // namespace octile
