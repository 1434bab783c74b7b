// SPDX-License-Identifier: BSD-3-Clause
// Residuals by factors of the edge kernel against those of a walk over all pairs of edges.
#include <octile/certify/exact_set.hpp>
#include <octile/pairs/amplification.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

constexpr double allowed = 1e-8;
constexpr double allowed_of_y = 1e-4;

std::vector<Graph> graphs_of_many_edges() {
  std::vector<Graph> graphs;
  for (const std::int32_t n : {1, 2, 7, 8, 9, 17, 33})
    graphs.push_back(random_graph(n, 0.5, static_cast<std::uint64_t>(n)));
  return graphs;
}

KernelSpec kernel_of(const std::string& edge, double q) {
  return {Expression::parse("delta(kind,0.5)"), Expression::parse(edge), Stopping(StoppingMeaning::probability, q)};
}

/// Both evaluations of trials, by factors and by a walk, agree to what factors are allowed, and their bounds differ by no more.
void check_pair(const ExactSet& by_factors, const ExactSet& by_walk, Pair pair, std::size_t size, bool two_sides) {
  CAPTURE(pair.first);
  CAPTURE(pair.second);
  Random random(size);
  std::vector<double> x(size);
  std::vector<double> y(two_sides ? size : 0);
  for (double& value : x) value = 0.01 * random.uniform();
  for (double& value : y) value = 0.01 * random.uniform();
  EvaluationSpace space;
  const Evaluation found = by_factors.evaluate(pair, {x, y}, space);
  const Evaluation expected = by_walk.evaluate(pair, {x, y}, space);
  CHECK(found.worst_x == doctest::Approx(expected.worst_x).epsilon(1e-6));
  CHECK(found.worst_x >= expected.worst_x * (1 - 1e-12));
  if (two_sides) {
    // y has fewer factors. Where nothing is solved the unknown counts as many times as the residual is large.
    CHECK(found.worst_y >= expected.worst_y * (1 - 1e-12));
    CHECK(found.worst_y <= expected.worst_y + 2 * allowed_of_y * (1 + expected.worst_y));
  }
  CHECK(found.value.value == doctest::Approx(expected.value.value).epsilon(1e-7));
}

}  // namespace

TEST_CASE("residuals by factors are those of a walk over pairs of edges") {
  const std::vector<Graph> graphs = graphs_of_many_edges();
  for (const char* const edge : {"1", "0.5", "delta(order,0.4)", "gaussian(length,0.4)",
                                 "0.3+0.7*delta(bond,0.5)*gaussian(length,0.6)", "rational(length,0.5,1)"}) {
    CAPTURE(edge);
    const KernelSpec kernel = kernel_of(edge, 0.1);
    const ExactSet by_walk(graphs, kernel, false);
    const ExactSet by_factors(graphs, kernel, false, {allowed, allowed_of_y});
    REQUIRE_FALSE(by_walk.by_factors());
    REQUIRE(by_factors.by_factors());
    for (const Pair& pair : pairs_from_both_ends(graphs)) {
      const std::size_t size = static_cast<std::size_t>(graphs[static_cast<std::size_t>(pair.first)].vertex_count()) *
                               static_cast<std::size_t>(graphs[static_cast<std::size_t>(pair.second)].vertex_count());
      check_pair(by_factors, by_walk, pair, size, false);
      check_pair(by_factors, by_walk, pair, size, true);
    }
  }
}

TEST_CASE("what factors leave unknown is in the bounds") {
  const std::vector<Graph> graphs = graphs_of_many_edges();
  const KernelSpec kernel = kernel_of("gaussian(length,0.4)", 0.1);
  const ExactSet by_walk(graphs, kernel, false);
  for (const double part : {1e-10, 1e-8, 1e-6, 1e-4}) {
    CAPTURE(part);
    const ExactSet set(graphs, kernel, false, {part, part});
    REQUIRE(set.by_factors());
    const Pair pair{6, 6};
    // x = 0: all of b is residual, and any unknown comes on top.
    std::vector<double> x(33 * 33, 0.0);
    EvaluationSpace space;
    const double more = set.evaluate(pair, {x}, space).worst_x - by_walk.evaluate(pair, {x}, space).worst_x;
    CHECK(more > 0);
    CHECK(more <= 3 * part);
  }
}

TEST_CASE("there are no factors where they are not asked for, not exact enough, or too many") {
  const std::vector<Graph> graphs = graphs_of_many_edges();
  const auto given = [&](const char* edge, double q, double part) {
    return ExactSet(graphs, kernel_of(edge, q), false, {part, part}).by_factors();
  };
  CHECK(given("gaussian(length,0.4)", 0.1, 1e-8));
  CHECK_FALSE(given("gaussian(length,0.4)", 0.1, 0));
  CHECK_FALSE(given("gaussian(length,0.4)", 0.1, 1e-16));
  CHECK_FALSE(given("gaussian(length,0.001)", 0.1, 1e-8));
  // Nothing is relative to p× where p is 0 on a vertex.
  std::vector<Graph> started = graphs;
  std::vector<double> starting(33, 1.0);
  starting[4] = 0;
  started[6].set_starting_weights(starting);
  CHECK_FALSE(ExactSet(started, kernel_of("gaussian(length,0.4)", 0.1), false, {1e-8, 1e-8}).by_factors());
  // Long walks amplify what rounding leaves.
  CHECK(given("delta(order,0.4)", 1e-3, 1e-8));
  CHECK_FALSE(given("delta(order,0.4)", 1e-7, 1e-8));
}
