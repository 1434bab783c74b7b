// SPDX-License-Identifier: BSD-3-Clause
// Rows of a certificate that are added by vectors of a CPU against the same rows one by one.
#include <octile/certify/certificate.hpp>
#include <octile/certify/certified_rows.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Vertices {
  std::vector<double> degrees;
  std::vector<double> inverse_degrees;
  std::vector<double> starting;
  std::vector<double> inverse_starting;
  std::vector<std::int32_t> neighbours;

  Vertices(std::size_t count, bool zeros, test::Random& random) {
    for (std::size_t v = 0; v < count; ++v) {
      degrees.push_back(std::exp(20 * (random.uniform() - 0.5)));
      inverse_degrees.push_back(1 / degrees.back());
      starting.push_back(zeros && v % 3 == 0 ? 0 : random.uniform() + 0.1);
      inverse_starting.push_back(1 / starting.back());
      neighbours.push_back(random.below(50));
    }
  }
  VerticesOfRows view() const {
    return {degrees.data(), inverse_degrees.data(), starting.data(), inverse_starting.data(), neighbours.data()};
  }
};

/// A trial solution of one side, and its product.
struct Trial {
  std::vector<double> values;
  std::vector<double> products;

  RowTrial at(std::size_t e) const { return {values[e], products[e]}; }
};

/// Rows of n × m vertices, with trials that are about as far off as those of a solve.
struct Rows {
  std::size_t n;
  std::size_t m;
  Vertices first;
  Vertices second;
  std::vector<double> kappa;
  Trial x;
  Trial y;
  double square = 0.01;
  SystemRounding rounding{3, 5};

  Rows(std::size_t n_, std::size_t m_, bool zeros, std::uint64_t seed) : Rows(n_, m_, zeros, test::Random(seed)) {}

  CertifiedRow row(std::size_t i, std::size_t k) const {
    return {first.degrees[i] * second.degrees[k],
            first.inverse_degrees[i] * second.inverse_degrees[k],
            1 / kappa[i * m + k],
            first.starting[i] * second.starting[k],
            first.inverse_starting[i] * second.inverse_starting[k],
            first.neighbours[i],
            second.neighbours[k]};
  }

  CertificateSums one_by_one(bool two_sides, bool steps) const {
    CertificateSums sums;
    for (std::size_t e = 0; e < n * m; ++e) {
      add_row(sums, row(e / m, e % m), square, 1 / square, rounding, steps, x.at(e), two_sides, y.at(e));
    }
    return sums;
  }

  SumsOfRows by_vectors(bool two_sides, bool steps) const {
    SumsOfRows sums;
    const CommonOfRows common{square, 1 / square, rounding.of_term + operations_of_row,
                              rounding.of_diagonal + operations_of_row, steps ? 1.0 : 0.0};
    const std::vector<double> counted_x = counted(x, steps);
    const std::vector<double> counted_y = counted(y, steps);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = [begin = i * m](const Trial& trial, const std::vector<double>& of_trial) {
        return TrialOfRow{trial.values.data() + begin, trial.products.data() + begin, of_trial.data() + begin};
      };
      add_rows(sums, first.view(), i, second.view(), m, kappa.data() + i * m, common, row(x, counted_x),
               two_sides ? row(y, counted_y) : TrialOfRow{});
    }
    return sums;
  }

 private:
  /// What the sums count for a trial.
  std::vector<double> counted(const Trial& trial, bool steps) const {
    if (!steps) return trial.values;
    std::vector<double> numbers(n * m);
    for (std::size_t e = 0; e < n * m; ++e) {
      const double inverse_diagonal = kappa[e] * first.inverse_degrees[e / m] * second.inverse_degrees[e % m];
      numbers[e] = trial.products[e] * inverse_diagonal;
    }
    return numbers;
  }

  Rows(std::size_t n_, std::size_t m_, bool zeros, test::Random random)
      : n(n_), m(m_), first(n, zeros, random), second(m, zeros, random) {
    for (std::size_t e = 0; e < n * m; ++e) {
      kappa.push_back(0.05 + 0.95 * random.uniform());
      const double degrees = first.degrees[e / m] * second.degrees[e % m];
      const double off = 1e-3 * (random.uniform() - 0.5);
      x.values.push_back(random.uniform());
      y.values.push_back(random.uniform() / degrees);
      x.products.push_back(std::abs(degrees / kappa[e] * x.values[e] - square * degrees * (1 + off)));
      y.products.push_back(std::abs(degrees / kappa[e] * y.values[e] - first.starting[e / m] * second.starting[e % m]));
    }
  }
};

