// SPDX-License-Identifier: BSD-3-Clause
// Gram matrices in parts: products and derivatives are those of the whole matrix, however many processes hold it.
#include <doctest/doctest.h>

#include <octile/gradient.hpp>
#include <octile/gram.hpp>
#include <octile/gram_operator.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "common/graphs.hpp"
#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;

namespace {

constexpr std::size_t count = 11;
constexpr std::size_t columns = 3;

std::vector<Graph> some_graphs() {
  std::vector<Graph> graphs;
  for (std::size_t g = 0; g < count; ++g) {
    graphs.push_back(random_graph(static_cast<std::int32_t>(3 + 2 * (g % 5)), 0.4, static_cast<std::uint32_t>(g + 1)));
  }
  return graphs;
}

const KernelSpec& kernel() {
  static const KernelSpec spec{Expression::parse("delta(element,0.5)"),
                               Expression::parse("gaussian(length,0.4)"),
                               {StoppingMeaning::probability, 0.1}};
  return spec;
}

GramOptions certified(bool normalize) {
  GramOptions options;
  options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-9};
  options.normalize = normalize;
  return options;
}

std::vector<double> some_vectors(double seed) {
  std::vector<double> v(count * columns);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::sin(seed * static_cast<double>(k + 1));
  return v;
}

/// One process of several, in a test that goes through all of them: what would be a sum of all stays this one's part.
class Part : public Communicator {
 public:
  Part(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

 private:
  std::size_t rank_;
  std::size_t size_;
};

/// A process beside one that fails.
class BesideFailure : public Communicator {
 public:
  std::size_t size() const override { return 3; }
  double largest(double) const override { return 2; }
};

void check_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
  REQUIRE(got.size() == wanted.size());
  double size = 0;
  for (const double value : wanted) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(got[k] - wanted[k]) <= tolerance * size);
  }
}

/// What the whole matrix gives.
std::vector<double> product_of(const GramResult& gram, const std::vector<double>& v) {
  std::vector<double> product(v.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t c = 0; c < columns; ++c)
        product[i * columns + c] += gram.values[i * count + j] * v[j * columns + c];
    }
  }
  return product;
}

std::vector<double> added(std::vector<double> sum, const std::vector<double>& more) {
  if (sum.empty()) return more;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
  return sum;
}

}  // namespace

TEST_CASE("one process: products and derivatives are those of the whole matrix") {
  const std::vector<Graph> graphs = some_graphs();
  const std::vector<double> v = some_vectors(0.7);
  const std::vector<double> w = some_vectors(1.3);
  for (const bool normalize : {false, true}) {
    CAPTURE(normalize);
    const PreparedSet set(graphs, certified(normalize));
    std::vector<double> weights(count * count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t c = 0; c < columns; ++c) weights[i * count + j] += v[i * columns + c] * w[j * columns + c];
      }
    }
    const WeightedGradient whole = weighted_gradient(graphs, kernel(), weights, certified(normalize));
    for (const std::size_t tile : {std::size_t(1), std::size_t(4), count, std::numeric_limits<std::size_t>::max()}) {
      CAPTURE(tile);
      const GramOperator gram(set, kernel(), {.normalize = normalize, .tile_size = tile, .pairs_at_once = 9});
      CHECK(gram.size() == count);
      CHECK(gram.unconverged() == 0);
      CHECK(gram.largest_error() <= 1e-8);
      check_near(gram.apply(v, columns), product_of(whole.gram, v), 1e-8);
      check_near(gram.bilinear_derivative(v, w, columns), whole.derivatives, 1e-7);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(gram.diagonal()[i] == doctest::Approx(whole.gram.values[i * count + i]).epsilon(1e-8).scale(1e-300));
      }
    }
  }
}

TEST_CASE("values kept in float32 are rounded, and take half") {
  const std::vector<Graph> graphs = some_graphs();
  const PreparedSet set(graphs, certified(false));
  const std::vector<double> v = some_vectors(0.7);
  const GramOperator in_double(set, kernel(), {.tile_size = 4});
  const GramOperator in_float(set, kernel(), {.tile_size = 4, .storage = Precision::float32});
  CHECK(in_double.kept() == in_float.kept());
  CHECK(in_float.largest_error() > in_double.largest_error() + 5e-8);
  CHECK(in_float.largest_error() < 1e-7);
  const std::vector<double> exact = in_double.apply(v, columns);
  const std::vector<double> rounded = in_float.apply(v, columns);
  CHECK(exact != rounded);
  check_near(rounded, exact, 1e-6);
}

