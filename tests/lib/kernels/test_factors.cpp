// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <octile/error.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/pairs/amplification.hpp>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<double> random_numbers(std::size_t count) {
  Random random(7);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = random.uniform();
  return numbers;
}

LoweredKernel lowered_edges(const std::vector<Graph>& graphs, const std::string& expression) {
  return lower(graphs, Expression::parse(expression), LabelSite::edge);
}

/// κ of two records by the program, with which factors are compared.
double kappa(const LoweredKernel& kernel, std::uint32_t a, std::uint32_t b) {
  if (kernel.tabulated()) return kernel.table[a * kernel.record_count + b];
  const RecordPointers labels{kernel.records.data(), kernel.list_begin.data(), kernel.list_values.data(), kernel.slots};
  return run_program<double>(kernel.program.data(), static_cast<int>(kernel.program.size()), labels, a, b);
}

double largest_error(const LoweredKernel& kernel, const Factors& factors) {
  double largest = 0;
  for (std::uint32_t a = 0; a < kernel.record_count; ++a) {
    for (std::uint32_t b = 0; b <= a; ++b) {
      largest = std::max(largest, std::abs(kappa(kernel, a, b) - factors.evaluate(a, b)));
    }
  }
  return largest;
}

double least_eigenvalue(const Factors& factors, std::size_t records) {
  const auto n = static_cast<Eigen::Index>(records);
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    for (Eigen::Index b = 0; b < n; ++b) {
      matrix(a, b) = factors.evaluate(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    }
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
}

std::vector<Graph> labelled_graphs() {
  std::vector<Graph> graphs = small_graphs();
  for (Graph& graph : large_graphs()) graphs.push_back(std::move(graph));
  return graphs;
}

}  // namespace

TEST_CASE("factors keep their bound on every pair of labels, for every kernel") {
  const std::vector<Graph> graphs = small_graphs();
  for (const KernelCase& kernel : kernel_cases()) {
    const LoweredKernel edge = lowered_edges(graphs, kernel.edge);
    for (const double error : {1e-2, 1e-6, 1e-10}) {
      CAPTURE(kernel.edge);
      CAPTURE(error);
      const std::optional<Factors> factors = factorize(edge, error);
      REQUIRE(factors);
      CHECK(factors->error <= error);
      CHECK(factors->rank <= edge.record_count + 1);
      CHECK(largest_error(edge, *factors) <= factors->error + tolerance::evaluated(factors->rank));
    }
  }
}

TEST_CASE("the first factors keep the bound that they are told to have") {
  const std::vector<Graph> graphs{labelled_path(random_numbers(60))};
  const LoweredKernel kernel = lowered_edges(graphs, "gaussian(length,0.3)");
  const Factors factors = *factorize(kernel, 1e-8);
  REQUIRE(factors.errors.size() == factors.rank + 1);
  CHECK(factors.errors.front() == 1);
  CHECK(factors.errors.back() == factors.error);
  CHECK(std::ranges::is_sorted(factors.errors, std::ranges::greater()));
  for (std::size_t count = 0; count <= factors.rank; ++count) {
    CAPTURE(count);
    double largest = 0;
    for (std::uint32_t a = 0; a < kernel.record_count; ++a) {
      for (std::uint32_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t k = 0; k < count; ++k) {
          sum += factors.values[a * factors.rank + k] * factors.values[b * factors.rank + k];
        }
        largest = std::max(largest, std::abs(kappa(kernel, a, b) - sum));
      }
    }
    CHECK(largest <= factors.errors[count] + tolerance::evaluated(factors.rank));
  }
}

TEST_CASE("factors of many labels keep their bound on all of them") {
  const std::vector<Graph> graphs{labelled_path(random_numbers(3000))};
  const LoweredKernel edge = lowered_edges(graphs, "gaussian(length, 0.3)");
  REQUIRE(edge.record_count == 3000);
  const std::optional<Factors> factors = factorize(edge, 1e-7);
  REQUIRE(factors);
  CHECK(factors->error <= 1e-7);
  CHECK(largest_error(edge, *factors) <= factors->error);
}

