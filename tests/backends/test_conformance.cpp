// SPDX-License-Identifier: BSD-3-Clause
// The definition of a backend: it agrees with the reference here, in every precision that it has.
#include <doctest/doctest.h>

#include <octile/error.hpp>
#include <octile/kernels/lowering.hpp>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/sanitized.hpp"
#include "common/series.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// All pairs of small graphs, and pairs of larger ones with a few small ones, since the reference takes (nm)³/3 operations.
struct PairSet {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;
};

PairSet pair_set() {
  PairSet set;
  set.graphs = small_graphs();
  const auto small = static_cast<std::int32_t>(set.graphs.size());
  for (std::int32_t i = 0; i < small; ++i) {
    for (std::int32_t j = i; j < small; ++j) {
      const auto size = [&set](std::int32_t k) { return set.graphs[static_cast<std::size_t>(k)].vertex_count(); };
      // Some pairs of the other triangle too, since a backend must not assume i ≤ j.
      if (size(i) * size(j) > 150) continue;
      if (sanitized && (i + 2 * j) % 5 != 0) continue;
      set.pairs.push_back((i + j) % 3 == 0 ? Pair{j, i} : Pair{i, j});
    }
  }
  for (Graph& graph : large_graphs()) {
    const auto large = static_cast<std::int32_t>(set.graphs.size());
    set.graphs.push_back(std::move(graph));
    if (!sanitized || large % 2 == 0) set.pairs.push_back({large, large % 5});
    if (!sanitized || large % 2 == 1) set.pairs.push_back({large % 4, large});
  }
  return set;
}

std::vector<PairResult> solve(BackendId backend, const PairSet& set, const KernelSpec& kernel, Precision precision,
                              const SolveOptions& options, const Primitive& primitive = {},
                              Lowering lowering = Lowering::automatic) {
  std::vector<PairResult> results(set.pairs.size());
  make_pair_solver(backend, set.graphs, kernel, precision, options, primitive, default_memory, lowering)
      ->solve(set.pairs, results);
  return results;
}

/// Whether a kernel allows a lowering on a set.
bool admits(const PairSet& set, const KernelCase& kernel, Lowering lowering) {
  const auto constant = [](const std::string& text) { return text.find('(') == std::string::npos; };
  if (lowering == Lowering::closed_form) return constant(kernel.vertex) && constant(kernel.edge);
  // test_factors.cpp has the rough ones at larger tolerances.
  if (lowering == Lowering::factored) return !kernel.rough;
  if (lowering == Lowering::table)
    return lower(set.graphs, Expression::parse(kernel.edge), LabelSite::edge).tabulated();
  return true;
}

std::size_t terms_of(const PairSet& set, Pair pair) {
  return most_terms(set.graphs[static_cast<std::size_t>(pair.first)],
                    set.graphs[static_cast<std::size_t>(pair.second)]);
}

const std::string& name_of(const PairSet& set, std::int32_t graph) {
  return set.graphs[static_cast<std::size_t>(graph)].name();
}

/// Checks that every pair of the set is settled, and that its value is within the tolerance of the expected one.
void check_pairs(const Setting& setting, const std::string& kernel, const Stopping& stopping, const PairSet& set,
                 const std::vector<PairResult>& results, const std::vector<PairResult>& expected) {
  for (std::size_t k = 0; k < set.pairs.size(); ++k) {
    const PairResult& result = results[k];
    CAPTURE(setting.name());
    CAPTURE(kernel);
    CAPTURE(stopping.to_string());
    CAPTURE(name_of(set, set.pairs[k].first));
    CAPTURE(name_of(set, set.pairs[k].second));
    CAPTURE(status_name(result.status));
    CAPTURE(result.residual);
    CAPTURE(result.value);
    CAPTURE(expected[k].value);

    CHECK(settled(result, setting.precision, stopping, terms_of(set, set.pairs[k]), setting.lowering));
    // The residual bounds the error of K for any status. The reference has an error of its own, bounded in the same
    // way, and both sum K over the vertex pairs.
    CHECK(
        relative_error(result.value, expected[k].value) <=
        result.residual + expected[k].residual + tolerance::sums +
            tolerance::rounding_residual(setting.precision, expected[k].value, stopping, terms_of(set, set.pairs[k])));
    // Float32 may be stopped by rounding. What it calls converged must be right.
    if (setting.precision == Precision::float64 || result.status == Status::converged) {
      CHECK(relative_error(result.value, expected[k].value) <=
            tolerance::value(setting.precision, expected[k].value, stopping));
    }
  }
}

