// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/pairs/one_thread.hpp>
#include <octile/pairs/vector_steps.hpp>

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace octile;

/// `VectorSteps` that end an estimate by `close`.
template <class Team, class Apply, class Diagonal, class Right, class Vectors>
struct Closing : VectorSteps<Team, Apply, Diagonal, Right, Vectors> {
  using VectorSteps<Team, Apply, Diagonal, Right, Vectors>::VectorSteps;
  void close(typename Vectors::Scalar alpha) { this->leave(alpha); }
};

/// Solves (M − N) x = b, M the diagonal of `matrix`, in Scalar.
template <class Scalar>
PairResult solve(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, const SolveOptions& options,
                 std::vector<Scalar>& x, int* products = nullptr, bool closes = false) {
  const auto size = static_cast<int>(b.size());
  const auto count = static_cast<std::size_t>(size);
  std::vector<Scalar> diagonal(count);
  std::vector<Scalar> r(count);
  std::vector<Scalar> p(count);
  std::vector<Scalar> a(count);
  x.assign(count, Scalar(99));
  for (int k = 0; k < size; ++k) diagonal[static_cast<std::size_t>(k)] = static_cast<Scalar>(matrix(k, k));
  const auto apply = [&] {
    if (products != nullptr) ++*products;
    for (int i = 0; i < size; ++i) {
      Scalar sum = 0;
      for (int j = 0; j < size; ++j) {
        if (i != j) sum -= static_cast<Scalar>(matrix(i, j)) * p[static_cast<std::size_t>(j)];
      }
      a[static_cast<std::size_t>(i)] = sum;
    }
  };
  CgVectors<Scalar> vectors{diagonal.data(), x.data(), r.data(), p.data(), a.data()};
  const auto exact_diagonal = [&](int k) { return matrix(k, k); };
  const auto right = [&](int k) { return b(k); };
  const double tolerance = tolerance_of(options, options.tolerance, size);
  if (closes) {
    const OneThread team;
    Closing<OneThread, decltype(apply), decltype(exact_diagonal), decltype(right), CgVectors<Scalar>> steps(
        team, apply, exact_diagonal, right, size, vectors);
    return iterate<Scalar>(steps, options, tolerance);
  }
  return conjugate_gradient(OneThread{}, apply, exact_diagonal, right, size, vectors, options, tolerance);
}

/// A path's Laplacian plus q: its condition is about 4 / q.
Eigen::MatrixXd path(int size, double q) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  for (int k = 0; k < size; ++k) {
    matrix(k, k) = q;
    if (k > 0) matrix(k, k) += 1, matrix(k, k - 1) = -1;
    if (k + 1 < size) matrix(k, k) += 1, matrix(k, k + 1) = -1;
  }
  return matrix;
}

/// A path with shorter walks, on which α changes little from step to step.
Eigen::MatrixXd ending_path(int size) {
  Eigen::MatrixXd matrix = path(size, 0.0);
  matrix.diagonal().array() = 2.3;
  return matrix;
}

/// b − A x.
Eigen::VectorXd residual(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, const std::vector<double>& x) {
  return b - matrix * Eigen::Map<const Eigen::VectorXd>(x.data(), b.size());
}

/// max |r_k| / b_k.
double worst_row(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, const std::vector<double>& x) {
  return residual(matrix, b, x).cwiseQuotient(b).cwiseAbs().maxCoeff();
}

/// ‖M⁻¹ r‖ / ‖M⁻¹ b‖, by which a solve stops.
double stopping_norm(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, const std::vector<double>& x) {
  const Eigen::VectorXd inverse = matrix.diagonal().cwiseInverse();
  return residual(matrix, b, x).cwiseProduct(inverse).norm() / b.cwiseProduct(inverse).norm();
}

