// SPDX-License-Identifier: BSD-3-Clause
// What the table promises of a leaf kernel, for every leaf that is in it.
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/list_leaves.hpp>

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "common/kernels.hpp"
#include "common/tolerances.hpp"

// Each lacks a part.
namespace octile::test {

struct NoDerivative : GaussianLeaf {
  template <class T>
  static T derivative(int, T, T, const LeafArguments&) = delete;
};

struct NoRange : GaussianLeaf {
  static void range(std::span<const double>) {}
};

struct NoEquation : GaussianLeaf {
  static constexpr std::string_view equation{};
};

/// One that has to be given follows one that may be left out.
struct DefaultBefore : GaussianLeaf {
  static constexpr std::array<LeafParameter, 2> parameters{
      {{.name = "k", .title = "k", .standard = 1}, {.name = "length", .title = "the length"}}};
};

}  // namespace octile::test

namespace {

using namespace octile;
using namespace octile::test;

static_assert(LeafKernel<GaussianLeaf>);
static_assert(!LeafKernel<NoDerivative>);
static_assert(!LeafKernel<NoRange>);
static_assert(!LeafKernel<NoEquation>);
static_assert(!LeafKernel<DefaultBefore>);
static_assert(leaf_number<DeltaLeaf> == 0 && leaf_number<GaussianLeaf> == 1);

/// Some values that a parameter may have, away from the limits of what is continuous.
std::vector<double> samples(const LeafParameter& parameter) {
  std::vector<double> values;
  if (parameter.step != 0) {
    for (double value = parameter.low; value <= parameter.high; value += parameter.step) values.push_back(value);
    return values;
  }
  const double width = std::min(parameter.high - parameter.low, 2.0);
  for (const double share : {0.31, 0.57, 0.95}) values.push_back(parameter.low + share * width);
  return values;
}

/// All combinations of them.
std::vector<std::vector<double>> choices(const LeafRow& leaf) {
  std::vector<std::vector<double>> all{{}};
  for (const LeafParameter& parameter : leaf.parameters) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& choice : all) {
      for (const double value : samples(parameter)) {
        longer.push_back(choice);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Labels whose differences are none of those samples: a wendland has a kink at its radius.
std::vector<double> labels() { return {0, 0.11, 0.36, 0.58, 0.95, 1.27, 2.2, -3.1}; }

double value(const LeafRow& leaf, const std::vector<double>& parameters, double x, double y) {
  return LeafKernels::value<double>(leaf.number, x, y, leaf.prepare(parameters));
}

/// (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h.
template <class Function>
double difference_of(const Function& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

/// ∂κ / ∂(parameter k) by `difference_of`, from κ as a function of what is added to parameter k.
double central_difference(const LeafRow& leaf, const std::vector<double>& parameters, std::size_t k, double x,
                          double y) {
  const auto f = [&](double added) {
    std::vector<double> moved = parameters;
    moved[k] += added;
    return value(leaf, moved, x, y);
  };
  return difference_of(f, tolerance::difference_step * parameters[k]);
}

template <class Check>
void for_each_value(const Check& check) {
  for (const LeafRow& leaf : leaf_table()) {
    for (const std::vector<double>& parameters : choices(leaf)) {
      CAPTURE(leaf.name);
      CAPTURE(parameters.front());
      CAPTURE(parameters.back());
      for (const double x : labels()) {
        for (const double y : labels()) check(leaf, parameters, x, y);
      }
    }
  }
}

TEST_CASE("leaves are numbered in the order of the table, found by name, and nothing else is") {
  CHECK(leaf_table().size() == static_cast<std::size_t>(LeafKernels::count));
  for (const LeafRow& leaf : leaf_table()) {
    CHECK(&leaf == &leaf_table()[static_cast<std::size_t>(leaf.number)]);
    CHECK(find_leaf(leaf.name) == &leaf);
  }
  CHECK(find_leaf("laplace") == nullptr);
  CHECK(find_leaf("") == nullptr);
}

TEST_CASE("values of every leaf are symmetric, 1 at equal labels, and within the range that its row says") {
  for_each_value([](const LeafRow& leaf, const std::vector<double>& parameters, double x, double y) {
    const ValueRange range = leaf.range(parameters);
    const double kappa = value(leaf, parameters, x, y);
    CHECK(kappa >= range.lowest);
    CHECK(kappa <= range.highest);
    CHECK((kappa > 0 || !range.positive));
    CHECK(kappa == value(leaf, parameters, y, x));
    if (x == y) CHECK(kappa == 1);
  });
}

TEST_CASE("a leaf that can be 0 says when") {
  for (const LeafRow& leaf : leaf_table()) {
    CAPTURE(leaf.name);
    std::vector<double> least;
    for (const LeafParameter& parameter : leaf.parameters) least.push_back(parameter.low);
    CHECK(leaf.range(least).positive == leaf.zero.empty());
  }
}

TEST_CASE("every leaf is positive semidefinite for all parameters that are allowed") {
  const std::vector<double> numbers = labels();
  const auto n = static_cast<Eigen::Index>(numbers.size());
  for (const LeafRow& leaf : leaf_table()) {
    for (const std::vector<double>& parameters : choices(leaf)) {
      CAPTURE(leaf.name);
      CAPTURE(parameters.front());
      Eigen::MatrixXd matrix(n, n);
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
          matrix(i, j) =
              value(leaf, parameters, numbers[static_cast<std::size_t>(i)], numbers[static_cast<std::size_t>(j)]);
        }
      }
      CHECK(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().minCoeff() >= -tolerance::sums);
    }
  }
}

TEST_CASE("derivatives with respect to parameters agree with central differences, for every leaf") {
  for_each_value([](const LeafRow& leaf, const std::vector<double>& parameters, double x, double y) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (!leaf.parameters[k].differentiable()) continue;
      CAPTURE(leaf.parameters[k].name);
      CAPTURE(x - y);
      const double derivative =
          LeafKernels::derivative<double>(leaf.number, static_cast<int>(k), x, y, leaf.prepare(parameters));
      CHECK(std::abs(derivative - central_difference(leaf, parameters, k, x, y)) <= tolerance::central_difference);
    }
  });
}