TEST_CASE("products with any number of vectors are those with each") {
  const std::vector<Graph> graphs = some_graphs();
  const PreparedSet set(graphs, certified(false));
  const GramOperator gram(set, kernel(), {.tile_size = 4});
  for (const std::size_t many : {1, 2, 3, 5, 8, 9, 17}) {
    std::vector<double> v(count * many);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::sin(0.7 * static_cast<double>(k + 1));
    std::vector<double> expected(v.size());
    for (std::size_t c = 0; c < many; ++c) {
      std::vector<double> one(count);
      for (std::size_t i = 0; i < count; ++i) one[i] = v[i * many + c];
      const std::vector<double> product = gram.apply(one, 1);
      for (std::size_t i = 0; i < count; ++i) expected[i * many + c] = product[i];
    }
    check_near(gram.apply(v, many), expected, 1e-12);
  }
}

TEST_CASE("the parts of several processes make up the whole, and are of about the same size") {
  const std::vector<Graph> graphs = some_graphs();
  const PreparedSet set(graphs, certified(true));
  const std::vector<double> v = some_vectors(0.7);
  const std::vector<double> w = some_vectors(1.3);
  const GramOperatorOptions options{.normalize = true, .tile_size = 2};
  const GramOperator whole(set, kernel(), options);
  for (const std::size_t size : {2, 3, 7, 50}) {
    CAPTURE(size);
    std::vector<double> product;
    std::vector<double> derivatives;
    std::vector<double> diagonal;
    std::size_t kept = 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      const Part part(rank, size);
      const GramOperator gram(set, kernel(), options, part);
      product = added(product, gram.apply(v, columns));
      derivatives = added(derivatives, gram.bilinear_derivative(v, w, columns));
      diagonal = added(diagonal, gram.diagonal());
      kept += gram.kept();
      if (size <= 3) CHECK(gram.kept() * size <= whole.kept() * 2);
    }
    CHECK(kept == whole.kept());
    check_near(product, whole.apply(v, columns), 1e-12);
    check_near(derivatives, whole.bilinear_derivative(v, w, columns), 1e-9);
    check_near(diagonal, whole.diagonal(), 1e-12);
  }
}

TEST_CASE("pairs that did not converge are counted") {
  const std::vector<Graph> graphs = some_graphs();
  GramOptions options;
  options.solve.max_iterations = 1;
  options.refine = false;
  const PreparedSet set(graphs, options);
  const GramOperator gram(set, kernel(), {.tile_size = 4});
  CHECK(gram.unconverged() > 0);
  CHECK(gram.unconverged() <= pair_count(count));
  CHECK(gram.largest_error() > 0.01);
  CHECK(contains(message_of([&] { gram.bilinear_derivative(some_vectors(1), some_vectors(2), columns); }),
                 "did not converge"));
}

TEST_CASE("what cannot be done is refused, by all processes") {
  const std::vector<Graph> graphs = some_graphs();
  const PreparedSet set(graphs, certified(false));
  CHECK(contains(message_of([&] { GramOperator(set, kernel(), {.tile_size = 0}); }), "tile of no graphs"));
  const GramOperator gram(set, kernel());
  CHECK(contains(message_of([&] { gram.apply(std::vector<double>(count + 1), 1); }), "allowed are 11 numbers"));
  CHECK(contains(message_of([&] { gram.apply({}, 0); }), "allowed are 11 numbers"));
  CHECK(contains(message_of([&] { gram.bilinear_derivative(some_vectors(1), some_vectors(1), 2); }),
                 "allowed are 11 numbers"));
  const BesideFailure ranks;
  CHECK(contains(message_of([&] { GramOperator(set, kernel(), {}, ranks); }), "process 1 of 3 could not do its part"));
}