/// The root of rᵀ M⁻¹ r beside that of bᵀ M⁻¹ b, in which rows of large diagonal count most.
double energy_norm(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, const std::vector<double>& x) {
  const Eigen::VectorXd inverse = matrix.diagonal().cwiseInverse();
  const Eigen::VectorXd r = residual(matrix, b, x);
  return std::sqrt(r.dot(r.cwiseProduct(inverse)) / b.dot(b.cwiseProduct(inverse)));
}

TEST_CASE("a speculative last step is not believed where rows of large diagonal still have their residual") {
  // A path 10,000 times as heavy as the other, of which the right-hand side asks little: the norm that stops a solve hardly sees it.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(9, 9);
  matrix.topLeftCorner(5, 5) = 1e4 * path(5, 0.2);
  matrix.bottomRightCorner(4, 4) = ending_path(4);
  Eigen::VectorXd b = matrix.diagonal();
  b.head(5) *= 5e-4;
  std::vector<double> x;
  const PairResult result = solve<double>(matrix, b, {2e-3, 1000}, x);
  CHECK(result.status == Status::converged);
  CHECK(stopping_norm(matrix, b, x) <= 2e-3);
  CHECK(energy_norm(matrix, b, x) <= 4 * 2e-3);  // believed, it were 12 times
}

TEST_CASE("rows of small diagonal count as much as the others in what stops a solve") {
  // Two separate paths, the second a million times lighter, so that ‖r‖ depends on the first only.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(60, 60);
  matrix.topLeftCorner(20, 20) = ending_path(20);
  matrix.bottomRightCorner(40, 40) = 1e-6 * path(40, 0.05);
  const Eigen::VectorXd b = matrix.diagonal();
  const Eigen::VectorXd expected = matrix.ldlt().solve(b);
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    CAPTURE(tolerance);
    std::vector<double> x;
    const PairResult result = solve<double>(matrix, b, {tolerance, 1000}, x);
    CHECK(result.status == Status::converged);
    CHECK(stopping_norm(matrix, b, x) <= tolerance);
    // The matrix is an M-matrix: the residual of the worst row bounds the error of every element.
    for (int k = 0; k < 60; ++k) {
      CHECK(std::abs(x[static_cast<std::size_t>(k)] - expected(k)) <= 1.0001 * result.residual * expected(k));
    }
  }
}

TEST_CASE("in float a rounded diagonal is not taken for the true one") {
  // (1 + q)² rounded to float moves x by some 1e-5, with no residual in the rounded system.
  const double q = 0.0005;
  Eigen::MatrixXd matrix(2, 2);
  matrix << (1 + q) * (1 + q), -1, -1, (1 + q) * (1 + q);
  const Eigen::VectorXd b = Eigen::VectorXd::Constant(2, 1.0);
  std::vector<float> x;
  const PairResult result = solve<float>(matrix, b, {1e-6, 100}, x);
  const double expected = 1 / (matrix(0, 0) - 1);
  const double error = std::abs(x[0] - expected) / expected;
  CHECK(error <= 1e-6);
  // What is left of a row is no smaller than the rounding of its terms, by which it may be so small by luck.
  const double rounding = std::numeric_limits<float>::epsilon() / 2 * matrix(0, 0) * expected / b(0);
  CHECK(result.residual >= 0.999 * rounding);
  CHECK(result.residual <= 4 * rounding);
}

