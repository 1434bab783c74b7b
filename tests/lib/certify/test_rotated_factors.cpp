// SPDX-License-Identifier: BSD-3-Clause
// Rotated factors: the same kernel, of which the first ones leave the least, and no more of a row than is said.
#include <doctest/doctest.h>

#include <octile/certify/rotated_factors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace octile;

namespace {

std::vector<std::uint32_t> rows_of_ten(std::size_t entries) {
  std::vector<std::uint32_t> begin;
  for (std::size_t r = 0; r < entries; r += 10) begin.push_back(static_cast<std::uint32_t>(r));
  begin.push_back(static_cast<std::uint32_t>(entries));
  return begin;
}

/// Entries with factors as pivoted Cholesky has them: each about a tenth of the one before it, and the first ones of two lengths apart.
struct Entries {
  int count;
  std::size_t entries;
  std::size_t pitch = (static_cast<std::size_t>(count) + 3) / 4 * 4;
  std::vector<double> values = std::vector<double>(entries * pitch);

  Entries(int factors, std::size_t of) : count(factors), entries(of) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (std::size_t r = 0; r < entries; ++r) {
      const double weight = std::pow(10, number(random));
      double size = weight;
      for (int k = 0; k < count; ++k, size *= 0.3) {
        // All of a row lean the same way, so that a rotation has something to find.
        at(r, k) = size * (number(random) + (k < 3 ? 1 : 0));
      }
    }
  }
  double& at(std::size_t entry, int k) { return values[entry * pitch + static_cast<std::size_t>(k)]; }
  double at(std::size_t entry, int k) const { return values[entry * pitch + static_cast<std::size_t>(k)]; }
  EntryFactors view() const { return {values.data(), pitch, count}; }
  /// All in rows of ten, of degree 1.
  std::vector<std::uint32_t> begin = rows_of_ten(entries);
  std::vector<double> degrees = std::vector<double>(begin.size() - 1, 1.0);
  EntryRows rows() const { return {begin.data(), degrees.data(), degrees.size()}; }
};

/// What the factors from `first` on add to the product of two entries.
template <class At>
double product(const At& at, std::size_t a, std::size_t b, int first, int end) {
  double sum = 0;
  for (int k = first; k < end; ++k) sum += at(a, k) * at(b, k);
  return sum;
}

/// The root mean square of what factors from `first` on add, over all pairs of entries, beside Σ A_ij².
template <class At>
double left_by(const At& at, std::size_t entries, double all, int first, int end) {
  double squares = 0;
  for (std::size_t a = 0; a < entries; ++a) {
    for (std::size_t b = 0; b < entries; ++b) {
      const double left = product(at, a, b, first, end);
      squares += left * left;
    }
  }
  return std::sqrt(squares) / all;
}

}  // namespace

TEST_CASE("rotated factors give the same kernel, and the first ones leave the least of it") {
  for (const int count : {1, 2, 5, 16, 19, 40, most_rotated}) {
    CAPTURE(count);
    const Entries all(count, 90);
    std::vector<double> rotation(rotation_size, std::nan(""));
    std::vector<double> left(most_rotated);
    find_rotation(all.view(), all.rows(), count, rotation.data(), left.data());
    std::vector<float> to(all.entries * static_cast<std::size_t>(count));
    std::vector<double> sums(most_prefixes);
    rotate_factors(all.view(), rotation.data(), 0, all.entries, count, to.data(), sums.data());
    const double sum = sums[static_cast<std::size_t>(prefixes_of(count)) - 1];
    const auto rotated = [&](std::size_t r, int c) {
      return static_cast<double>(to[r * static_cast<std::size_t>(count) + static_cast<std::size_t>(c)]);
    };
    const auto given = [&](std::size_t r, int k) { return all.at(r, k); };
    double weights = 0;
    double roots = 0;
    for (std::size_t a = 0; a < all.entries; ++a) {
      weights += product(given, a, a, 0, count);
      roots += std::sqrt(product(given, a, a, 0, count));
      for (std::size_t b = 0; b < all.entries; ++b) {
        const double scale = std::sqrt(product(given, a, a, 0, count) * product(given, b, b, 0, count));
        CHECK(std::abs(product(rotated, a, b, 0, count) - product(given, a, b, 0, count)) <= 1e-6 * scale);
      }
    }
    // All of them leave nothing but rounding.
    CHECK(sum <= 1e-6 * roots);
    for (int c = 0; c < count; ++c) {
      CAPTURE(c);
      const double measured = left_by(rotated, all.entries, weights, c, count);
      CHECK(measured == doctest::Approx(left[static_cast<std::size_t>(c)]).epsilon(1e-3).scale(1e-4));
      CHECK(measured <= left_by(given, all.entries, weights, c, count) + 1e-6);
    }
  }
}

