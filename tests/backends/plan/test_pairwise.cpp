// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/pairwise.hpp>

#include <algorithm>

#include "common/graphs.hpp"
#include "common/sanitized.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// With this length there are about a hundred factors. They pay for dense graphs, elements for paths.
constexpr const char* edge_kernel = "gaussian(length, 0.02)";

constexpr std::int32_t paths = 10;

bool is_path(std::int32_t graph) { return graph < paths; }

std::vector<Graph> mixed_set() {
  std::vector<Graph> graphs;
  for (std::int32_t k = 0; k < paths + 4; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    graphs.push_back(is_path(k) ? labelled("path", 30, weighted(path_edges(30), seed), seed)
                                : labelled("dense", 24, weighted(complete_edges(24), seed), seed));
  }
  return graphs;
}

KernelSpec spec() {
  return {Expression::parse("delta(kind, 0.5)"), Expression::parse(edge_kernel), {StoppingMeaning::probability, 0.05}};
}

std::unique_ptr<PairSolver> make(const std::vector<Graph>& graphs, const std::string& lowering,
                                 Precision precision = Precision::float64, std::size_t memory = default_memory) {
  const Setting setting{BackendId::portable_openmp, precision};
  return make_pair_solver(setting.backend, graphs, spec(), precision, setting.solve_options(), {}, memory,
                          parse_lowering(lowering));
}

bool is_by_pair(const PairSolver& solver) { return solver.description().find("lowering by pair") != std::string::npos; }

/// All pairs of a set, shuffled, each in one of its two orders.
std::vector<Pair> shuffled_pairs(std::size_t size) {
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i) {
    for (std::int32_t j = 0; j <= i; ++j) pairs.push_back((i + j) % 2 == 0 ? Pair{i, j} : Pair{j, i});
  }
  std::vector<Pair> shuffled;
  for (const std::int32_t k : random_order(static_cast<std::int32_t>(pairs.size()), 5)) {
    shuffled.push_back(pairs[static_cast<std::size_t>(k)]);
  }
  return shuffled;
}

std::vector<PairResult> solve(PairSolver& solver, std::span<const Pair> pairs) {
  std::vector<PairResult> results(pairs.size());
  solver.solve(pairs, results);
  return results;
}

}  // namespace

TEST_CASE("the totals of a set are those of its pairs one by one") {
  const std::vector<Graph> graphs = mixed_set();
  const LoweredKernel edge = lower(graphs, Expression::parse(edge_kernel), LabelSite::edge);
  const plan::LoweringCosts costs(CostModel(graphs), lowering_prices(Precision::float64));
  const plan::PairwiseLowering pairwise(CostModel(graphs), costs, edge);
  const CostModel model(graphs);
  constexpr std::size_t rank = 80;
  plan::PairwiseTotals expected;
  double pairs = 0;
  for (const Pair& pair : shuffled_pairs(graphs.size())) {
    const double by_element = costs.by_element(costs.element_price(edge), model.sums(pair));
    const double factored = costs.factored(rank, false, model.sums(pair));
    expected.by_element += by_element;
    expected.factored += factored;
    expected.by_pair += std::min(by_element, factored);
    CHECK(pairwise.takes_factors(pair, rank, false) == (factored < by_element));
    CHECK(pairwise.takes_factors({pair.second, pair.first}, rank, false) == (factored < by_element));
    if (factored < by_element) ++expected.share;
    ++pairs;
  }

  const plan::PairwiseTotals totals = pairwise.totals(rank, false);

  CHECK(relative_error(totals.by_element, expected.by_element) <= tolerance::sums);
  CHECK(relative_error(totals.factored, expected.factored) <= tolerance::sums);
  CHECK(relative_error(totals.by_pair, expected.by_pair) <= tolerance::sums);
  CHECK(totals.share == expected.share / pairs);
  // The costs of the mean pair come from the same formula.
  CHECK(relative_error(costs.by_element(edge) * pairs, totals.by_element) <= tolerance::sums);
  CHECK(relative_error(costs.factored(rank, false) * pairs, totals.factored) <= tolerance::sums);
}