TEST_CASE("the last step's product is that of x: mostly there is none beside those of the steps") {
  const Eigen::MatrixXd matrix = ending_path(200);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(200).cwiseAbs();
  int more = 0;
  int steps = 0;
  for (const double tolerance : {1e-4, 2e-5, 1e-6, 3e-7, 1e-8, 4e-9, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    std::vector<double> x;
    int products = 0;
    const PairResult result = solve<double>(matrix, b, {tolerance, 1000}, x, &products);
    CHECK(result.status == Status::converged);
    CHECK(stopping_norm(matrix, b, x) <= tolerance);
    CHECK(products >= result.iterations);
    more += products - result.iterations;
    steps += result.iterations;
  }
  CHECK(steps > 8 * 10);
  CHECK(more <= 2);
}

TEST_CASE("a solve that is judged later spends no product on its last step") {
  const Eigen::MatrixXd matrix = ending_path(200);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(200).cwiseAbs();
  for (const double tolerance : {1e-2, 1e-4, 2e-5, 1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    std::vector<double> x;
    int products = 0;
    const PairResult result = solve<double>(matrix, b, {tolerance, 1000}, x, &products);
    int fewer = 0;
    const PairResult later = solve<double>(matrix, b, {tolerance, 1000, true}, x, &fewer);
    CHECK(later.status == Status::converged);
    CHECK(fewer == products - 1);
    CHECK(later.iterations == result.iterations);
    CHECK(stopping_norm(matrix, b, x) <= 1.01 * tolerance);
    CHECK(std::isinf(later.error_bound));
  }
}

TEST_CASE("a solve that is judged later still says that iterations ran out, or that numbers are not finite") {
  const Eigen::MatrixXd matrix = ending_path(60);
  std::vector<double> x;
  CHECK(solve<double>(matrix, Eigen::VectorXd::Ones(60), {1e-12, 4, true}, x).status == Status::iteration_limit);
  Eigen::VectorXd not_finite = Eigen::VectorXd::Ones(60);
  not_finite(2) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve<double>(matrix, not_finite, {1e-10, 100, true}, x).status == Status::breakdown);
}

/// Options of a solve in which the error of the sum is estimated.
SolveOptions estimating(double error, int most = 1000, float evenness = 1) {
  SolveOptions options{error, most};
  options.estimated_error = static_cast<float>(error);
  options.evenness = evenness;
  return options;
}

TEST_CASE("where an error is estimated, residuals may be larger for more equations, with even degrees") {
  CHECK(estimated_tolerance(estimating(1e-6), 1) == doctest::Approx(1e-6));
  CHECK(estimated_tolerance(estimating(1e-6), 400) == doctest::Approx(1.5e-5));
  CHECK(estimated_tolerance(estimating(1e-6), 1e6) == doctest::Approx(2 * std::pow(1e-6, 0.75)));
  CHECK(estimated_tolerance(estimating(1e-10), 1e6) == doctest::Approx(64e-10));
  CHECK(estimated_tolerance(estimating(1e-6, 1000, 0.5F), 400) == doctest::Approx(7.5e-6));
  CHECK(estimated_tolerance(estimating(1e-6, 1000, 0), 400) == doctest::Approx(1e-6));
  CHECK(tolerance_of({1e-8, 1000}, 3e-8, 400) == 3e-8);
}

TEST_CASE("an estimated error of the sum of x ends a solve early, with fewer products") {
  const Eigen::MatrixXd matrix = ending_path(200);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(200).cwiseAbs();
  const double exact = matrix.ldlt().solve(b).sum();
  for (const double accuracy : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(accuracy);
    std::vector<double> x;
    int products = 0;
    const PairResult result = solve<double>(matrix, b, {accuracy, 1000}, x, &products);
    int fewer = 0;
    const PairResult estimated = solve<double>(matrix, b, estimating(accuracy), x, &fewer);
    const double sum = Eigen::Map<const Eigen::VectorXd>(x.data(), 200).sum();
    CHECK(estimated.status == Status::converged);
    CHECK(std::abs(sum - exact) <= accuracy * exact);
    CHECK(estimated.iterations < result.iterations);
    CHECK(fewer < products);
    CHECK(fewer == estimated.iterations);  // the last step has no product, and is not counted
    CHECK(estimated.residual <= estimated_tolerance(estimating(accuracy), 200));
    CHECK(std::isinf(estimated.error_bound));
    std::vector<double> same;
    int products_of_same = 0;
    const PairResult closed = solve<double>(matrix, b, estimating(accuracy), same, &products_of_same, true);
    CHECK(closed.status == Status::converged);
    CHECK(products_of_same == fewer);
    CHECK(same == x);
    // The last step is none of the iterations that are allowed.
    CHECK(solve<double>(matrix, b, estimating(accuracy, fewer), x, &products).status == Status::converged);
    CHECK(solve<double>(matrix, b, estimating(accuracy, fewer - 1), x, &products).status == Status::iteration_limit);
  }
}

TEST_CASE("a step along what decays slowly is not repeated where an error is estimated") {
  // Nearly constant kernels: the first step is along what is nearly an eigenvector, with an α of 10 to 1,000, and leaves little.
  int by_one_step = 0;
  for (const double q : {0.05, 0.005, 0.0005}) {
    for (double uneven = 1e-3; uneven > 1e-9; uneven *= 0.5) {
      CAPTURE(q);
      CAPTURE(uneven);
      constexpr int size = 20;
      const Eigen::MatrixXd random = Eigen::MatrixXd::Random(size, size).cwiseAbs();
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
      Eigen::VectorXd degrees = Eigen::VectorXd::Zero(size);
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (j + 1 != i && random(i, j) > 0.3) continue;
          const double weight = 0.5 + random(j, i);
          matrix(i, j) = matrix(j, i) = -weight * (1 - uneven * random(i, j));
          degrees(i) += weight;
          degrees(j) += weight;
        }
      }
      for (int i = 0; i < size; ++i) {
        matrix(i, i) = degrees(i) / ((1 - q) * (1 - q) * (1 - uneven * random(i, i)));
      }
      const double exact = matrix.ldlt().solve(degrees).sum();
      for (const double accuracy : {1e-3, 1e-6}) {
        CAPTURE(accuracy);
        std::vector<double> x;
        const PairResult result = solve<double>(matrix, degrees, estimating(accuracy), x);
        CHECK(result.status == Status::converged);
        const double error = std::abs(Eigen::Map<const Eigen::VectorXd>(x.data(), size).sum() - exact) / exact;
        CHECK(error <= accuracy);
        if (result.iterations > 1) continue;
        ++by_one_step;
        CHECK(error <= 0.05 * accuracy);
      }
    }
  }
  CHECK(by_one_step > 30);
}

