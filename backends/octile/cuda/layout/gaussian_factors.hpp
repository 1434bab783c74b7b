// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/pairs.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace octile::cuda {

/// Factors of 2^(−(x − y)²) between numbers of at most `largest`, by pivoted Cholesky over points of that range:
///
///     2^(−(x − y)²) ≈ Σ_k φ_k(x) φ_k(y)       Σ_l lower[k, l] φ_l(x) = 2^(−(x − points[k])²),   l ≤ k
///
/// So φ of any number follows by forward substitution, and the factors are as many as the range needs, however many labels there are.
struct GaussianFactors {
  std::vector<double> points;
  std::vector<double> lower;  ///< a row for each point, as long as there are points
};

/// The factors with an error of at most `error`, of 1e-6 or less; none if they are more than `most`.
std::optional<GaussianFactors> gaussian_factors(double largest, double error, std::size_t most);

/// The most factors, and the most vertex ids, with which first products are formed as sums.
inline constexpr std::size_t most_series = 64;
inline constexpr std::size_t most_first_ids = 32;

/// Factors with which a first product of slices is a sum (`FirstTerms`) that takes less than the product, which evaluates κe for each edge with each;
/// none if they are too many, or the ids are 0, which are unknown.
std::optional<GaussianFactors> factors_for_first(const SetSizes& set, std::size_t ids);

}  // namespace octile::cuda
