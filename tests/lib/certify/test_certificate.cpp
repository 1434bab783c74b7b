// SPDX-License-Identifier: BSD-3-Clause
// Bounds where what they bound is known: systems of single rows, and sums that round all in one direction.
#include <octile/certify/certificate.hpp>
#include <octile/certify/normalised.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace octile;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A row of two isolated vertices with κv = 1: S = d d' alone.
CertifiedRow isolated(double degrees, double starting) {
  return {degrees, 1 / degrees, 1, starting, 1 / starting, 0, 0};
}

/// A value is not further from the true one than its bound says, but for the roundings of this test.
void check_holds(const CertifiedValue& found, double expected) {
  CAPTURE(found.value);
  CAPTURE(found.bound);
  CHECK(std::abs(found.value - expected) <= (found.bound + 1e-15) * expected);
}

}  // namespace

TEST_CASE("bounds hold where both sides are far from their solutions") {
  // One row with S = 1, q = 1 and p = 1: x = y = K = 1.
  const std::vector<double> errors{-0.8, -0.45, -0.3, -0.01, 0, 0.01, 0.3, 0.45, 0.8};
  for (const double of_x : errors) {
    for (const double of_y : errors) {
      CAPTURE(of_x);
      CAPTURE(of_y);
      CertificateSums sums;
      add_row(sums, isolated(1, 1), 1, 1, {}, false, {1 + of_x}, true, {1 + of_y});
      check_holds(certified_by_one(sums.x, 6), 1);
      check_holds(certified_by_one(sums.y, 6), 1);
      const CertifiedValue both = certified_by_both(sums.x, sums.y, sums.x.value + sums.correction, 6);
      check_holds(both, 1);
      // The two errors multiply, which is what a second solve is for.
      if (std::max(std::abs(of_x), std::abs(of_y)) <= 0.01) CHECK(both.bound <= 1.03e-4);
    }
  }
}

TEST_CASE(
    "where one row of many has large residuals, the bound is not the largest of one side times those of the other") {
  constexpr int rows = 1000;
  constexpr double large = 0.1;
  constexpr double small = 1e-3;
  // Rows with S = 1, q = 1 and p = 1 / rows: every x is 1, and K too.
  for (const double sign : {1.0, -1.0}) {
    CAPTURE(sign);
    CertificateSums sums;
    for (int k = 0; k < rows; ++k) {
      const double off = k == 0 ? large : small;
      add_row(sums, isolated(1, 1.0 / rows), 1, 1, {}, false, {1 + off}, true, {(1 + sign * off) / rows});
    }
    const CertifiedValue both = certified_by_both(sums.x, sums.y, sums.x.value + sums.correction, rows);
    check_holds(both, 1);
    const double expected = (large * large + (rows - 1) * small * small) / rows;
    CHECK(std::abs(both.value - 1) == doctest::Approx(expected).epsilon(0.01).scale(0));
    // The largest of one side times the mean of the other is 0.1 times 1.1e-3.
    CHECK(both.bound <= 1.3 * expected);
  }
}

TEST_CASE("what lies beyond the sums of a row is added to its squares") {
  constexpr double beyond = 1e-3;
  SystemRounding rounding;
  rounding.beyond_x = beyond;
  rounding.beyond_y = beyond;
  rounding.beyond_sums_of_y = beyond;
  // As formed, both residuals are nearly 0; what is not known of N x and N y hides the rest.
  constexpr double off = 0.9 * beyond;
  CertificateSums sums;
  add_row(sums, isolated(1, 1), 1, 1, {}, false, {1 - off, -off}, true, {1 - off, -off});
  check_holds(evaluation_of(sums, rounding, true, 6, 0, true).value, 1);
  // What is known comes on top of it, by each side alone, too.
  CertificateSums known;
  add_row(known, isolated(1, 1), 1, 1, {}, false, {0.9}, true, {0.8});
  for (const double of_x : {beyond, 0.0}) {
    CAPTURE(of_x);
    SideSums x = known.x;
    SideSums y = known.y;
    SystemRounding of_sides;
    of_sides.beyond_x = of_x;
    of_sides.beyond_y = beyond;
    add_beyond(x, y, of_sides);
    CHECK(std::sqrt(x.squares) >= (std::sqrt(known.x.squares) + of_x * std::sqrt(known.y.value)) * (1 - 1e-15));
    CHECK(std::sqrt(y.squares) >= std::sqrt(known.y.squares) + beyond * std::sqrt(known.x.value));
  }
}

