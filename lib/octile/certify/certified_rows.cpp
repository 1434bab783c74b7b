// SPDX-License-Identifier: BSD-3-Clause
// Compiled with leave to reorder sums and products, without which a compiler may not vectorise them (lib/CMakeLists.txt).
#include <octile/certify/certified_rows.hpp>

#include <octile/base/instructions.hpp>
#include <octile/base/unit_roundoff.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace octile {
namespace {

/// The larger of two numbers that are not negative, by the bits of the second. What is not a number is more than all that are.
[[gnu::always_inline]] inline std::int64_t larger_bits(std::int64_t most, double value) {
  return std::max(most, std::bit_cast<std::int64_t>(std::abs(value)));
}

[[gnu::always_inline]] inline double larger_of(double most, std::int64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  return value >= 0 ? std::max(most, value) : std::numeric_limits<double>::infinity();
}

template <bool TwoSides>
[[gnu::always_inline]] inline void add(SumsOfRows& sums, const VerticesOfRows& first, std::size_t i,
                                       const VerticesOfRows& second, std::size_t m, const double* kappa,
                                       const CommonOfRows& common, const TrialOfRow& x, const TrialOfRow& y) {
  const double degree = first.degrees[i];
  const double inverse_degree = first.inverse_degrees[i] * common.inverse_square;
  const double start = first.starting[i];
  const double inverse_start = first.inverse_starting[i];
  const double neighbours = first.neighbours[i];
  double value_x = 0;
  double value_y = 0;
  double left_x = 0;
  double left_y = 0;
  double rounding_x = 0;
  double rounding_y = 0;
  double squares_x = 0;
  double squares_y = 0;
  double correction = 0;
  double no_step = 0;
  double counting_x = 0;
  double counting_y = 0;
  std::int64_t worst_x = 0;
  std::int64_t worst_y = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const double degrees = degree * second.degrees[k];
    const double b = common.square * degrees;
    const double diagonal = degrees / kappa[k];
    const double starting = start * second.starting[k];
    const double neighbours_second = second.neighbours[k];
    const double of_product = (neighbours * neighbours_second + common.of_product) * unit_roundoff;
    const double of_diagonal = (neighbours + neighbours_second + common.of_diagonal) * unit_roundoff;
    const double r = b - diagonal * x.values[k] + x.products[k];
    const double unknown_r = of_product * x.products[k] + of_diagonal * (diagonal * x.values[k] + b);
    const double bound_r = std::abs(r) + unknown_r;
    // What is counted for x may be as large as this.
    const double of_counted = common.counting * (of_product + of_diagonal);
    const double most_x = x.counted[k] + of_counted * x.counted[k];
    value_x += starting * x.counted[k];
    counting_x += of_counted * (starting * x.counted[k]);
    const double relative_r = bound_r * (inverse_degree * second.inverse_degrees[k]);
    worst_x = larger_bits(worst_x, relative_r);
    no_step += starting * kappa[k];
    if constexpr (TwoSides) {
      const double s = starting - diagonal * y.values[k] + y.products[k];
      const double unknown_s = of_product * y.products[k] + of_diagonal * (diagonal * y.values[k] + starting);
      const double bound_s = std::abs(s) + unknown_s;
      value_y += b * y.counted[k];
      counting_y += of_counted * (b * y.counted[k]);
      const double most_y = y.counted[k] + of_counted * y.counted[k];
      const double over_start = bound_s * (inverse_start * second.inverse_starting[k]);
      const double relative_s = bound_s <= 0 ? 0.0 : over_start;
      worst_y = larger_bits(worst_y, relative_s);
      squares_x += relative_r * relative_r * (b * most_y);
      squares_y += relative_s * relative_s * (starting * most_x);
      left_x += bound_r * most_y;
      rounding_x += unknown_r * most_y;
      left_y += bound_s * most_x;
      rounding_y += unknown_s * most_x;
      correction += r * y.counted[k];
    }
  }
  sums.x.value += value_x;
  sums.x.worst = larger_of(sums.x.worst, worst_x);
  sums.x.left += left_x;
  sums.x.rounding += rounding_x;
  sums.x.squares += squares_x;
  sums.y.value += value_y;
  sums.y.worst = larger_of(sums.y.worst, worst_y);
  sums.y.left += left_y;
  sums.y.rounding += rounding_y;
  sums.y.squares += squares_y;
  sums.correction += correction;
  sums.no_step += common.square * no_step;
  sums.counting_x += counting_x;
  sums.counting_y += counting_y;
}

}  // namespace

void add_rows(SumsOfRows& sums, const VerticesOfRows& first, std::size_t i, const VerticesOfRows& second, std::size_t m,
              const double* kappa, const CommonOfRows& common, const TrialOfRow& x, const TrialOfRow& y) {
  static const auto both = Compiled<add<true>>::by(available_instructions());
  static const auto one = Compiled<add<false>>::by(available_instructions());
  (y.values != nullptr ? both : one)(sums, first, i, second, m, kappa, common, x, y);
}

}  // namespace octile