/// Every q and meaning; for the sanitizers, one of them for each kernel in turn.
std::vector<Stopping> stoppings_of(std::size_t kernel) {
  std::vector<Stopping> all = stoppings();
  if (!sanitized) return all;
  return {all[kernel % all.size()]};
}

/// Checks every kernel, q and meaning that a setting's lowering allows.
void check_all(const std::vector<Setting>& settings) {
  const PairSet set = pair_set();
  const std::vector<KernelCase> kernels = kernel_cases();
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    const KernelCase& kernel = kernels[c];
    for (const Stopping& stopping : stoppings_of(c)) {
      const KernelSpec spec = kernel.spec(stopping);
      const std::vector<PairResult> expected = solve(BackendId::reference, set, spec, Precision::float64, {});
      for (const Setting& setting : settings) {
        if (!admits(set, kernel, setting.lowering)) continue;
        const std::vector<PairResult> results = solve(setting.backend, set, spec, setting.precision,
                                                      setting.solve_options(), setting.primitive, setting.lowering);
        check_pairs(setting, kernel.name, stopping, set, results, expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("every backend agrees with the reference on every kernel, q, meaning and pair") {
  check_all(judged_settings());
}

TEST_CASE("float32 alone is within its tolerance on well-conditioned pairs") {
  const PairSet set = pair_set();
  const std::vector<KernelCase> kernels = kernel_cases();
  for (std::size_t c = 0; c < kernels.size(); c += sanitized ? 4 : 1) {
    const KernelCase& kernel = kernels[c];
    for (const StoppingMeaning meaning : {StoppingMeaning::weight, StoppingMeaning::probability}) {
      const KernelSpec spec = kernel.spec({meaning, 0.5});
      const std::vector<PairResult> expected = solve(BackendId::reference, set, spec, Precision::float64, {});
      for (const Setting& setting : judged_settings()) {
        if (setting.precision != Precision::float32) continue;
        const std::vector<PairResult> results =
            solve(setting.backend, set, spec, setting.precision, setting.solve_options());
        for (std::size_t k = 0; k < set.pairs.size(); ++k) {
          CAPTURE(setting.name());
          CAPTURE(kernel.name);
          CAPTURE(spec.stopping.to_string());
          CAPTURE(name_of(set, set.pairs[k].first));
          CAPTURE(name_of(set, set.pairs[k].second));
          CAPTURE(results[k].residual);
          CHECK(settled(results[k], setting.precision, spec.stopping, terms_of(set, set.pairs[k])));
          CHECK(relative_error(results[k].value, expected[k].value) <= tolerance::value(setting.precision));
        }
      }
    }
  }
}

TEST_CASE("the whole Gram matrix, float32 refined in float64, agrees with the reference's") {
  const std::vector<Graph> graphs = small_graphs();
  GramOptions judge;
  judge.backend = BackendId::reference;
  const std::vector<KernelCase> kernels = kernel_cases();
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    const KernelCase& kernel = kernels[c];
    for (const Stopping& stopping : stoppings_of(c)) {
      // The reference takes (17·16)³ operations for every kernel and q, so the middle q is tested on the pairs above only.
      if (stopping.q() == 0.05) continue;
      const KernelSpec spec = kernel.spec(stopping);
      const GramResult expected = gram(graphs, spec, judge);
      for (const Setting& setting : judged_settings()) {
        const GramResult result = gram(graphs, spec, setting.gram_options());
        CAPTURE(setting.name());
        CAPTURE(kernel.name);
        CAPTURE(stopping.to_string());
        REQUIRE(result.pairs.size() == expected.pairs.size());
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          for (std::size_t j = i; j < graphs.size(); ++j) {
            const PairResult& pair = result.pairs[pair_index(i, j, graphs.size())];
            CAPTURE(graphs[i].name());
            CAPTURE(graphs[j].name());
            CAPTURE(pair.residual);
            const double judged = expected.pairs[pair_index(i, j, graphs.size())].value;
            // Float32 is refined in float64 to the tolerance of float32, which float64 always reaches.
            CHECK((setting.precision == Precision::float64 || pair.status == Status::converged));
            CHECK(settled(pair, setting.precision, stopping, most_terms(graphs[i], graphs[j])));
            CHECK(relative_error(pair.value, judged) <= tolerance::value(setting.precision, judged, stopping));
          }
        }
      }
    }
  }
}

TEST_CASE("every primitive agrees with the reference") {
  const PairSet set = pair_set();
  const std::vector<KernelCase> kernels = kernel_cases();
  const std::vector<Setting> settings = primitive_settings();
  // For the sanitizers one kernel, a product of two on either side.
  for (std::size_t c = sanitized ? 11 : 0; c < kernels.size(); c += sanitized ? kernels.size() : 4) {
    const Stopping stopping = stoppings()[c / 4 % 6];
    const KernelSpec spec = kernels[c].spec(stopping);
    const std::vector<PairResult> expected = solve(BackendId::reference, set, spec, Precision::float64, {});
    for (const Setting& setting : settings) {
      const std::vector<PairResult> results =
          solve(setting.backend, set, spec, setting.precision, setting.solve_options(), setting.primitive);
      check_pairs(setting, kernels[c].name, stopping, set, results, expected);
    }
  }
}

TEST_CASE("every lowering agrees with the reference") { check_all(lowering_settings()); }

TEST_CASE("two graphs of 33 vertices and of many tiles agree with the reference") {
  const std::vector<Graph> graphs = large_graphs();
  const PairSet set{{graphs[0], graphs[1]}, {{0, 1}, {1, 1}}};
  const KernelCase kernel = kernel_cases()[11];  // the product of two kernels on either side
  REQUIRE(kernel.name == "product");
  const KernelSpec spec = kernel.spec({StoppingMeaning::weight, 0.0005});
  const std::vector<PairResult> expected = solve(BackendId::reference, set, spec, Precision::float64, {});
  for (const Setting& setting : judged_settings()) {
    CAPTURE(setting.name());
    const std::vector<PairResult> results =
        solve(setting.backend, set, spec, setting.precision, setting.solve_options());
    for (std::size_t k = 0; k < results.size(); ++k) {
      CHECK(relative_error(results[k].value, expected[k].value) <= tolerance::value(setting.precision));
    }
  }
}

TEST_CASE("labelled graphs of 64 and 65 vertices agree with the summed walk") {
  // Too large for the dense reference, but not for the series, whose cost is the product of the numbers of edges.
  const std::vector<Graph> graphs = large_graphs();
  const PairSet set{graphs, {{4, 3}, {4, 4}, {2, 3}}};
  const std::vector<KernelCase> kernels = kernel_cases();
  for (std::size_t c = 0; c < kernels.size(); c += sanitized ? 4 : 1) {
    const KernelCase& kernel = kernels[c];
    const Stopping stopping(StoppingMeaning::probability, 0.1);
    std::vector<double> expected;
    for (const Pair pair : set.pairs) {
      expected.push_back(random_walk_series(graphs[static_cast<std::size_t>(pair.first)],
                                            graphs[static_cast<std::size_t>(pair.second)], kernel, stopping)
                             .value);
    }
    for (const Setting& setting : judged_settings()) {
      const std::vector<PairResult> results =
          solve(setting.backend, set, kernel.spec(stopping), setting.precision, setting.solve_options());
      for (std::size_t k = 0; k < set.pairs.size(); ++k) {
        CAPTURE(setting.name());
        CAPTURE(kernel.name);
        CAPTURE(name_of(set, set.pairs[k].first));
        CAPTURE(name_of(set, set.pairs[k].second));
        CHECK(settled(results[k], setting.precision, stopping, terms_of(set, set.pairs[k])));
        CHECK(relative_error(results[k].value, expected[k]) <= tolerance::value(setting.precision));
      }
    }
  }
}

TEST_CASE("node-wise similarities agree with the reference, and their residual is what was reported") {
  const PairSet set = pair_set();
  const std::vector<KernelCase> kernels = kernel_cases();
  std::vector<double> expected;
  std::vector<double> x;
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    const Stopping stopping = stoppings()[c % 6];
    const KernelSpec spec = kernels[c].spec(stopping);
    const auto reference = make_pair_solver(BackendId::reference, set.graphs, spec, Precision::float64, {});
    for (const Setting& setting : judged_settings()) {
      const auto solver =
          make_pair_solver(setting.backend, set.graphs, spec, setting.precision, setting.solve_options());
      for (std::size_t k = c % 7; k < set.pairs.size(); k += 7) {
        const Graph& first = set.graphs[static_cast<std::size_t>(set.pairs[k].first)];
        const Graph& second = set.graphs[static_cast<std::size_t>(set.pairs[k].second)];
        CAPTURE(setting.name());
        CAPTURE(kernels[c].name);
        CAPTURE(stopping.to_string());
        CAPTURE(first.name());
        CAPTURE(second.name());

        const double judged = reference->solve_nodewise(set.pairs[k], expected).value;
        const PairResult result = solver->solve_nodewise(set.pairs[k], x);

        REQUIRE(x.size() == expected.size());
        CHECK(settled(result, setting.precision, stopping, most_terms(first, second)));
        CHECK(relative_residual(first, second, kernels[c], stopping, x) <=
              result.residual + tolerance::worst_row * tolerance::rounding_residual(setting.precision, judged, stopping,
                                                                                    most_terms(first, second)));
        if (setting.precision == Precision::float64 || result.status == Status::converged) {
          CHECK(relative_error(x, expected) <= tolerance::value(setting.precision, judged, stopping));
        }
      }
    }
  }
}

TEST_CASE("one pair alone, the pair in a batch and the node-wise solve give one value") {
  const std::vector<Graph> graphs = small_graphs();
  const KernelSpec spec = kernel_cases()[6].spec({StoppingMeaning::weight, 0.05});
  std::vector<Pair> pairs;
  pairs.reserve(12);
  for (std::int32_t i = 0; i < 12; ++i) pairs.push_back({i, 11 - i});
  for (const Backend& backend : backends()) {
    if (!backend.available || !backend.deterministic) continue;
    CAPTURE(backend.name);
    const auto solver = make_pair_solver(backend.id, graphs, spec, Precision::float64, {});
    std::vector<PairResult> together(pairs.size());
    solver->solve(pairs, together);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::vector<PairResult> alone(1);
      std::vector<double> x;
      solver->solve(std::span(pairs).subspan(k, 1), alone);
      const PairResult nodewise = solver->solve_nodewise(pairs[k], x);
      CHECK(alone[0].value == together[k].value);
      CHECK(alone[0].iterations == together[k].iterations);
      CHECK(nodewise.value == together[k].value);
    }
  }
}