TEST_CASE("derivatives with respect to a label agree with central differences, for every leaf that reads numbers") {
  for_each_value([](const LeafRow& leaf, const std::vector<double>& parameters, double x, double y) {
    if (leaf.reads != LeafReads::numbers) return;
    CAPTURE(leaf.name);
    CAPTURE(x - y);
    const double derivative = LeafKernels::by_label<double>(leaf.number, x, y, leaf.prepare(parameters));
    // At a kink, as of matern with nu = 1/2 where x = y, the derivative is 0: the mean of both sides.
    const double difference =
        difference_of([&](double added) { return value(leaf, parameters, x + added, y); }, tolerance::difference_step);
    CHECK(std::abs(derivative - difference) <= tolerance::central_difference);
  });
}

TEST_CASE("float32 values and derivatives of every leaf are those of float64, rounded") {
  for (const LeafRow& leaf : leaf_table()) {
    for (const std::vector<double>& parameters : choices(leaf)) {
      const LeafArguments arguments = leaf.prepare(parameters);
      const auto compare = [&](const auto& function) {
        double difference = 0;
        double largest = 1;
        for (const double x : labels()) {
          for (const double y : labels()) {
            const auto a = static_cast<float>(x);
            const auto b = static_cast<float>(y);
            const double exact = function(static_cast<double>(a), static_cast<double>(b));
            difference = std::max(difference, std::abs(function(a, b) - exact));
            largest = std::max(largest, std::abs(exact));
          }
        }
        CAPTURE(leaf.name);
        CAPTURE(parameters.front());
        CHECK(difference <= tolerance::float_kernel * largest);
      };
      compare([&](auto x, auto y) { return LeafKernels::value<decltype(x)>(leaf.number, x, y, arguments); });
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (!leaf.parameters[k].differentiable()) continue;
        const auto number = static_cast<int>(k);
        compare(
            [&](auto x, auto y) { return LeafKernels::derivative<decltype(x)>(leaf.number, number, x, y, arguments); });
      }
    }
  }
}