TEST_CASE("factors of so many labels that pivots are looked for in a sample keep their bounds on all of them") {
  // Five labels are alone with what tells them from all others: hardly any sample has them.
  const std::size_t count = 40000;
  const std::vector<std::size_t> rare{17, 9001, 20004, 33333, 39998};
  std::vector<std::int64_t> kinds(count, 0);
  for (const std::size_t e : rare) kinds[e] = static_cast<std::int64_t>(e);
  const auto n = static_cast<std::int32_t>(count) + 1;
  const std::vector<Graph> graphs{
      Graph::from_edges("path", n, path_edges(n), {}, {{"length", random_numbers(count)}, {"kind", kinds}})};
  const LoweredKernel edge = lowered_edges(graphs, "delta(kind,0.2)*gaussian(length,0.1)");
  REQUIRE(edge.record_count == count);
  for (const double error : {1e-5, 1e-10}) {
    CAPTURE(error);
    const std::optional<Factors> factors = factorize(edge, error);
    REQUIRE(factors);
    CHECK(factors->error <= error);
    CHECK(factors->rank < 60);
    REQUIRE(factors->errors.size() == factors->rank + 1);
    CHECK(std::ranges::is_sorted(factors->errors, std::ranges::greater()));
    std::vector<std::size_t> judged = rare;
    for (std::size_t e = 0; e < count; e += 1999) judged.push_back(e);
    std::vector<double> largest(factors->rank + 1);  // of the first factors
    for (const std::size_t a : judged) {
      for (std::size_t b = 0; b < count; ++b) {
        double left = kappa(edge, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        largest[0] = std::max(largest[0], std::abs(left));
        for (std::size_t k = 0; k < factors->rank; ++k) {
          left -= factors->values[a * factors->rank + k] * factors->values[b * factors->rank + k];
          largest[k + 1] = std::max(largest[k + 1], std::abs(left));
        }
      }
    }
    for (std::size_t k = 0; k <= factors->rank; ++k) {
      CHECK(largest[k] <= factors->errors[k] + tolerance::evaluated(factors->rank));
    }
  }
  CHECK(!factorize(edge, 1e-10, 12));
}

TEST_CASE("factors keep their bound where rounding is all that is left, with a table and without") {
  // The judge of κ is the formula in extended precision: what a program's values round by is in the bound.
  const auto exact = [](const LoweredKernel& kernel, std::uint32_t a, std::uint32_t b) {
    const long double length = 0.4;
    const long double x = kernel.records[a];
    const long double y = kernel.records[b];
    return std::pow(1 + (x - y) * (x - y) / (4 * length * length), -2.0L);
  };
  for (const std::size_t count : {40, 900}) {
    const LoweredKernel kernel = lowered_edges({labelled_path(random_numbers(count))}, "rational(length,0.4,2)");
    REQUIRE(kernel.tabulated() == (count == 40));
    const Factors factors = *factorize(kernel, 1e-16);
    long double largest = 0;
    for (std::uint32_t a = 0; a < kernel.record_count; ++a) {
      for (std::uint32_t b = 0; b <= a; ++b) {
        long double sum = 0;
        for (std::size_t k = 0; k < factors.rank; ++k) {
          sum += static_cast<long double>(factors.values[a * factors.rank + k]) * factors.values[b * factors.rank + k];
        }
        largest = std::max(largest, std::abs(exact(kernel, a, b) - sum));
      }
    }
    MESSAGE(count, " labels, rank ", factors.rank, ": off by ", static_cast<double>(largest), ", bound ",
            factors.error);
    CHECK(largest <= factors.error);
    CHECK(factors.error <= 1e-12);
  }
}

TEST_CASE("a factored set whose factors' rounding keeps it above the tolerance says so, with a bound that holds") {
  const std::vector<Graph> graphs = small_graphs();
  const KernelSpec spec{
      Expression::parse("1"), Expression::parse("rational(length,0.4,2)"), {StoppingMeaning::probability, 0.0005}};
  GramOptions judge;
  judge.backend = BackendId::reference;
  const GramResult expected = gram(graphs, spec, judge);
  GramOptions options;
  options.backend = BackendId::portable_serial;
  options.lowering = Lowering::factored;
  options.solve.tolerance = 1e-12;
  const GramResult result = gram(graphs, spec, options);
  for (std::size_t k = 0; k < result.pairs.size(); ++k) {
    const PairResult& pair = result.pairs[k];
    CHECK(relative_error(pair.value, expected.pairs[k].value) <= pair.error_bound + expected.pairs[k].error_bound);
    CHECK(pair.status == Status::stagnated);
    CHECK(pair.residual > options.solve.tolerance);
  }
}

TEST_CASE("what factors make is positive semidefinite at every rank") {
  const std::vector<Graph> graphs = labelled_graphs();
  for (const char* expression :
       {"gaussian(length, 0.3)", "wendland(length, 0.7)", "delta(bond, 0.4) * gaussian(length, 0.5)"}) {
    const LoweredKernel edge = lowered_edges({graphs.begin(), graphs.begin() + 12}, expression);
    for (const double error : {0.5, 1e-1, 1e-3, 1e-8}) {
      CAPTURE(expression);
      CAPTURE(error);
      const std::optional<Factors> factors = factorize(edge, error);
      REQUIRE(factors);
      CHECK(least_eigenvalue(*factors, edge.record_count) >= -tolerance::sums);
    }
  }
}

TEST_CASE("a Gaussian of unit length on [0, 1] has six or seven factors for 1e-6") {
  const LoweredKernel edge = lowered_edges({labelled_path(random_numbers(2000))}, "gaussian(length, 1)");
  const std::optional<Factors> factors = factorize(edge, 1e-6);
  REQUIRE(factors);
  CHECK(factors->rank >= 5);
  CHECK(factors->rank <= 7);
}

TEST_CASE("few labels have as many factors as they are, but for rounding without error, and constants one") {
  const std::vector<Graph> graphs = small_graphs();
  const LoweredKernel order = lowered_edges(graphs, "delta(order, 0.3)");
  REQUIRE(order.record_count == 3);
  const std::optional<Factors> factors = factorize(order, 1e-12);
  REQUIRE(factors);
  CHECK(factors->rank == 3);
  CHECK(factors->error <= 8 * tolerance::roundings);
  CHECK_FALSE(factors->sparse());
  CHECK(factorize(lowered_edges(graphs, "0.5"), 1e-12)->rank == 1);
  CHECK(factorize(lowered_edges({bare("no edges", 3, {})}, "gaussian(length, 0.3)"), 1e-12)->rank == 1);
}

TEST_CASE("a delta of a hundred labels keeps two terms a label, but for rounding exactly") {
  std::vector<double> labels(100);
  for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = static_cast<double>(k);
  for (const double h : {0.0, 0.3, 1.0}) {
    CAPTURE(h);
    const LoweredKernel edge = lowered_edges({labelled_path(labels)}, "delta(length, " + std::to_string(h) + ")");
    const std::optional<Factors> factors = factorize(edge, 1e-12);
    REQUIRE(factors);
    CHECK(factors->sparse());
    CHECK(factors->terms == (h > 0 ? 2 : 1));
    CHECK(factors->error <= tolerance::roundings);
    CHECK(largest_error(edge, *factors) <= factors->error + tolerance::evaluated(2));
    CHECK(least_eigenvalue(*factors, 100) >= -tolerance::sums);
  }
}

TEST_CASE("more factors than are allowed are none") {
  const LoweredKernel edge = lowered_edges({labelled_path(random_numbers(500))}, "wendland(length, 0.5, 0)");
  CHECK_FALSE(factorize(edge, 1e-6, 20));
  CHECK_FALSE(factorize(edge, 1e-6, 0));
}

TEST_CASE("the error of K stays below the bound that follows from that of the edge kernel") {
  std::vector<Graph> graphs = small_graphs();
  const std::string expression = "gaussian(length, 0.3)";
  const LoweredKernel edge = lowered_edges(graphs, expression);
  const auto value = [&graphs](const std::string& kernel, const Stopping& stopping) {
    GramOptions options;
    options.backend = BackendId::reference;
    return gram(graphs, {Expression::parse("1"), Expression::parse(kernel), stopping}, options).pairs;
  };
  for (const Stopping& stopping : stoppings()) {
    if (stopping.q() == 0.05) continue;
    const KernelSpec spec{Expression::parse("1"), Expression::parse(expression), stopping};
    const Amplification amplification(graphs, spec);
    // The worst case of an error of κe: all its values are too small by the same factor.
    const double kernel_error = 0.01 / (1 + amplification.factor());
    const std::string smaller = std::to_string(1 - kernel_error) + "*" + expression;
    const std::vector<PairResult> exact = value(expression, stopping);
    const std::vector<PairResult> off = value(smaller, stopping);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      CAPTURE(stopping.to_string());
      CHECK(relative_error(off[k].value, exact[k].value) <= amplification.relative_error(kernel_error * 1.001 + 1e-6));
    }
    for (const double error : {1e-3, 0.1, 0.5, 3.0}) {
      CHECK(amplification.relative_error(amplification.kernel_error(error)) == doctest::Approx(error).scale(0));
    }
  }
}