void check_side(const SumsOfRows::Side& found, const SideSums& expected) {
  // Relative to small numbers, too: without a scale a share of 1 is allowed. Residuals are left of terms that cancel.
  const auto is = [](double value, double share) { return doctest::Approx(value).epsilon(share).scale(1e-300); };
  CHECK(found.value == is(expected.value, 1e-12));
  if (std::isinf(expected.worst)) {
    CHECK(std::isinf(found.worst));
  } else {
    CHECK(found.worst == is(expected.worst, 1e-9));
  }
  CHECK(std::abs(found.left - expected.left) <= expected.rounding);
  // Where a row has no bound, so do they: 0 times an infinity is no number.
  if (!std::isinf(expected.worst)) CHECK(found.squares == is(expected.squares, 1e-9));
  CHECK(found.rounding == is(expected.rounding, 1e-12));
}

void check_rows(const SumsOfRows& found, const CertificateSums& expected, bool steps) {
  check_side(found.x, expected.x);
  check_side(found.y, expected.y);
  // Each residual is left of terms that cancel.
  CHECK(std::abs(found.correction - expected.correction) <= expected.x.rounding);
  if (!steps) return;
  const auto is = [](double value) { return doctest::Approx(value).epsilon(1e-12).scale(1e-300); };
  CHECK(found.no_step == is(expected.no_step));
  CHECK(found.counting_x == is(expected.counting_x));
  CHECK(found.counting_y == is(expected.counting_y));
}

void check_rows(const Rows& rows, bool two_sides) {
  for (const bool steps : {false, true}) {
    CAPTURE(steps);
    check_rows(rows.by_vectors(two_sides, steps), rows.one_by_one(two_sides, steps), steps);
  }
}

}  // namespace

TEST_CASE("rows by vectors have the sums of rows one by one, around the sizes of vectors") {
  for (const std::size_t m : {1, 3, 4, 7, 8, 9, 31, 33}) {
    for (const bool zeros : {false, true}) {
      for (const bool two_sides : {false, true}) {
        CAPTURE(m);
        CAPTURE(zeros);
        CAPTURE(two_sides);
        check_rows(Rows(5, m, zeros, m + 1), two_sides);
      }
    }
  }
}

TEST_CASE("rows that are no numbers leave nothing certain, wherever they stand") {
  for (std::size_t place = 0; place < 3 * 19; ++place) {
    CAPTURE(place);
    for (const double wrong :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(), infinite}) {
      Rows rows(3, 19, false, 5);
      rows.x.products[place] = wrong;
      const SumsOfRows of_x = rows.by_vectors(true, false);
      CHECK(of_x.x.worst == infinite);
      CHECK(of_x.y.worst < infinite);
      rows = Rows(3, 19, false, 5);
      rows.y.products[place] = wrong;
      CHECK(rows.by_vectors(true, false).y.worst == infinite);
    }
  }
}

TEST_CASE("where no walk starts and no residual is left, a row bounds nothing") {
  Rows rows(2, 11, true, 7);
  for (std::size_t e = 0; e < rows.n * rows.m; ++e) {
    if (rows.first.starting[e / rows.m] * rows.second.starting[e % rows.m] > 0) continue;
    rows.y.values[e] = 0;
    rows.y.products[e] = 0;
  }
  const SumsOfRows found = rows.by_vectors(true, false);
  CHECK(found.y.worst < infinite);
  check_rows(rows, true);
}
