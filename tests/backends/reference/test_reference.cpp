// SPDX-License-Identifier: BSD-3-Clause
// The reference backend, compared with the random walk summed in plain loops.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <octile/reference/solver.hpp>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/series.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

SolveOptions demanding() {
  SolveOptions options;
  options.tolerance = tolerance::exact_residual;
  return options;
}

}  // namespace

TEST_CASE("the reference agrees with the summed random walk for every kernel, q and meaning") {
  // At most 6 vertices a graph: at q = 0.0005 the walk is summed over some 30,000 steps.
  std::vector<Graph> graphs;
  graphs.push_back(labelled("one vertex", 1, {}, 1));
  graphs.push_back(labelled("cycle", 5, cycle_edges(5), 2));
  graphs.push_back(labelled("star and vertex", 6, weighted(star_edges(5), 3), 4));
  graphs.push_back(random_graph(6, 0.5, 5));
  const std::vector<Pair> pairs{{0, 0}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 3}};
  std::vector<double> x;

  for (const KernelCase& kernel : kernel_cases()) {
    for (const Stopping& stopping : stoppings()) {
      reference::Solver solver(graphs, kernel.spec(stopping), demanding());
      for (const Pair pair : pairs) {
        const Graph& first = graphs[static_cast<std::size_t>(pair.first)];
        const Graph& second = graphs[static_cast<std::size_t>(pair.second)];
        CAPTURE(kernel.name);
        CAPTURE(stopping.to_string());
        CAPTURE(first.name());
        CAPTURE(second.name());

        const PairResult result = solver.solve_nodewise(pair, x);
        const SeriesResult series = random_walk_series(first, second, kernel, stopping);

        CHECK(relative_error(result.value, series.value) <= tolerance::exact);
        CHECK(relative_error(x, series.nodewise) <= tolerance::exact);
        CHECK(result.status == Status::converged);
        CHECK(result.iterations == 0);
        CHECK(relative_residual(first, second, kernel, stopping, x) <= tolerance::exact_residual);
      }
    }
  }
}

TEST_CASE("the reference agrees with the summed random walk on many random pairs") {
  const std::vector<KernelCase> kernels = kernel_cases();
  Random random(20240229);
  std::vector<double> x;
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint64_t seed = random.next();
    const KernelCase& kernel = kernels[static_cast<std::size_t>(trial) % kernels.size()];
    const Stopping stopping(trial % 2 == 0 ? StoppingMeaning::weight : StoppingMeaning::probability,
                            0.02 + 0.9 * random.uniform());
    const std::vector<Graph> graphs{random_graph(1 + random.below(9), random.uniform(), seed),
                                    random_graph(1 + random.below(9), random.uniform(), seed + 100)};
    CAPTURE(seed);
    CAPTURE(kernel.name);
    CAPTURE(stopping.to_string());

    const PairResult result = reference::Solver(graphs, kernel.spec(stopping), demanding()).solve_nodewise({0, 1}, x);
    const SeriesResult series = random_walk_series(graphs[0], graphs[1], kernel, stopping);

    CHECK(relative_error(result.value, series.value) <= tolerance::exact);
    CHECK(relative_error(x, series.nodewise) <= tolerance::exact);
  }
}

TEST_CASE("the reference counts the starting probability in") {
  std::vector<Graph> graphs{random_graph(5, 0.6, 1), random_graph(4, 0.6, 2)};
  graphs[0].set_starting_probability({0.1, 0.2, 0.3, 0.4, 0});
  graphs[1].set_starting_probability({0, 0, 0.5, 0.5});
  const Stopping stopping(StoppingMeaning::weight, 0.1);
  std::vector<PairResult> results(1);

  reference::Solver(graphs, unlabelled().spec(stopping), {}).solve(std::vector<Pair>{{0, 1}}, results);

  const double series = random_walk_series(graphs[0], graphs[1], unlabelled(), stopping).value;
  CHECK(relative_error(results[0].value, series) <= tolerance::exact);
}

