// SPDX-License-Identifier: BSD-3-Clause
// Requests other than for K: the adjoint system S y = p×, and the solutions of many pairs at once.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/stopping.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Small graphs; walks start unevenly on one of them, and on another on some vertices only.
std::vector<Graph> graphs_with_starts() {
  std::vector<Graph> graphs = small_graphs();
  for (Graph& graph : graphs) {
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    std::vector<double> starting(n, 0.0);
    if (n == 7) {
      for (std::size_t v = 0; v < n; ++v) starting[v] = static_cast<double>(v + 1) / 28;
      graph.set_starting_probability(starting);
    } else if (n == 8) {
      starting[3] = 0.25;
      starting[5] = 0.75;
      graph.set_starting_probability(starting);
    }
  }
  return graphs;
}

struct Solved {
  std::vector<PairResult> results;
  std::vector<std::vector<double>> solutions;
};

/// Solves all pairs at once. Solutions are stored in reverse order, with a value between them that must not be overwritten.
Solved solve(PairSolver& solver, const std::vector<Pair>& pairs, RightHandSide right_hand_side) {
  constexpr double untouched = -1;
  Solved solved;
  std::vector<std::size_t> begin(pairs.size());
  std::size_t length = 0;
  for (std::size_t k = pairs.size(); k-- > 0;) {
    begin[k] = length;
    length += solver.unknowns(pairs[k]) + 1;
  }
  std::vector<double> nodewise(length, untouched);
  solved.results.resize(pairs.size());
  solver.solve(Request{pairs, right_hand_side, begin}, Answer{solved.results, nodewise});
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto first = nodewise.begin() + static_cast<std::ptrdiff_t>(begin[k]);
    const auto end = first + static_cast<std::ptrdiff_t>(solver.unknowns(pairs[k]));
    solved.solutions.emplace_back(first, end);
    CHECK(*end == untouched);
  }
  return solved;
}

/// D× y.
std::vector<double> with_degrees(const std::vector<double>& degrees, const std::vector<double>& degrees_second,
                                 std::vector<double> y) {
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    for (std::size_t j = 0; j < degrees_second.size(); ++j) {
      y[i * degrees_second.size() + j] *= degrees[i] * degrees_second[j];
    }
  }
  return y;
}

/// Whether walks may start on every vertex. Otherwise the residual is no bound.
bool starts_everywhere(const Graph& graph) { return std::ranges::min(graph.starting_probability()) > 0; }

/// Checks that D× y agrees with the reference, and that K is the same by both systems, within the reported residual if that is a bound.
void check_adjoint(const Setting& setting, const std::vector<Graph>& graphs, const KernelSpec& kernel,
                   const Solved& expected) {
  CAPTURE(setting.name());
  const std::vector<Pair> pairs = pairs_from_both_ends(graphs);
  const auto solver = make_pair_solver(setting.backend, graphs, kernel, setting.precision, setting.solve_options(),
                                       setting.primitive, default_memory, setting.lowering);
  const Solved adjoint = solve(*solver, pairs, RightHandSide::starting);
  std::vector<PairResult> direct(pairs.size());
  solver->solve(pairs, direct);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const Graph& first = graphs[static_cast<std::size_t>(pairs[k].first)];
    const Graph& second = graphs[static_cast<std::size_t>(pairs[k].second)];
    const PairResult& result = adjoint.results[k];
    const double judged = expected.results[k].value;
    const double rounding =
        tolerance::rounding_residual(setting.precision, judged, kernel.stopping, most_terms(first, second));
    const double allowed = starts_everywhere(first) && starts_everywhere(second)
                               ? result.residual + rounding + tolerance::exact
                               : tolerance::worst_row * tolerance::value(setting.precision, judged, kernel.stopping);
    const auto scaled = [&](const std::vector<double>& y) {
      return with_degrees(kernel.stopping.degrees(first.weighted_degrees()),
                          kernel.stopping.degrees(second.weighted_degrees()), y);
    };
    const std::vector<double> solution = scaled(adjoint.solutions[k]);
    const double q = kernel.stopping.q();
    // K = bᵀ y, b = q² D× 1.
    const double summed = q * q * std::accumulate(solution.begin(), solution.end(), 0.0);
    CAPTURE(first.name());
    CAPTURE(second.name());
    if (setting.precision == Precision::float32 && result.status != Status::converged) continue;
    CHECK((result.status == Status::converged || result.status == Status::stagnated));
    CHECK(relative_error(result.value, judged) <= allowed);
    CHECK(relative_error(result.value, direct[k].value) <= allowed + direct[k].residual + rounding);
    CHECK(relative_error(summed, judged) <= allowed);
    CHECK(relative_error(solution, scaled(expected.solutions[k])) <= allowed);
    CHECK(result.residual <= tolerance::large_residual(Precision::float32));
  }
}