TEST_CASE("the bound on the error of K is reached by unlabelled graphs") {
  const std::vector<Graph> graphs{bare("cycle", 8, cycle_edges(8))};
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  GramOptions options;
  options.backend = BackendId::reference;
  const auto value = [&](const char* edge) {
    return gram(graphs, {Expression::parse("1"), Expression::parse(edge), stopping}, options).values[0];
  };
  const Amplification amplification(graphs, unlabelled().spec(stopping));
  const double change = 1 - value("0.9999") / value("1");
  CHECK(change <= amplification.relative_error(1e-4));
  CHECK(change >= 0.99 * amplification.relative_error(1e-4));
}

TEST_CASE("a factored set errs by no more than the tolerance, at every q and meaning") {
  const std::vector<Graph> graphs = small_graphs();
  for (const Stopping& stopping : stoppings()) {
    const KernelSpec spec{Expression::parse("1"), Expression::parse("gaussian(length, 0.3)"), stopping};
    GramOptions judge;
    judge.backend = BackendId::reference;
    const GramResult expected = gram(graphs, spec, judge);
    for (const double allowed : {1e-2, 1e-5, 1e-9}) {
      GramOptions options;
      options.backend = BackendId::portable_openmp;
      options.lowering = Lowering::factored;
      options.solve.tolerance = allowed;
      const GramResult result = gram(graphs, spec, options);
      for (std::size_t k = 0; k < result.pairs.size(); ++k) {
        CAPTURE(stopping.to_string());
        CAPTURE(allowed);
        // The worst row may be several times the mean over rows, by which the solve stopped.
        CHECK(result.pairs[k].residual <= 10 * allowed);
        CHECK(relative_error(result.pairs[k].value, expected.pairs[k].value) <= result.pairs[k].residual);
        CHECK(relative_error(result.pairs[k].value, expected.pairs[k].value) <= 10 * allowed);
      }
    }
  }
}