TEST_CASE("an estimated error still lets a solve end by its iterations, or where numbers are not finite") {
  const Eigen::MatrixXd matrix = ending_path(60);
  std::vector<double> x;
  CHECK(solve<double>(matrix, Eigen::VectorXd::Ones(60), estimating(1e-12, 4), x).status == Status::iteration_limit);
  Eigen::VectorXd not_finite = Eigen::VectorXd::Ones(60);
  not_finite(2) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve<double>(matrix, not_finite, estimating(1e-10), x).status == Status::breakdown);
}

TEST_CASE("an estimated error of a system that one step solves is as good as none") {
  std::vector<double> x;
  int products = 0;
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(5, 1, 5);
  const PairResult result =
      solve<double>(Eigen::VectorXd::LinSpaced(5, 2, 10).asDiagonal(), b, estimating(1e-10), x, &products);
  CHECK(result.status == Status::converged);
  CHECK(products == 1);
  for (const double value : x) CHECK(value == doctest::Approx(0.5));
}

TEST_CASE("an estimated error that rounding exceeds is not claimed") {
  // x is 33 times M⁻¹b, so that rounding is twice the error, but less than the residual that is allowed.
  const Eigen::MatrixXd matrix = path(40, 0.06);
  CHECK(estimated_tolerance(estimating(1e-6), 40) > 4e-6);
  std::vector<float> x;
  CHECK(solve<float>(matrix, Eigen::VectorXd::Ones(40), estimating(1e-6), x).status == Status::stagnated);
  CHECK(solve<float>(matrix, Eigen::VectorXd::Ones(40), estimating(4e-6), x).status == Status::converged);
}

/// A solve that converged.
struct Converged {
  std::vector<double> x;
  int products = 0;
  int iterations = 0;
};

Converged converge(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& b, double tolerance) {
  Converged solved;
  const PairResult result = solve<double>(matrix, b, {tolerance, 500}, solved.x, &solved.products);
  CHECK(result.status == Status::converged);
  solved.iterations = result.iterations;
  return solved;
}

