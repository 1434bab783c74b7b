// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram.hpp>

#include <octile/normalised.hpp>
#include <octile/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace octile {
namespace {

constexpr std::size_t matrix_rows_at_once = 16;

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
  in_parallel(size, matrix_rows_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i; j < size; ++j) {
        bounds[i * size + j] = bounds[j * size + i] = error_bound(result, normalized, i, j);
      }
    }
  });
  return bounds;
}

double largest_error(const GramResult& result, bool normalized) {
  double largest = 0;
  std::mutex mutex;
  in_parallel(result.size, matrix_rows_at_once, [&](std::size_t begin, std::size_t end) {
    double of_rows = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i; j < result.size; ++j) of_rows = std::max(of_rows, error_bound(result, normalized, i, j));
    }
    const std::lock_guard lock(mutex);
    largest = std::max(largest, of_rows);
  });
  return largest;
}

}  // namespace octile