TEST_CASE("too few iterations are reported, with an honest residual") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(9, 0.4, 2)};
  const KernelCase kernel = kernel_cases()[6];
  const Stopping stopping(StoppingMeaning::weight, 0.0005);
  for (const Setting& setting : judged_settings()) {
    CAPTURE(setting.name());
    SolveOptions options = setting.solve_options();
    options.max_iterations = 3;
    std::vector<double> x;

    const PairResult result =
        make_pair_solver(setting.backend, graphs, kernel.spec(stopping), setting.precision, options)
            ->solve_nodewise({0, 1}, x);

    CHECK(result.status == Status::iteration_limit);
    CHECK(result.iterations == 3);
    CHECK(result.residual > options.tolerance);
    const double recomputed = relative_residual(graphs[0], graphs[1], kernel, stopping, x);
    CHECK(relative_error(result.residual, recomputed) <= tolerance::large_residual(setting.precision));
  }
}

TEST_CASE("a tolerance beyond the precision is reported as stagnated, never as converged") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(9, 0.4, 2)};
  const KernelSpec spec = kernel_cases()[6].spec({StoppingMeaning::weight, 0.0005});
  for (const Setting& setting : judged_settings()) {
    CAPTURE(setting.name());
    SolveOptions options;
    options.tolerance = 1e-30;
    std::vector<PairResult> results(1);

    make_pair_solver(setting.backend, graphs, spec, setting.precision, options)
        ->solve(std::vector<Pair>{{0, 1}}, results);

    CHECK(results[0].status == Status::stagnated);
    CHECK(results[0].residual > options.tolerance);
    CHECK(results[0].residual < tolerance::value(Precision::float32) * 1000);
  }
}