TEST_CASE("a last step that was guessed and is not the last one is gone on from") {
  // Two clusters of eigenvalues: α jumps between them, and so does the reduction by a step.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(40, 40);
  for (int k = 0; k < 40; ++k) {
    if (k > 0) matrix(k, k - 1) = matrix(k - 1, k) = k % 4 == 0 ? -0.01 : -0.49;
  }
  const Eigen::VectorXd b = Eigen::VectorXd::Random(40).cwiseAbs();
  for (double tolerance = 1e-3; tolerance > 1e-13; tolerance *= 0.7) {
    CAPTURE(tolerance);
    const auto [x, products, iterations] = converge(matrix, b, tolerance);
    CHECK(products <= iterations + 1);
    CHECK(stopping_norm(matrix, b, x) <= tolerance);
  }
}

TEST_CASE("a guessed step is not believed where the diagonal is nearly zero and the residual says nothing") {
  // A path, and four isolated vertices under a small stopping weight.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(24, 24);
  matrix.topLeftCorner(20, 20) = ending_path(20);
  matrix.diagonal().tail(4).array() = 1e-3;
  const Eigen::VectorXd b = matrix.diagonal();
  const Eigen::VectorXd inverse = b.cwiseInverse();
  int guessed = 0;
  for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.6) {
    CAPTURE(tolerance);
    const auto [x, products, iterations] = converge(matrix, b, tolerance);
    if (products > iterations) continue;
    ++guessed;
    const Eigen::VectorXd r = residual(matrix, b, x);
    CHECK(r.cwiseProduct(inverse).dot(r) <= 16.01 * tolerance * tolerance * b.sum());
  }
  CHECK(guessed > 0);
}

TEST_CASE("a diagonal system is solved in one iteration") {
  std::vector<double> x;
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(5, 1, 5);
  const PairResult result = solve<double>(Eigen::VectorXd::LinSpaced(5, 2, 10).asDiagonal(), b, {1e-14, 10}, x);
  CHECK(result.status == Status::converged);
  CHECK(result.iterations == 1);
  for (const double value : x) CHECK(value == doctest::Approx(0.5));
}

TEST_CASE("the reported residual is that of the solution, not of the recurrence") {
  const Eigen::MatrixXd matrix = path(50, 1e-3);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(50).cwiseAbs();
  std::vector<double> x;
  const PairResult result = solve<double>(matrix, b, {1e-10, 1000}, x);
  CHECK(result.status == Status::converged);
  CHECK(stopping_norm(matrix, b, x) <= 1e-10);
  // It counts the rounding of the diagonal's product, too.
  const Eigen::VectorXd of_diagonal = matrix.diagonal().cwiseProduct(Eigen::Map<const Eigen::VectorXd>(x.data(), 50));
  const double rounding = std::numeric_limits<double>::epsilon() * of_diagonal.cwiseQuotient(b).maxCoeff();
  CHECK(result.residual >= 0.999 * worst_row(matrix, b, x));
  CHECK(result.residual <= worst_row(matrix, b, x) + 4 * rounding);
}

TEST_CASE("running out of iterations is a result, with the residual reached") {
  std::vector<double> x;
  Eigen::VectorXd b = Eigen::VectorXd::Constant(60, 0.01);
  b(0) = 1;
  const PairResult result = solve<double>(path(60, 1e-6), b, {1e-12, 7}, x);
  CHECK(result.status == Status::iteration_limit);
  CHECK(result.iterations == 7);
  CHECK(result.residual > 1e-12);
  CHECK(result.residual == doctest::Approx(worst_row(path(60, 1e-6), b, x)).epsilon(1e-9).scale(0));
}