TEST_CASE("the reference says stagnated where rounding cannot reach the tolerance") {
  const std::vector<Graph> graphs{random_graph(9, 0.5, 3)};
  const Stopping stopping(StoppingMeaning::weight, 0.05);
  SolveOptions impossible;
  impossible.tolerance = 1e-30;
  std::vector<PairResult> results(1);

  reference::Solver(graphs, unlabelled().spec(stopping), impossible).solve(std::vector<Pair>{{0, 0}}, results);

  CHECK(results[0].status == Status::stagnated);
  CHECK(results[0].residual > impossible.tolerance);
  CHECK(results[0].value > 0);
}

TEST_CASE("the reference bounds the error of its values to a few roundings, even of long walks") {
  // Every vertex of a regular graph goes on with 1 − q, whatever its neighbours: K = q² / (1 − (1 − q)²).
  const std::vector<Graph> graphs{bare("cycle", 8, cycle_edges(8)), bare("complete", 9, complete_edges(9))};
  for (const double q : {0.5, 0.05, 0.0005, 1e-4}) {
    CAPTURE(q);
    reference::Solver solver(graphs, unlabelled().spec({StoppingMeaning::probability, q}), demanding());
    const std::vector<Pair> pairs{{0, 0}, {0, 1}, {1, 1}};
    std::vector<PairResult> results(pairs.size());
    solver.solve(pairs, results);
    const long double expected = static_cast<long double>(q) / (2 - static_cast<long double>(q));
    for (const PairResult& result : results) {
      CHECK(std::abs(result.value - expected) <= result.error_bound * expected);
      CHECK(result.error_bound <= tolerance::roundings + tolerance::extended(1 / q));
    }
  }
}

TEST_CASE("the reference bounds values from either side, with starting weights of 0, and walks of a step at least") {
  std::vector<Graph> graphs{random_graph(5, 0.6, 1), random_graph(4, 0.6, 2), bare("no edges", 3, {})};
  graphs[0].set_starting_weights({1, 0, 0, 2, 0});
  for (const int shortest_walk : {0, 1}) {
    CAPTURE(shortest_walk);
    KernelSpec spec{Expression::parse("1"), Expression::parse("0.5"), {StoppingMeaning::probability, 0.05}};
    spec.shortest_walk = shortest_walk;
    reference::Solver solver(graphs, spec, demanding());
    const std::vector<Pair> pairs{{0, 1}, {0, 0}};
    std::vector<PairResult> results(2);
    std::vector<PairResult> adjoints(2);
    solver.solve(pairs, results);
    solver.solve(Request{pairs, RightHandSide::starting}, Answer{adjoints});
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      CHECK(results[k].error_bound <= tolerance::roundings);
      CHECK(adjoints[k].error_bound <= tolerance::roundings);
      CHECK(adjoints[k].value == results[k].value);
    }
    std::vector<PairResult> without_walks(1);
    solver.solve(std::vector<Pair>{{0, 2}}, without_walks);
    CHECK(without_walks[0].error_bound <= tolerance::roundings);
    if (shortest_walk == 1) CHECK(without_walks[0].value == 0);
  }
}

TEST_CASE("the reference refuses a pair that is too large, with the figure") {
  const std::vector<Graph> graphs{bare("long", 100, path_edges(100)), bare("longer", 61, path_edges(61))};
  std::vector<PairResult> results(1);
  reference::Solver solver(graphs, unlabelled().spec({StoppingMeaning::weight, 0.05}), {});

  const std::string message = message_of([&] { solver.solve(std::vector<Pair>{{0, 1}}, results); });

  CHECK(contains(message, "6100"));
  CHECK(contains(message, "'long'"));
  CHECK(contains(message, "'longer'"));
}

TEST_CASE("the reference has no float32") {
  const std::vector<Graph> graphs{bare("edge", 2, path_edges(2))};
  const KernelSpec kernel = unlabelled().spec({StoppingMeaning::weight, 0.05});

  CHECK_THROWS_AS(reference::make_solver({graphs, kernel, Precision::float32}), Error);
}