TEST_CASE("factors are looked for up to the rank at which they still pay for some pairs") {
  const std::vector<Graph> graphs = mixed_set();
  const LoweredKernel edge = lower(graphs, Expression::parse(edge_kernel), LabelSite::edge);
  const plan::PairwiseLowering pairwise(
      CostModel(graphs), plan::LoweringCosts(CostModel(graphs), lowering_prices(Precision::float64)), edge);
  const std::size_t largest = pairwise.largest_rank();
  const auto pays = [&pairwise](std::size_t rank) {
    const plan::PairwiseTotals totals = pairwise.totals(rank, false);
    return totals.by_pair < 0.95 * totals.by_element;
  };
  CHECK(pays(largest));
  CHECK((largest == factor_limit || !pays(largest + 1)));
}

TEST_CASE("a set of paths and dense graphs is lowered by pair, and agrees with the reference") {
  const std::vector<Graph> graphs = mixed_set();
  std::vector<Pair> pairs = shuffled_pairs(graphs.size());
  if (sanitized) pairs.resize(pairs.size() / 3);
  const auto judge = make_pair_solver(BackendId::reference, graphs, spec(), Precision::float64, {});
  const std::vector<PairResult> judged = solve(*judge, pairs);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    const auto solver = make(graphs, "auto", precision);
    CAPTURE(solver->description());
    CHECK(is_by_pair(*solver));
    CHECK(solver->description().find("factored, rank ") != std::string::npos);
    CHECK(solver->description().find(" % of pairs, else on-the-fly, predicted ") != std::string::npos);
    const std::vector<PairResult> results = solve(*solver, pairs);
    const std::vector<PairResult> plain = solve(*make(graphs, "on-the-fly", precision), pairs);
    std::vector<double> expected;
    std::vector<double> x;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      CAPTURE(pairs[k].first);
      CAPTURE(pairs[k].second);
      const std::size_t terms = most_terms(graphs[static_cast<std::size_t>(pairs[k].first)],
                                           graphs[static_cast<std::size_t>(pairs[k].second)]);
      CHECK(settled(results[k], precision, spec().stopping, terms));
      CHECK(relative_error(results[k].value, judged[k].value) <= tolerance::value(precision));
      CHECK(relative_error(results[k].value, plain[k].value) <= 2 * tolerance::value(precision));
      // Pairs that are solved by element have no error of factors, neither in the tolerance nor in the residual.
      if (is_path(pairs[k].first) && is_path(pairs[k].second)) {
        CHECK(results[k].value == plain[k].value);
        CHECK(results[k].residual == plain[k].residual);
      }
    }
    for (const std::size_t k : {std::size_t(0), pairs.size() / 2, pairs.size() - 1}) {
      judge->solve_nodewise(pairs[k], expected);
      CHECK(solver->solve_nodewise(pairs[k], x).value == results[k].value);
      CHECK(relative_error(x, expected) <= tolerance::value(precision));
    }
  }
}

TEST_CASE("a pair chosen for is solved the same way alone, in parts of a list, and again") {
  const std::vector<Graph> graphs = mixed_set();
  const std::vector<Pair> pairs = shuffled_pairs(graphs.size());
  const auto solver = make(graphs, "auto");
  const std::vector<PairResult> together = solve(*solver, pairs);
  const auto again = make(graphs, "auto");
  for (std::size_t begin = 0; begin < pairs.size(); begin += 7) {
    const std::size_t count = std::min<std::size_t>(7, pairs.size() - begin);
    const std::vector<PairResult> part = solve(*again, std::span(pairs).subspan(begin, count));
    for (std::size_t k = 0; k < count; ++k) {
      CHECK(part[k].value == together[begin + k].value);
      CHECK(part[k].iterations == together[begin + k].iterations);
      CHECK(part[k].residual == together[begin + k].residual);
    }
  }
}

TEST_CASE("sets of one kind of graph, and lowerings that are asked for, are not chosen by pair") {
  const std::vector<Graph> graphs = mixed_set();
  CHECK_FALSE(is_by_pair(*make({graphs.begin(), graphs.begin() + paths}, "auto")));
  CHECK_FALSE(is_by_pair(*make({graphs.begin() + paths, graphs.end()}, "auto")));
  CHECK_FALSE(is_by_pair(*make(graphs, "factored")));
  CHECK_FALSE(is_by_pair(*make(graphs, "on-the-fly")));
}

TEST_CASE("where both forms of a set do not fit the memory, one is taken") {
  const std::vector<Graph> graphs = mixed_set();
  const auto solver = make(graphs, "auto", Precision::float64, std::size_t(8) << 20);
  CHECK_FALSE(is_by_pair(*solver));
  CHECK(solve(*solver, std::vector<Pair>{{0, paths}})[0].status == Status::converged);
}
