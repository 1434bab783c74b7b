// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/factors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <octile/base/unit_roundoff.hpp>
#include <octile/kernels/pivoted_cholesky.hpp>
#include <octile/kernels/rounding.hpp>

namespace octile {
namespace {

/// |√x √x − x| with a rounded root.
double error_of_root(double x) { return std::abs(std::fma(std::sqrt(x), std::sqrt(x), -x)); }

Factors constant_factors(double value, std::size_t records) {
  Factors factors;
  factors.rank = factors.terms = 1;
  factors.values.assign(records, std::sqrt(value));
  factors.error = error_of_root(value);
  factors.errors = {value, factors.error};
  return factors;
}

/// Factor 0 is the constant √h. Factor 1 + e belongs to record e, since under one delta each label has a record.
Factors delta_factors(double h, std::size_t records) {
  Factors factors;
  const std::uint32_t first = h > 0 ? 1 : 0;
  factors.terms = 1 + first;
  factors.rank = records + first;
  for (std::size_t e = 0; e < records; ++e) {
    if (h > 0) {
      factors.values.push_back(std::sqrt(h));
      factors.indices.push_back(0);
    }
    factors.values.push_back(std::sqrt(1 - h));
    factors.indices.push_back(first + static_cast<std::uint32_t>(e));
  }
  factors.error = error_of_root(h) + error_of_root(1 - h) + unit_roundoff;
  return factors;
}

}  // namespace

double Factors::evaluate(std::uint32_t a, std::uint32_t b) const {
  double sum = 0;
  for (std::size_t s = 0; s < terms; ++s) {
    for (std::size_t t = sparse() ? 0 : s; t < (sparse() ? terms : s + 1); ++t) {
      const std::size_t left = a * terms + s;
      const std::size_t right = b * terms + t;
      if (!sparse() || indices[left] == indices[right]) sum += values[left] * values[right];
    }
  }
  return sum;
}

std::optional<Factors> factorize(const LoweredKernel& kernel, double error, std::size_t most) {
  if (most == 0) return std::nullopt;
  // A set without edges has no records. It gets one factor without values.
  if (kernel.record_count == 0) return constant_factors(1, 0);
  std::optional<Factors> factors;
  if (kernel.constant()) factors = constant_factors(kernel.program[0].parameter, kernel.record_count);
  if (kernel.delta() && kernel.record_count > dense_labels) {
    factors = delta_factors(kernel.program[0].parameter, kernel.record_count);
  }
  if (factors) {
    factors->error += unit_roundoff * kernel_rounding(kernel, deep_exponent).whole;
    if (!factors->errors.empty()) factors->errors.back() = factors->error;
    return factors;
  }
  return pivoted_cholesky(kernel, error, std::min(most, factor_limit));
}

}  // namespace octile