TEST_CASE("a bound counts how a product of many terms rounds") {
  // A million equal terms, of which each sum rounds in the same direction as the one before.
  constexpr int neighbours = 1000;
  constexpr double term = 0.1;
  double product = 0;
  for (int k = 0; k < neighbours * neighbours; ++k) product += term;
  const long double exact = static_cast<long double>(term) * neighbours * neighbours;
  constexpr double degrees = 1.5e5;
  constexpr double square = 0.25;
  const CertifiedRow row{degrees, 1 / degrees, 1, 1, 1, neighbours, neighbours};
  CertificateSums sums;
  const RowResiduals found = add_row(sums, row, square, 1 / square, {}, false, {1, product}, true, {1, product});
  const long double r = square * static_cast<long double>(degrees) - degrees + exact;
  const long double s = 1 - static_cast<long double>(degrees) + exact;
  REQUIRE(std::abs(static_cast<double>(r - found.r)) > 1e-12 * product);
  CHECK(std::abs(static_cast<double>(r - found.r)) <= sums.x.rounding);
  CHECK(std::abs(static_cast<double>(s - found.s)) <= sums.y.rounding);
  CHECK(std::abs(static_cast<double>(r)) / (square * degrees) <= sums.x.worst);
  CHECK(std::abs(static_cast<double>(s)) <= sums.y.worst);
  CHECK(std::abs(static_cast<double>(r)) <= sums.x.left);
}

TEST_CASE("a bound counts how the sum over many rows rounds") {
  // Rows that are solved exactly: all that is wrong is that the sum of a million equal terms rounds.
  constexpr int rows = 1000000;
  constexpr double starting = 0.1;
  const double expected = starting * rows;
  CertificateSums one;
  CertificateSums both;
  for (int k = 0; k < rows; ++k) {
    add_row(one, isolated(1, starting), 1, 1, {}, false, {1}, false, {});
    add_row(both, isolated(1, starting), 1, 1, {}, false, {1}, true, {starting});
  }
  for (const bool two_sides : {false, true}) {
    CAPTURE(two_sides);
    const Evaluation found = evaluation_of(two_sides ? both : one, {}, two_sides, rows, 0, true);
    REQUIRE(std::abs(found.value.value - expected) > 1e-12 * expected);
    check_holds(found.value, expected);
    CHECK(found.value.bound < 1e-9);
  }
}

TEST_CASE("the walks of no step are taken off a value, and not off its error") {
  // K is 1, and half of it are walks of no step. The solution is too large or too small by the residual.
  for (const double error : {-0.3, -0.1, -0.01, 0.01, 0.1, 0.3}) {
    CAPTURE(error);
    CertificateSums sums;
    sums.x = {1 + error, std::abs(error), 0, 0};
    sums.no_step = 0.5;
    check_holds(evaluation_of(sums, {}, false, 6, 1, true).value, 0.5);
  }
  CertificateSums sums;
  sums.x = {0.5, 0.01, 0, 0};
  sums.no_step = 0.5;
  CHECK(evaluation_of(sums, {}, false, 6, 1, true).value.bound == infinite);
  const CertifiedValue none = evaluation_of(sums, {}, false, 6, 1, false).value;
  CHECK(none.value == 0);
  CHECK(none.bound == 0);
}

TEST_CASE("walks of at least one step are counted as they are, however rare they are") {
  // Two graphs of one edge each, and all vertices alike: S x = x (1 − c) with q = p = d = κv = 1, so K = 1 / (1 − c), of which c / (1 − c) take a step.
  for (const double c : {0.5, 1e-3, 1e-12, 1e-200, 0.0}) {
    CAPTURE(c);
    const double exact = 1 / (1 - c);
    const double stepped = c / (1 - c);
    for (const double error : {-0.3, -1e-6, 0.0, 1e-6, 0.3}) {
      CAPTURE(error);
      for (const bool two_sides : {false, true}) {
        CAPTURE(two_sides);
        CertificateSums sums;
        const double x = exact * (1 + error);
        add_row(sums, {1, 1, 1, 1, 1, 1, 1}, 1, 1, {}, true, {x, c * x}, two_sides, {x, c * x});
        const CertifiedValue found = evaluation_of(sums, {}, two_sides, 6, 1, true).value;
        // A residual of error · (1 − c) / b proves as much of all walks as of these.
        check_holds(found, stepped);
        const double expected = two_sides ? error * error : std::abs(error);
        if (std::abs(error) <= 1e-6) CHECK(found.bound <= 1.01 * expected + 2e-14);
        if (c == 0) CHECK(found.value == 0);
      }
    }
  }
}

