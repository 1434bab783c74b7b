// SPDX-License-Identifier: BSD-3-Clause
// Solves in float that are refined in double, whose float products leave out as much as they may.
#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/portable/iterate/host_steps.hpp>
#include <octile/portable/iterate/refining_steps.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "common/graphs.hpp"

namespace {

using namespace octile;
using namespace octile::portable;

/// A system (M − N) x = b of a walk that stops with probability q, and its solution by refinement.
struct System {
  std::size_t size;
  std::vector<double> n = std::vector<double>(size * size);
  std::vector<double> memory = std::vector<double>(6 * size);
  std::vector<double> product = std::vector<double>(size);
  std::vector<double> allowed;  ///< what each float product was allowed to leave out
  int exact_products = 0;
  std::vector<double> coarse_errors{3e-7};  ///< of the float products that a check may take, the cheapest first
  std::vector<double> checks;               ///< those of the ones that were taken

  System(std::size_t size_, double q) : size(size_) {
    test::Random random(size_);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        n[i * size + j] = n[j * size + i] = random.below(3) == 0 ? random.uniform() : 0;
    }
    const HostVectors<double> v = vectors();
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 1;
      for (std::size_t j = 0; j < size; ++j) sum += n[i * size + j];
      v.exact[i] = sum / (1 - q);
      v.right[i] = v.exact[i] * q;
    }
  }

  HostVectors<double> vectors() { return host_vectors(memory.data(), size); }

  template <class Scalar>
  void multiply(const Scalar* from, Scalar* to, double part) const {
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += n[i * size + j] * double(from[j]);
      to[i] = static_cast<Scalar>(part * sum);
    }
  }

  PairResult solve(const SolveOptions& options) {
    struct Coarse {
      System& system;

      void operator()(const float* from, float* to, double left_out) const {
        system.allowed.push_back(left_out);
        system.multiply(from, to, 1 - left_out);
      }
      double error(double most) const {
        for (const double of_product : system.coarse_errors) {
          if (of_product <= most) return of_product;
        }
        return std::numeric_limits<double>::infinity();
      }
      void within(const float* from, float* to, double error) const {
        system.allowed.push_back(0);
        system.checks.push_back(error);
        system.multiply(from, to, 1 - error);
      }
    };
    const Coarse coarse{*this};
    const auto exact = [this](const double* from, double* to) {
      ++exact_products;
      multiply(from, to, 1.0);
    };
    RefiningSteps<Coarse, decltype(exact)> steps(coarse, exact, vectors(), product.data());
    return iterate<float>(steps, options);
  }

  /// The largest residual of a row, relative to its right-hand side.
  double residual() {
    const HostVectors<double> v = vectors();
    std::vector<double> nx(size);
    multiply(v.x, nx.data(), 1.0);
    double most = 0;
    for (std::size_t i = 0; i < size; ++i) {
      most = std::max(most, std::abs(v.right[i] - (v.exact[i] * v.x[i] - nx[i])) / v.right[i]);
    }
    return most;
  }
};

}  // namespace

TEST_CASE("refined solves converge where float products leave out what they may, and tell the residual that is left") {
  for (const std::size_t size : {1U, 5U, 16U, 33U, 100U}) {
    for (const double q : {0.5, 0.05, 0.001}) {
      for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
        CAPTURE(size);
        CAPTURE(q);
        CAPTURE(tolerance);
        System system(size, q);
        const PairResult result = system.solve({tolerance, 1000});
        CHECK(result.status == Status::converged);
        const double residual = system.residual();
        CHECK(residual <= result.residual + 1e-15 / q);
        // ‖M⁻¹r‖ is held against the tolerance: here all of M⁻¹b are q.
        CHECK(residual <= tolerance * std::sqrt(double(size)) * 1.001);
        // What the last product may lack counts in it.
        CHECK(result.residual <= residual + 0.25 * tolerance * std::sqrt(double(size)) / q + 1e-15 / q);
      }
    }
  }
}

TEST_CASE("a residual in double is formed once, unless float products lack too much") {
  System system(100, 0.05);
  REQUIRE(system.solve({1e-8, 1000}).status == Status::converged);
  CHECK(system.exact_products == 1);
  CHECK(std::count(system.allowed.begin(), system.allowed.end(), 0.0) >= 1);

  System coarser(100, 0.05);
  coarser.coarse_errors = {1e-4};
  const PairResult result = coarser.solve({1e-8, 1000});
  CHECK(result.status == Status::converged);
  CHECK(coarser.exact_products >= 2);
  CHECK(coarser.residual() <= 1e-8 * 10 * 1.001);
}

TEST_CASE("a check takes the cheapest float product that lacks little enough") {
  for (const double cheap : {1e-5, 0.3}) {
    CAPTURE(cheap);
    System system(100, 0.05);
    system.coarse_errors = {cheap, 3e-7};
    const PairResult result = system.solve({1e-8, 1000});
    CHECK(result.status == Status::converged);
    CHECK(system.exact_products == 1);
    REQUIRE(!system.checks.empty());
    CHECK(system.checks.back() == (cheap == 1e-5 ? cheap : 3e-7));
    CHECK(system.residual() <= result.residual + 1e-15 / 0.05);
  }
}

TEST_CASE("no check is made by a float product where floats cannot hold the system") {
  System system(33, 0.05);
  const HostVectors<double> v = system.vectors();
  constexpr double scale = 1e-31;
  for (double& weight : system.n) weight *= scale;
  for (std::size_t i = 0; i < system.size; ++i) {
    v.exact[i] *= scale;
    v.right[i] *= scale;
  }
  const PairResult result = system.solve({1e-8, 1000});
  CHECK(system.exact_products >= 1);
  CHECK(std::count(system.allowed.begin(), system.allowed.end(), 0.0) == 0);
  if (result.status == Status::converged) CHECK(system.residual() <= 1e-8 * std::sqrt(33.0) * 1.001);
}

TEST_CASE("float products leave out more and more between two residuals in double, and an eighth at most") {
  System system(100, 0.05);
  REQUIRE(system.solve({1e-8, 1000}).status == Status::converged);
  REQUIRE(system.allowed.size() > 4);
  CHECK(system.allowed.front() == doctest::Approx(6e-5).epsilon(1e-3));
  // The last one is of what was added since the residual in double.
  CHECK(system.allowed.back() == 0);
  CHECK(system.allowed[system.allowed.size() - 2] > 1e-3);
  CHECK(*std::max_element(system.allowed.begin(), system.allowed.end()) <= 0.125);
}