TEST_CASE("the starting probability is counted in by every backend") {
  std::vector<Graph> graphs{random_graph(9, 0.6, 1), random_graph(4, 0.6, 2)};
  graphs[0].set_starting_probability({0.1, 0.2, 0.3, 0.4, 0, 0, 0, 0, 0});
  graphs[1].set_starting_probability({0, 0, 0.5, 0.5});
  const Stopping stopping(StoppingMeaning::weight, 0.1);
  const double expected = random_walk_series(graphs[0], graphs[1], unlabelled(), stopping).value;
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.name());
    const NodewiseResult result = nodewise(graphs[0], graphs[1], unlabelled().spec(stopping), setting.gram_options());
    CHECK(relative_error(result.pair.value, expected) <= tolerance::value(setting.precision));
  }
}

TEST_CASE("every backend tells integer labels apart that one double cannot hold") {
  const std::int64_t beyond_double = (std::int64_t{1} << 53) + 1;
  const auto edge_of = [](std::int64_t label) {
    return Graph::from_edges("edge", 2, path_edges(2), {}, {{"order", std::vector<std::int64_t>{label}}});
  };
  const KernelSpec spec{Expression::parse("1"), Expression::parse("delta(order, 0)"), {StoppingMeaning::weight, 0.5}};
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.name());
    const NodewiseResult result =
        nodewise(edge_of(beyond_double), edge_of(beyond_double - 1), spec, setting.gram_options());
    CHECK(relative_error(result.pair.value, 0.25) <= tolerance::value(setting.precision));
  }
}