TEST_CASE("what is unknown of rare walks counts against them, and not against all") {
  constexpr double c = 1e-8;
  constexpr double unknown = 1e-12;
  SystemRounding rounding;
  rounding.beyond_x = unknown;
  rounding.beyond_y = unknown;
  rounding.beyond_sums_of_y = unknown;
  for (const bool two_sides : {false, true}) {
    CAPTURE(two_sides);
    // N x̃ is off by as much as may be.
    CertificateSums sums;
    const double product = c - unknown;
    add_row(sums, {1, 1, 1, 1, 1, 1, 1}, 1, 1, {}, true, {1 + c, product}, two_sides, {1 + c, product});
    const CertifiedValue found = evaluation_of(sums, rounding, two_sides, 6, 1, true).value;
    check_holds(found, c / (1 - c));
    CHECK(found.bound >= unknown / c);
    CHECK(found.bound <= 3 * unknown / c);
  }
}

TEST_CASE("a row whose residual is no number leaves nothing certain, wherever it stands") {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const int wrong : {0, 1, 2}) {
    CAPTURE(wrong);
    CertificateSums sums;
    for (int k = 0; k < 3; ++k) {
      CertificateSums row;
      const RowTrial trial{1, k == wrong ? nothing : 0.0};
      add_row(row, isolated(1, 1), 1, 1, {}, false, trial, true, trial);
      sums += row;
    }
    CHECK(certified_by_one(sums.x, 6).bound == infinite);
    CHECK(certified_by_one(sums.y, 6).bound == infinite);
    CHECK(evaluation_of(sums, {}, true, 6, 0, true).value.bound == infinite);
  }
}

TEST_CASE("a normalised value is not further off than its three values together") {
  const std::vector<double> errors{0, 1e-6, 0.01, 0.3};
  for (const double of_value : errors) {
    for (const double of_first : errors) {
      for (const double of_second : errors) {
        const double bound = normalised_error(of_value, of_first, of_second);
        for (const double a : {-of_value, of_value}) {
          for (const double b : {-of_first, of_first}) {
            for (const double c : {-of_second, of_second}) {
              check_holds({(1 + a) / std::sqrt((1 + b) * (1 + c)), bound}, 1);
            }
          }
        }
      }
    }
  }
  CHECK(normalised_error(0.1, 1, 0.1) == infinite);
  CHECK(normalised_error(0.1, 0.1, infinite) == infinite);
}

TEST_CASE("a normalised value has an accuracy where its three values have what that leaves to each") {
  for (const double accuracy : {1e-3, 1e-6, 1e-9, 1e-12}) {
    CAPTURE(accuracy);
    PairResult each;
    each.value = 0.5;
    each.error_bound = accuracy_before_normalising(accuracy);
    CHECK(each.error_bound > accuracy / 4);
    const PairResult found = normalised({0, 1}, each, each, each);
    CHECK(found.value == doctest::Approx(1));
    CHECK(found.error_bound <= accuracy);
  }
}

TEST_CASE("a normalised value is as well known as the worst of its three values") {
  PairResult good;
  good.value = 1;
  good.status = Status::converged;
  good.iterations = 3;
  PairResult bad = good;
  bad.status = Status::stagnated;
  bad.iterations = 9;
  for (const Pair pair : {Pair{0, 1}, Pair{2, 2}}) {
    CHECK(normalised(pair, good, good, good).status == Status::converged);
    CHECK(normalised(pair, bad, good, good).status == Status::stagnated);
    CHECK(normalised(pair, good, bad, good).status == Status::stagnated);
    CHECK(normalised(pair, good, good, bad).status == Status::stagnated);
    CHECK(normalised(pair, good, good, bad).iterations == 9);
  }
}
