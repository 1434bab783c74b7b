// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/uninitialized.hpp>
#include <octile/kernels/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace octile {

/// A base kernel as a short sum of products, over the label records of a set:
///
///     κ(e, e') ≈ Σ_k φ_k(e) φ_k(e'),   k < rank,      |κ(e, e') − Σ_k φ_k(e) φ_k(e')| ≤ error
///
/// The right-hand side is positive semidefinite whatever the rank. A record keeps `terms` of its factors:
///
///     dense      terms = rank: values[e · rank + k] is φ_k(e), and `indices` is empty
///     sparse     terms < rank: φ_k(e) = values[e · terms + t] for k = indices[e · terms + t], else 0
struct Factors {
  std::size_t rank = 0;
  std::size_t terms = 0;
  UninitializedVector<double> values;  ///< records × terms, row major
  std::vector<std::uint32_t> indices;  ///< as long as `values`, or empty
  double error = 0;                    ///< truncation and rounding, that of κ as a program computes it too
  std::vector<double>
      errors;  ///< of dense factors: that of the first k, k = 0 … rank; falling. Truncation alone for k < rank

  bool sparse() const { return !indices.empty(); }
  /// Σ_k φ_k(a) φ_k(b).
  double evaluate(std::uint32_t a, std::uint32_t b) const;
};

/// No kernel is factored into more than so many.
inline constexpr std::size_t factor_limit = 512;

/// A delta over more labels than this has sparse factors: dense ones would be as many as its labels.
inline constexpr std::size_t dense_labels = 8;

/// Factors of a lowered kernel with an error of at most `error` on all pairs of its records, or the least that rounding allows, which
/// may be larger; none if that takes more than `most` (`factor_limit` at most). A constant has one, √c. A delta of more than `dense_labels` labels,
///
///     h + (1 − h) [a = b] = √h √h + Σ_label √(1−h) [a = label] √(1−h) [b = label],
///
/// keeps two terms a record (one for h = 0), so its cost does not grow with the number of labels. All other kernels
/// are factored by pivoted Cholesky: the pivot is the record with the largest remaining diagonal
/// d(e) = κ(e, e) − Σ_k φ_k(e)², and the remaining matrix is semidefinite, so its entries are at most √(d(e) d(e')).
/// Only the pivots' columns of κ are ever formed, O(records · rank²): d is known for every record of the set, however
/// many there are. Of many records, most pivots are found in a sample; d says what all of them still need.
/// Throws `Error` for a kernel that proves not to be positive semidefinite on these records.
std::optional<Factors> factorize(const LoweredKernel& kernel, double error, std::size_t most = factor_limit);

}  // namespace octile