Solved judged(const std::vector<Graph>& graphs, const KernelSpec& kernel) {
  const auto reference = make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {});
  Solved solved = solve(*reference, pairs_from_both_ends(graphs), RightHandSide::starting);
  std::vector<PairResult> direct(solved.results.size());
  reference->solve(pairs_from_both_ends(graphs), direct);
  for (std::size_t k = 0; k < direct.size(); ++k) {
    CHECK(relative_error(solved.results[k].value, direct[k].value) <= tolerance::exact);
  }
  return solved;
}

}  // namespace

TEST_CASE("the adjoint system gives the same K under every kernel, and its solution is the reference's") {
  const std::vector<Graph> graphs = graphs_with_starts();
  const std::vector<KernelCase> kernels = kernel_cases();
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    CAPTURE(kernels[c].name);
    const KernelSpec kernel = kernels[c].spec(stoppings()[c % stoppings().size()]);
    const Solved expected = judged(graphs, kernel);
    for (const Setting& setting : judged_settings()) {
      check_adjoint(setting, graphs, kernel, expected);
    }
  }
}

TEST_CASE("every lowering solves the adjoint system") {
  const std::vector<Graph> graphs = graphs_with_starts();
  for (const Stopping& stopping : stoppings()) {
    const KernelSpec constant{Expression::parse("0.75"), Expression::parse("0.5"), stopping};
    const KernelSpec labelled{Expression::parse("delta(element, 0.5)"), Expression::parse("delta(order, 0.3)"),
                              stopping};
    const Solved expected_constant = judged(graphs, constant);
    const Solved expected_labelled = judged(graphs, labelled);
    for (const Setting& setting : lowering_settings()) {
      const bool closed = setting.lowering == Lowering::closed_form;
      check_adjoint(setting, graphs, closed ? constant : labelled, closed ? expected_constant : expected_labelled);
    }
  }
}

TEST_CASE("the solutions of many pairs are those of each alone, within little memory too") {
  const std::vector<Graph> graphs = graphs_with_starts();
  const std::vector<Pair> pairs = pairs_from_both_ends(graphs);
  const KernelSpec kernel{Expression::parse("delta(element, 0.5)"),
                          Expression::parse("delta(order, 0.3)"),
                          {StoppingMeaning::probability, 0.05}};
  for (const Setting& setting : all_settings()) {
    for (const std::size_t memory : {default_memory, std::size_t(1) << 20}) {
      CAPTURE(setting.name());
      CAPTURE(memory);
      const auto solver =
          make_pair_solver(setting.backend, graphs, kernel, setting.precision, setting.solve_options(), {}, memory);
      const Solved together = solve(*solver, pairs, RightHandSide::stopping);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        std::vector<double> alone;
        const PairResult result = solver->solve_nodewise(pairs[k], alone);
        CHECK(together.results[k].value == result.value);
        CHECK(together.solutions[k] == alone);
      }
    }
  }
}

TEST_CASE("an answer without room for what is asked is refused, and nothing is written") {
  const std::vector<Graph> graphs{bare("path", 3, path_edges(3)), bare("edge", 2, path_edges(2))};
  const auto solver = make_pair_solver(BackendId::reference, graphs, unlabelled().spec({StoppingMeaning::weight, 0.1}),
                                       Precision::float64, {});
  const std::vector<Pair> pairs{{0, 1}, {1, 1}};
  const std::vector<std::size_t> begin{0, 6};
  std::vector<PairResult> results(2);
  std::vector<double> nodewise(9);
  const auto refusal = [&](const Request& request, const Answer& answer) {
    return message_of([&] { solver->solve(request, answer); });
  };
  CHECK(contains(refusal(Request{pairs}, Answer{std::span(results).first(1)}), "2 pairs and room for 1 results"));
  CHECK(contains(refusal(Request{pairs, RightHandSide::stopping, std::span(begin).first(1)}, Answer{results, nodewise}),
                 "places for 1 solutions"));
  CHECK(contains(refusal(Request{pairs, RightHandSide::stopping, begin}, Answer{results, nodewise}),
                 "the solution of pair 1 is 4 values from 6 on, and there is room for 9"));
  CHECK(results[0].value == 0);
}
