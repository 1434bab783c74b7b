// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram.hpp>

#include <octile/asked_values.hpp>
#include <octile/base/parallel_join.hpp>
#include <octile/certify/normalised.hpp>

#include <algorithm>
#include <cstdint>

namespace octile {
namespace {

/// The bound of value (i ≤ j) of the matrix.
double error_bound(const GramResult& result, bool normalized, std::size_t i, std::size_t j) {
  const auto of = [&result](std::size_t first, std::size_t second) -> const PairResult& {
    return result.pairs[pair_index(first, second, result.size)];
  };
  if (!normalized) return of(i, j).error_bound;
  return normalised({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)}, of(i, j), of(i, i), of(j, j))
      .error_bound;
}

}  // namespace

std::vector<double> error_bounds(const GramResult& result, bool normalized) {
  const std::size_t size = result.size;
  std::vector<double> bounds(size * size);
  visit_triangle(size, [&](std::size_t i, std::size_t j) {
    bounds[i * size + j] = bounds[j * size + i] = error_bound(result, normalized, i, j);
  });
  return bounds;
}

double largest_error(const GramResult& result, bool normalized) {
  constexpr std::size_t rows = 16;  // at once
  const auto of_rows = [&](std::size_t begin, std::size_t end) {
    double largest = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i; j < result.size; ++j) largest = std::max(largest, error_bound(result, normalized, i, j));
    }
    return largest;
  };
  return joined_in_parallel(result.size, rows, 0.0, of_rows,
                            [](double& all, double part) { all = std::max(all, part); });
}

}  // namespace octile