TEST_CASE("float32 values of labels far from zero are those of the same labels near it") {
  for (const LeafRow& leaf : leaf_table()) {
    if (leaf.reads != LeafReads::numbers) continue;
    for (const std::vector<double>& parameters : choices(leaf)) {
      const LeafArguments arguments = leaf.prepare(parameters);
      CAPTURE(leaf.name);
      CAPTURE(parameters.front());
      for (const double difference : {0.0, 0.25, 0.75, 2.0}) {
        const double near = LeafKernels::value<double>(leaf.number, 0, difference, arguments);
        const double far = LeafKernels::value<float>(leaf.number, 1e8, 1e8 + difference, arguments);
        CHECK(std::abs(far - near) <= tolerance::float_kernel);
      }
    }
  }
}

TEST_CASE("values and derivatives are finite at the limits of every parameter, in float32 too") {
  for (const LeafRow& leaf : leaf_table()) {
    std::vector<std::vector<double>> all{{}};
    for (const LeafParameter& parameter : leaf.parameters) {
      std::vector<std::vector<double>> longer;
      for (const std::vector<double>& choice : all) {
        for (const double value : {parameter.low, parameter.high}) {
          longer.push_back(choice);
          longer.back().push_back(value);
        }
      }
      all = std::move(longer);
    }
    for (const std::vector<double>& parameters : all) {
      const LeafArguments arguments = leaf.prepare(parameters);
      CAPTURE(leaf.name);
      CAPTURE(parameters.front());
      CAPTURE(parameters.back());
      for (const double y : {0.0, 1e-150, 1e-30, 1.0, 1e30, 1e150, 1e308}) {
        CAPTURE(y);
        const double kappa = LeafKernels::value<double>(leaf.number, 0, y, arguments);
        const auto rounded = static_cast<double>(LeafKernels::value<float>(leaf.number, 0, y, arguments));
        CHECK(kappa >= 0);
        CHECK(kappa <= 1);
        CHECK(std::abs(kappa - rounded) <= tolerance::float_kernel);
        if (y == 0) CHECK(kappa == 1);
        for (std::size_t k = 0; k < parameters.size(); ++k) {
          if (!leaf.parameters[k].differentiable()) continue;
          CHECK(!std::isnan(LeafKernels::derivative<double>(leaf.number, static_cast<int>(k), 0, y, arguments)));
        }
        if (leaf.reads == LeafReads::numbers) {
          CHECK(!std::isnan(LeafKernels::by_label<double>(leaf.number, 0, y, arguments)));
        }
      }
    }
  }
}

TEST_CASE("a power of a leaf that has powers is that leaf with other parameters") {
  for_each_value([](const LeafRow& leaf, const std::vector<double>& parameters, double x, double y) {
    for (const double exponent : {0.3, 1.0, 2.5}) {
      const std::vector<double> raised = leaf.power(parameters, exponent);
      if (raised.empty()) return;
      CHECK(std::abs(value(leaf, raised, x, y) - std::pow(value(leaf, parameters, x, y), exponent)) <= tolerance::sums);
    }
  });
}

TEST_CASE("leaves of lists are numbered in the order of their table, and found by name") {
  CHECK(list_leaf_table().size() == static_cast<std::size_t>(ListLeafKernels::count));
  for (const ListLeafRow& leaf : list_leaf_table()) {
    CHECK(&leaf == &list_leaf_table()[static_cast<std::size_t>(leaf.number)]);
    CHECK(find_list_leaf(leaf.name) == &leaf);
    CHECK(find_leaf(leaf.name) == nullptr);
  }
  CHECK(find_list_leaf("gaussian") == nullptr);
}

TEST_CASE("leaves of lists are symmetric, within their range and positive semidefinite") {
  // Ascending, as sets are; of one length, as vectors are.
  const std::vector<std::vector<double>> lists{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {4, 5, 6}, {0.5, 1, 4}, {2, 4, 8}};
  const auto n = static_cast<Eigen::Index>(lists.size());
  for (const ListLeafRow& leaf : list_leaf_table()) {
    CAPTURE(leaf.name);
    const auto value = [&](std::size_t i, std::size_t j) {
      const auto elements = [](const std::vector<double>& list) {
        return ListElements<double>{list.data(), static_cast<std::int32_t>(list.size())};
      };
      return ListLeafKernels::of_lists<double>(leaf.number, elements(lists[i]), elements(lists[j]));
    };
    Eigen::MatrixXd matrix(n, n);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (std::size_t j = 0; j < lists.size(); ++j) {
        matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value(i, j);
        CHECK(value(i, j) == value(j, i));
        CHECK(value(i, j) >= leaf.range.lowest);
        CHECK(value(i, j) <= leaf.range.highest);
      }
      CHECK((value(i, i) == 1) == leaf.unit);
    }
    CHECK(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().minCoeff() >= -100 * tolerance::sums);
  }
}