TEST_CASE("the reference names graph, label and type where a label does not fit") {
  const std::vector<Graph> graphs{labelled("alpha", 3, path_edges(3), 1), bare("beta", 2, path_edges(2))};
  const Stopping stopping(StoppingMeaning::weight, 0.05);
  const auto refusal = [&](std::span<const Graph> set, const char* vertex, const char* edge) {
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse(edge), stopping};
    return message_of([&] { reference::Solver(set, kernel, {}); });
  };

  const std::string missing = refusal(graphs, "delta(element, 0.5)", "1");
  CHECK(contains(missing, "'beta'"));
  CHECK(contains(missing, "'element'"));
  const std::string text = refusal(std::span(graphs).first(1), "1", "gaussian(bond, 1)");
  CHECK(contains(text, "'alpha'"));
  CHECK(contains(text, "'bond'"));
  CHECK(contains(text, "is text"));
  const std::string list = refusal(std::span(graphs).first(1), "1", "delta(parts, 0.5)");
  CHECK(contains(list, "is list of reals"));
  const std::string no_list = refusal(std::span(graphs).first(1), "1", "convolution(order, delta(_, 0.5))");
  CHECK(contains(no_list, "is integer"));
}

TEST_CASE("delta compares integers and reals of different graphs as numbers, and large integers exactly") {
  // κe is 1 or 0, so K of two edges tells whether the labels were taken as equal (0.45) or not (0.25).
  const auto edge_of = [](LabelColumn column) {
    return Graph::from_edges("edge", 2, path_edges(2), {}, {{"order", std::move(column)}});
  };
  const auto k = [](const Graph& first, const Graph& second) {
    const KernelSpec kernel{
        Expression::parse("1"), Expression::parse("delta(order, 0)"), {StoppingMeaning::weight, 0.5}};
    std::vector<PairResult> results(1);
    reference::Solver(std::vector<Graph>{first, second}, kernel, {}).solve(std::vector<Pair>{{0, 1}}, results);
    return results[0].value;
  };
  const Graph two = edge_of(std::vector<std::int64_t>{2});
  const std::int64_t beyond_double = (std::int64_t{1} << 53) + 1;

  CHECK(relative_error(k(two, edge_of(std::vector<double>{2.0})), 0.45) <= tolerance::exact);
  CHECK(relative_error(k(two, edge_of(std::vector<double>{2.5})), 0.25) <= tolerance::exact);
  CHECK(relative_error(
            k(edge_of(std::vector<std::int64_t>{beyond_double}), edge_of(std::vector<std::int64_t>{beyond_double - 1})),
            0.25) <= tolerance::exact);
}

TEST_CASE("formulas of huge parameters are those of their limit, within what is proven") {
  const std::vector<Graph> graphs{random_graph(5, 0.6, 1), random_graph(6, 0.5, 2), random_graph(4, 0.7, 3)};
  const std::vector<Pair> pairs{{0, 0}, {0, 1}, {1, 2}, {2, 2}};
  const auto solved = [&](const std::string& vertex, const std::string& edge) {
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse(edge), {StoppingMeaning::probability, 0.05}};
    std::vector<PairResult> results(pairs.size());
    reference::Solver(graphs, kernel, {}).solve(pairs, results);
    return results;
  };
  // (1 + t/α)^−α is e^−t but for t²/2α, and a power of a Gaussian is one of another length.
  const auto check = [&](const std::string& vertex, const std::string& edge, const std::string& vertex_limit,
                         const std::string& edge_limit, double apart) {
    CAPTURE(edge);
    const std::vector<PairResult> found = solved(vertex, edge);
    const std::vector<PairResult> limit = solved(vertex_limit, edge_limit);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double error = relative_error(found[k].value, limit[k].value);
      CAPTURE(error);
      CHECK((found[k].status == Status::converged || found[k].error_bound > 1e-10));
      CHECK(error <= found[k].error_bound + limit[k].error_bound + apart);
      CHECK(found[k].error_bound <= 1e-6);
    }
  };
  for (const char* alpha : {"1e14", "1e20", "1e60"}) {
    check(fmt::format("rational(charge,0.5,{})", alpha), fmt::format("rational(length,0.5,{})", alpha),
          "gaussian(charge,0.5)", "gaussian(length,0.5)", 1e-13);
  }
  check("power(gaussian(charge,512),1048576)", "power(gaussian(length,512),1048576)", "gaussian(charge,0.5)",
        "gaussian(length,0.5)", 0);
  check("power(gaussian(charge,16384),1073741824)", "power(gaussian(length,16384),1073741824)", "gaussian(charge,0.5)",
        "gaussian(length,0.5)", 0);
}
