// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/gaussian_factors.hpp>

#include <octile/pairs/prices.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace octile::cuda {

std::optional<GaussianFactors> gaussian_factors(double largest, double error, std::size_t most) {
  // The points are so close that the remaining diagonal, which is smooth, is hardly more between them.
  constexpr double distance = 1.0 / 16;
  constexpr double missed = 0.75;
  // A range needs more than two factors for each unit of its length.
  if (!(largest >= 0) || 4 * largest > static_cast<double>(most)) return {};
  const auto count = static_cast<std::size_t>(std::ceil(2 * largest / distance)) + 1;
  std::vector<double> at(count);
  for (std::size_t e = 0; e < count; ++e) {
    at[e] = count > 1 ? largest * (2 * static_cast<double>(e) / static_cast<double>(count - 1) - 1) : 0;
  }
  std::vector<double> left(count, 1.0);
  std::vector<std::vector<double>> factors;
  std::vector<std::size_t> pivots;
  for (;;) {
    const auto pivot = static_cast<std::size_t>(std::ranges::max_element(left) - left.begin());
    if (left[pivot] <= missed * error) break;
    if (factors.size() == most) return {};
    const double root = std::sqrt(left[pivot]);
    std::vector<double> factor(count);
    for (std::size_t e = 0; e < count; ++e) {
      double value = std::exp2(-(at[e] - at[pivot]) * (at[e] - at[pivot]));
      for (const std::vector<double>& other : factors) value -= other[e] * other[pivot];
      factor[e] = value / root;
      left[e] -= factor[e] * factor[e];
    }
    left[pivot] = 0;
    factors.push_back(std::move(factor));
    pivots.push_back(pivot);
  }
  GaussianFactors all;
  for (const std::size_t pivot : pivots) {
    all.points.push_back(at[pivot]);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      all.lower.push_back(all.points.size() > k ? factors[k][pivot] : 0.0);
    }
  }
  return all;
}

std::optional<GaussianFactors> factors_for_first(const SetSizes& set, std::size_t ids) {
  // About what rounding in float leaves of a product.
  constexpr double error = 1e-7;
  if (set.vertices.empty() || ids == 0 || ids > most_first_ids) return {};
  const double entries = std::accumulate(set.row_elements.begin(), set.row_elements.end(), 0.0) /
                         std::accumulate(set.vertices.begin(), set.vertices.end(), 0.0);  // of a vertex, in the mean
  const double most = terms_of_exponential * entries * entries / static_cast<double>(ids);
  return gaussian_factors(set.largest_label, error, static_cast<std::size_t>(std::min(most, double{most_series})));
}

}  // namespace octile::cuda