TEST_CASE("every backend refuses a set in which one label is text here and number there, named or not") {
  const auto vertex_of = [](LabelColumn column) {
    return Graph::from_edges("", 1, {}, {{"element", std::move(column)}});
  };
  const std::vector<Graph> graphs{vertex_of(std::vector<std::string>{"C"}), vertex_of(std::vector<std::int64_t>{6})};
  const KernelSpec spec{
      Expression::parse("delta(element, 0.5)"), Expression::parse("1"), {StoppingMeaning::weight, 0.5}};
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.name());
    CHECK_THROWS_AS(make_pair_solver(setting.backend, graphs, spec, setting.precision, {}), Error);
  }
}

TEST_CASE("a graph without edges needs no edge labels") {
  const std::vector<Graph> graphs{bare("vertices", 3, {}), labelled("path", 4, path_edges(4), 1)};
  const KernelSpec spec{
      Expression::parse("1"), Expression::parse("gaussian(length, 0.5)"), {StoppingMeaning::weight, 0.5}};
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.name());
    const GramResult result = gram(graphs, spec, setting.gram_options());
    CHECK(relative_error(result.values[1], 0.25) <= tolerance::value(setting.precision));
  }
}

TEST_CASE("a vertex kernel that underflows is never a wrong value called converged") {
  // exp(−(1/0.1)²/2) = 2e−22 is small in both precisions; exp(−(1/0.05)²/2) = 1e−87 is 0 in float32;
  // exp(−(1/0.01)²/2) = 0 in double too, where K tends to q² times the mean over the equal pairs.
  const Graph graph = Graph::from_edges("edge", 2, path_edges(2), {{"charge", std::vector<double>{0, 1}}});
  for (const double length : {0.1, 0.05, 0.01}) {
    const KernelSpec spec{Expression::parse("gaussian(charge, " + std::to_string(length) + ")"),
                          Expression::parse("1"),
                          {StoppingMeaning::weight, 0.5}};
    // x_00 = x_11 = 0.45 as in test_hand_solved, x_01 = x_10 = q² κv to the last digit.
    const double expected = 0.45 / 2;
    for (const Setting& setting : judged_settings()) {
      CAPTURE(setting.name());
      CAPTURE(length);
      const NodewiseResult result = nodewise(graph, graph, spec, setting.gram_options());
      if (result.pair.status == Status::converged) {
        CHECK(relative_error(result.pair.value, expected) <= tolerance::value(setting.precision));
      } else {
        CHECK(result.pair.status == Status::breakdown);
      }
    }
  }
}

TEST_CASE("a pair of 1000 and 1000 vertices is solved in float32 within 96 MiB") {
  // Unlabelled graphs without isolated vertices have K = q/(2−q).
  const std::vector<Graph> graphs{bare("cycle", 1000, cycle_edges(1000)), bare("path", 1000, path_edges(1000))};
  const double q = 0.1;
  const KernelSpec spec = unlabelled().spec({StoppingMeaning::probability, q});
  for (const Setting& setting : judged_settings()) {
    if (setting.precision != Precision::float32) continue;
    CAPTURE(setting.name());
    std::vector<PairResult> results(1);
    make_pair_solver(setting.backend, graphs, spec, setting.precision, setting.solve_options(), {},
                     std::size_t(96) << 20)
        ->solve(std::vector<Pair>{{0, 1}}, results);
    CHECK(results[0].status == Status::converged);
    CHECK(relative_error(results[0].value, q / (2 - q)) <= tolerance::value(setting.precision));
  }
}

TEST_CASE("what does not fit the memory that is allowed is refused with the figure") {
  const std::vector<Graph> graphs{bare("cycle", 200, cycle_edges(200))};
  const KernelSpec spec = unlabelled().spec({StoppingMeaning::probability, 0.1});
  for (const Setting& setting : judged_settings()) {
    CAPTURE(setting.name());
    const auto make = [&](std::size_t memory) {
      return make_pair_solver(setting.backend, graphs, spec, setting.precision, setting.solve_options(), {}, memory);
    };
    CHECK(message_of([&] { make(1000); }).find("the set of 1 graphs takes") != std::string::npos);
    CHECK(message_of([&] { make(1000); }).find("allowed are 0.977 KiB") != std::string::npos);
    std::vector<PairResult> results(1);
    const std::string message = message_of([&] { make(100000)->solve(std::vector<Pair>{{0, 0}}, results); });
    CHECK(message.find("a pair of 200 and 200 vertices takes") != std::string::npos);
  }
}