TEST_CASE("two empty sets are alike, and an empty set is like no other") {
  const double number = 3;
  const ListElements<double> none{&number, 0};
  const ListElements<double> one{&number, 1};
  CHECK(TanimotoLeaf::value(none, none) == 1);
  CHECK(TanimotoLeaf::value(none, one) == 0);
  CHECK(TanimotoLeaf::value(one, one) == 1);
}

TEST_CASE("what is allowed is said in words") {
  CHECK(find_leaf("delta")->parameters[0].allowed() == "at least 0 and at most 1");
  CHECK(find_leaf("gaussian")->parameters[0].allowed() == "at least 1e-100 and at most 1e+100");
  CHECK(find_leaf("wendland")->parameters[1].allowed() == "a whole number, at least 0 and at most 3");
  CHECK(find_leaf("delta")->usage() == "delta(attribute, h)");
  CHECK(find_leaf("wendland")->usage() == "wendland(attribute, radius [, k [, d]])");
  const LeafParameter halves{.name = "nu", .title = "nu", .low = 0.5, .high = 2.5, .step = 1};
  CHECK(halves.allowed() == "0.5, 1.5, 2.5");
  CHECK(halves.has_step(1.5));
  CHECK_FALSE(halves.has_step(1));
}

TEST_CASE("every backend is held to the reference on every leaf, of vertices and of edges") {
  const std::vector<KernelCase> cases = kernel_cases();
  const auto check = [&cases](std::string_view name) {
    CAPTURE(name);
    const std::string call = std::string(name) + "(";
    for (const auto side : {&KernelCase::vertex, &KernelCase::edge}) {
      CAPTURE(side == &KernelCase::vertex);
      CHECK(std::ranges::any_of(cases,
                                [&](const KernelCase& each) { return (each.*side).find(call) != std::string::npos; }));
    }
  };
  for (const LeafRow& leaf : leaf_table()) check(leaf.name);
  for (const ListLeafRow& leaf : list_leaf_table()) check(leaf.name);
}

}  // namespace

TEST_CASE("a periodic kernel of labels that are many turns apart is that of what is left of a turn") {
  const LeafRow* const leaf = find_leaf("periodic");
  REQUIRE(leaf != nullptr);
  const double period = 0.75;
  const std::vector<double> given{0.6, period};
  const LeafArguments arguments = leaf->prepare(given);
  for (const double turns : {1.0, 1e3, 1025.0, 1e6, 0x1p40, 0x1p45}) {
    for (const double rest : {0.0, 0.125, 0.25, -0.375}) {
      for (const double far : {0.0, 4096 * period, -0x1p44 * period}) {
        // All of these are numbers of double.
        const double x = far + rest;
        const double y = far + turns * period;
        if (x - far != rest || y - far != turns * period) continue;
        CAPTURE(turns);
        CAPTURE(rest);
        CAPTURE(far);
        const double sine = std::sin(std::numbers::pi * rest / period);
        const double expected = std::exp(-2 * sine * sine / (0.6 * 0.6));
        CHECK(std::abs(PeriodicLeaf::value<double>(x, y, arguments) - expected) <= 1e-12);
        CHECK(std::abs(PeriodicLeaf::value<float>(y, x, arguments) - expected) <= 1e-6);
      }
    }
  }
  // The difference of 1e12 and 1e8 + 0.3 rounds by 5e-5, which must not count.
  const double y = 1e8 + 0.3;
  const double sine = std::sin(std::numbers::pi * (std::fmod(1e12, period) - std::fmod(y, period)) / period);
  CHECK(std::abs(PeriodicLeaf::value<double>(1e12, y, arguments) - std::exp(-2 * sine * sine / 0.36)) <= 1e-12);
}
