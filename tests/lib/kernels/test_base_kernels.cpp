// SPDX-License-Identifier: BSD-3-Clause
#include <octile/base_kernels.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <Eigen/Dense>

#include <cmath>
#include <vector>

namespace {

using namespace octile;

struct Bond {
  int order;
  double length;
  BoundedList<int, 4> rings;
};

static_assert(BaseKernel<Constant, Bond>);
static_assert(BaseKernel<KroneckerDelta, int>);
static_assert(BaseKernel<SquareExponential, double>);
static_assert(BaseKernel<Wendland<2, 3>, double>);
static_assert(BaseKernel<Field<&Bond::order, KroneckerDelta>, Bond>);
static_assert(BaseKernel<Field<&Bond::rings, RConvolution<KroneckerDelta>>, Bond>);
static_assert(!BaseKernel<int, Bond>);

template <class Kernel, class Label>
double smallest_eigenvalue(const Kernel& kernel, const std::vector<Label>& labels) {
  const auto count = static_cast<Eigen::Index>(labels.size());
  Eigen::MatrixXd matrix(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      matrix(i, j) =
          kernel.template evaluate<double>(labels[static_cast<std::size_t>(i)], labels[static_cast<std::size_t>(j)]);
    }
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().minCoeff();
}

std::vector<double> numbers() {
  std::vector<double> values;
  values.reserve(40);
  for (int k = 0; k < 40; ++k) values.push_back(std::fmod(0.618034 * k * (k + 1), 3.0));
  return values;
}

TEST_CASE("each kernel has the values of its formula") {
  CHECK(Constant().evaluate<double>(1, 2) == 1.0);
  CHECK(Constant(0.25).evaluate<double>(1, 2) == 0.25);
  CHECK(KroneckerDelta(0.3).evaluate<double>(4, 4) == 1.0);
  CHECK(KroneckerDelta(0.3).evaluate<double>(4, 5) == 0.3);
  CHECK(SquareExponential(0.5).evaluate<double>(1.0, 2.0) == doctest::Approx(std::exp(-2.0)));
  CHECK(SquareExponential(0.5).evaluate<float>(1.0F, 2.0F) == doctest::Approx(std::exp(-2.0)).epsilon(1e-6));
}

TEST_CASE("labels far from zero are subtracted before they are rounded to float") {
  for (const double offset : {0.0, 1e4, 1e8}) {
    CAPTURE(offset);
    CHECK(SquareExponential(0.5).evaluate<float>(offset, offset + 0.25) ==
          doctest::Approx(std::exp(-0.125)).epsilon(1e-6));
    CHECK((Wendland<0, 1>(2.0).evaluate<float>(offset, offset + 1)) == doctest::Approx(0.5).epsilon(1e-6));
  }
}

TEST_CASE("Wendland's functions in three dimensions are the known polynomials") {
  for (const double r : {0.0, 0.1, 0.37, 0.5, 0.93}) {
    const double u = 1 - r;
    CHECK(Wendland<0, 3>(1.0).evaluate<double>(0.0, r) == doctest::Approx(u * u));
    CHECK(Wendland<1, 3>(1.0).evaluate<double>(0.0, r) == doctest::Approx(std::pow(u, 4) * (4 * r + 1)));
    CHECK(Wendland<2, 3>(1.0).evaluate<double>(0.0, r) ==
          doctest::Approx(std::pow(u, 6) * (35 * r * r + 18 * r + 3) / 3));
    CHECK(Wendland<3, 3>(1.0).evaluate<double>(0.0, r) ==
          doctest::Approx(std::pow(u, 8) * (32 * r * r * r + 25 * r * r + 8 * r + 1)));
  }
  CHECK(Wendland<0, 1>(2.0).evaluate<double>(0.0, 1.0) == doctest::Approx(0.5));
  CHECK(Wendland<1, 1>(1.0).evaluate<double>(0.0, 0.5) == doctest::Approx(0.125 * 2.5));
}

TEST_CASE("Wendland's functions vanish from the radius on") {
  CHECK(Wendland<2, 3>(1.5).evaluate<double>(0.0, 1.5) == 0.0);
  CHECK(Wendland<2, 3>(1.5).evaluate<double>(7.0, 0.0) == 0.0);
  CHECK(Wendland<2, 3>(1.5).evaluate<double>(2.0, 2.0) == 1.0);
}

TEST_CASE("products, sums and fields combine kernels of a struct's members") {
  const Bond single{1, 1.5, {2, {6, 5}}};
  const Bond twofold{2, 1.3, {1, {6}}};
  const TensorProduct product(field<&Bond::order>(KroneckerDelta(0.5)), field<&Bond::length>(SquareExponential(0.1)));
  CHECK(product.evaluate<double>(single, single) == 1.0);
  CHECK(product.evaluate<double>(single, twofold) == doctest::Approx(0.5 * std::exp(-2.0)));
  const WeightedSum sum(0.75, field<&Bond::order>(KroneckerDelta(0.5)), Constant());
  CHECK(sum.evaluate<double>(single, twofold) == doctest::Approx(0.75 * 0.5 + 0.25));
}

TEST_CASE("the R-convolution is the mean over all pairs of elements, and zero for an empty list") {
  const Bond a{1, 1.0, {2, {6, 5}}};
  const Bond b{1, 1.0, {3, {6, 6, 7}}};
  const Bond none{1, 1.0, {0, {}}};
  const auto kernel = field<&Bond::rings>(RConvolution(KroneckerDelta(0.4)));
  CHECK(kernel.evaluate<double>(a, b) == doctest::Approx((2 * 1.0 + 4 * 0.4) / 6));
  CHECK(kernel.evaluate<double>(a, b) == doctest::Approx(kernel.evaluate<double>(b, a)));
  CHECK(kernel.evaluate<double>(a, none) == 0.0);
}

TEST_CASE("kernels of numbers are positive semidefinite with values up to 1") {
  CHECK(smallest_eigenvalue(SquareExponential(0.4), numbers()) > -1e-12);
  CHECK(smallest_eigenvalue(Wendland<0, 1>(1.0), numbers()) > -1e-12);
  CHECK(smallest_eigenvalue(Wendland<1, 3>(1.0), numbers()) > -1e-12);
  CHECK(smallest_eigenvalue(Wendland<2, 3>(1.0), numbers()) > -1e-12);
  CHECK(smallest_eigenvalue(Wendland<3, 10>(1.0), numbers()) > -1e-12);
  CHECK(smallest_eigenvalue(KroneckerDelta(0.3), std::vector<int>{1, 2, 2, 3, 4, 4}) > -1e-12);
  CHECK(rc::check("values lie in [0, 1] and are symmetric", [] {
    const double x = *rc::gen::inRange(-1000, 1000) / 250.0;
    const double y = *rc::gen::inRange(-1000, 1000) / 250.0;
    const Wendland<3, 3> wendland(2.0);
    const SquareExponential gaussian(0.7);
    RC_ASSERT(wendland.evaluate<double>(x, y) >= 0 && wendland.evaluate<double>(x, y) <= 1);
    RC_ASSERT(gaussian.evaluate<double>(x, y) >= 0 && gaussian.evaluate<double>(x, y) <= 1);
    RC_ASSERT(wendland.evaluate<double>(x, y) == wendland.evaluate<double>(y, x));
  }));
}

TEST_CASE("parameters that break range or definiteness are refused") {
  CHECK_THROWS_AS(Constant(0.0), Error);
  CHECK_THROWS_AS(Constant(1.5), Error);
  CHECK_THROWS_AS(KroneckerDelta(-0.1), Error);
  CHECK_THROWS_AS(KroneckerDelta(1.1), Error);
  CHECK_THROWS_AS(KroneckerDelta(std::nan("")), Error);
  CHECK_THROWS_AS(SquareExponential(0.0), Error);
  CHECK_THROWS_AS(SquareExponential(-1.0), Error);
  CHECK_THROWS_AS(SquareExponential(1e-101), Error);
  CHECK_THROWS_AS(SquareExponential(1e101), Error);
  CHECK_THROWS_AS((Wendland<1, 3>(1e-150)), Error);
  CHECK_THROWS_AS((Wendland<1, 3>(0.0)), Error);
  CHECK_THROWS_AS((WeightedSum(1.5, Constant(), Constant())), Error);
}

}  // namespace