TEST_CASE("what the first rotated factors leave of a product with a row is bounded, and those behind them are zero") {
  const int count = 13;
  const Entries all(count, 60);
  for (const int kept : {1, 2, 4, 8, 12, 16, 24}) {
    CAPTURE(kept);
    std::vector<double> rotation(rotation_size, std::nan(""));
    std::vector<double> left(most_rotated);
    find_rotation(all.view(), all.rows(), kept, rotation.data(), left.data());
    std::vector<float> to(all.entries * static_cast<std::size_t>(kept), -1.0F);
    std::vector<std::vector<double>> bounds;  // by row and prefix
    for (std::size_t row = 0; row < all.entries; row += 10) {
      bounds.emplace_back(most_prefixes);
      rotate_factors(all.view(), rotation.data(), row, row + 10, kept, to.data(), bounds.back().data());
    }
    const auto rotated = [&](std::size_t r, int c) {
      return static_cast<double>(to[r * static_cast<std::size_t>(kept) + static_cast<std::size_t>(c)]);
    };
    const auto given = [&](std::size_t r, int k) { return all.at(r, k); };
    for (std::size_t pair = 0; pair < bounds.size() * bounds.size(); ++pair) {
      const std::size_t row = pair / bounds.size();
      const std::size_t other = pair % bounds.size();
      for (int prefix = 0; prefix < prefixes_of(kept); ++prefix) {
        const int taken = std::min(kept, (prefix + 1) * rotated_step);
        CAPTURE(taken);
        double most = 0;
        double rounding = 0;
        for (std::size_t a = 10 * row; a < 10 * row + 10; ++a) {
          for (std::size_t b = 10 * other; b < 10 * other + 10; ++b) {
            most += std::abs(product(given, a, b, 0, count) - product(rotated, a, b, 0, taken));
            rounding += 1e-6 * std::sqrt(product(given, a, a, 0, count) * product(given, b, b, 0, count));
          }
        }
        const auto at = static_cast<std::size_t>(prefix);
        CHECK(most <= bounds[row][at] * bounds[other][at] + rounding);
        // No more than is left.
        if (taken < 8) CHECK(bounds[row][at] * bounds[other][at] <= 50 * most);
      }
    }
    for (int c = count; c < kept; ++c) {
      for (std::size_t r = 0; r < all.entries; ++r) CHECK(rotated(r, c) == 0);
    }
  }
}

TEST_CASE("edges count by their share of a vertex's degree") {
  // Two rows, of which one is a thousand times as heavy. By A / d the other one counts a little more, so its factor comes first.
  const std::vector<double> values{1000, 0, 0, 1};
  const std::vector<std::uint32_t> begin{0, 1, 2};
  const std::vector<double> degrees{1000 * 1.01, 1.01 * 0.99};
  std::vector<double> rotation(rotation_size);
  std::vector<double> left(most_rotated);
  find_rotation({values.data(), 2, 2}, {begin.data(), degrees.data(), 2}, 2, rotation.data(), left.data());
  CHECK(left[0] == doctest::Approx(std::sqrt(1 + std::pow(0.99, 4)) / (1 + 0.99 * 0.99)).epsilon(1e-2));
  CHECK(std::abs(rotation[most_rotated]) == doctest::Approx(1));
}

TEST_CASE("many entries are looked at in part, and factors that are not finite keep their places") {
  const Entries many(6, 9000);
  std::vector<double> rotation(rotation_size);
  std::vector<double> left(most_rotated);
  find_rotation(many.view(), many.rows(), 6, rotation.data(), left.data());
  CHECK(std::is_sorted(left.begin(), left.begin() + 6, std::greater<>()));
  Entries broken(6, 50);
  broken.at(17, 3) = std::numeric_limits<double>::quiet_NaN();
  find_rotation(broken.view(), broken.rows(), 6, rotation.data(), left.data());
  for (int k = 0; k < 6; ++k) {
    CHECK(std::isinf(left[static_cast<std::size_t>(k)]));
    for (int c = 0; c < 6; ++c) CHECK(rotation[static_cast<std::size_t>(k * most_rotated + c)] == (k == c ? 1 : 0));
  }
  const Entries none(0, 0);
  find_rotation(none.view(), none.rows(), 0, rotation.data(), left.data());
}