TEST_CASE("no pair takes more iterations than are allowed, guessed ones among them") {
  const Eigen::MatrixXd matrix = ending_path(200);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(200).cwiseAbs();
  std::vector<double> x;
  const int needed = solve<double>(matrix, b, {1e-8, 1000}, x).iterations;
  REQUIRE(needed > 5);
  for (int allowed = 1; allowed <= needed; ++allowed) {
    CAPTURE(allowed);
    const PairResult result = solve<double>(matrix, b, {1e-8, allowed}, x);
    CHECK(result.status == (allowed < needed ? Status::iteration_limit : Status::converged));
    CHECK(result.iterations == allowed);
  }
}

TEST_CASE("a tolerance below what the precision allows ends as stagnated, with its residual") {
  std::vector<float> x;
  const PairResult result = solve<float>(path(40, 1e-5), Eigen::VectorXd::Ones(40), {1e-9, 5000}, x);
  CHECK(result.status == Status::stagnated);
  CHECK(result.residual > 1e-9);
  CHECK(result.iterations < 5000);
}

TEST_CASE("a tolerance met by the start needs no iteration, and the result is zero") {
  std::vector<double> x;
  const PairResult result = solve<double>(path(4, 0.1), Eigen::VectorXd::Ones(4), {1.0, 10}, x);
  CHECK(result.status == Status::converged);
  CHECK(result.iterations == 0);
  for (const double value : x) CHECK(value == 0.0);
}

TEST_CASE("a solve to a residual proves no bound of an error") {
  std::vector<double> x;
  const PairResult result = solve<double>(ending_path(20), Eigen::VectorXd::Ones(20), {1e-10, 100}, x);
  CHECK(result.status == Status::converged);
  CHECK(std::isinf(result.error_bound));
}

TEST_CASE("a right-hand side whose square underflows ends as breakdown, not as converged with 0") {
  for (const double size : {1e-160, 1e-150, 0.0}) {
    CAPTURE(size);
    std::vector<double> x;
    const PairResult result = solve<double>(path(4, 0.1), Eigen::VectorXd::Constant(4, size), {1e-10, 100}, x);
    CHECK(result.status == Status::breakdown);
    CHECK(std::isinf(result.error_bound));
  }
}

TEST_CASE("values that are not finite, and an indefinite matrix, end as breakdown") {
  std::vector<double> x;
  Eigen::MatrixXd indefinite(2, 2);
  indefinite << 1, -3, -3, 1;
  CHECK(solve<double>(indefinite, Eigen::VectorXd::Ones(2), {1e-10, 100}, x).status == Status::breakdown);
  Eigen::VectorXd not_finite = Eigen::VectorXd::Ones(4);
  not_finite(2) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve<double>(path(4, 0.1), not_finite, {1e-10, 100}, x).status == Status::breakdown);
}

TEST_CASE("where a solution is judged later, the residual is what the recurrence predicts of it, near to what it is") {
  SolveOptions options{1e-3, 100};
  options.judged_later = true;
  int predicted = 0;
  for (const int size : {20, 40, 60}) {
    for (const double tolerance : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4}) {
      CAPTURE(size);
      CAPTURE(tolerance);
      options.tolerance = tolerance;
      const Eigen::MatrixXd matrix = ending_path(size);
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(size, 1, 2);
      std::vector<double> x;
      int products = 0;
      const PairResult result = solve<double>(matrix, b, options, x, &products);
      const double true_residual = residual(matrix, b, x).norm() / b.norm();  // M is a multiple of the identity
      CHECK(result.status == Status::converged);
      CHECK(result.residual <= tolerance);
      CHECK(result.residual >= true_residual / 2);
      CHECK(result.residual <= true_residual * 2);
      if (products < result.iterations) ++predicted;
    }
  }
  CHECK(predicted > 0);
}

TEST_CASE("each status has a name of its own") {
  CHECK(status_name(Status::converged) == "converged");
  CHECK(status_name(Status::stagnated) == "stagnated");
  CHECK(status_name(Status::iteration_limit) == "iteration limit");
  CHECK(status_name(Status::breakdown) == "breakdown");
}

}  // namespace
