// SPDX-License-Identifier: BSD-3-Clause
// Graphs on which a residual norm says little about K: weights over many orders of magnitude, isolated vertices and light
// edges in one graph, barely connected parts. What is called converged must be right for all backends, primitives, lowerings.
#include <doctest/doctest.h>

#include <octile/pairs/cost_model.hpp>
#include <octile/refinement.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/sanitized.hpp"
#include "common/settings.hpp"
#include "common/skips.hpp"
#include "hard/families.hpp"
#include "readers/read.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// The default tolerances: 1e-8, and 1e-6 in float32.
SolveOptions default_options(Precision precision) {
  SolveOptions options;
  if (precision == Precision::float32) options.tolerance = 1e-6;
  return options;
}

/// Settings, and more of them. The sanitizers see all of these in test_conformance.cpp.
std::vector<Setting> with(std::vector<Setting> settings, const std::vector<Setting>& more) {
  if (!sanitized) settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Every backend with its automatic choice, and with every lowering.
std::vector<Setting> chosen_settings() { return with(judged_settings(), lowering_settings()); }

/// The chosen settings, and primitives of each family.
std::vector<Setting> every_setting() { return with(chosen_settings(), primitive_settings()); }

/// The results of a setting: cases that converged, and the largest error among them.
struct Tally {
  int cases = 0;
  int converged = 0;
  double largest_error = 0;
};

/// Checks the error of a value that is called converged, and the bound of any value.
void check_case(const Setting& setting, const PairResult& result, double expected, const Stopping& stopping,
                std::size_t terms, Tally& tally) {
  const double error = relative_error(result.value, expected);
  CAPTURE(status_name(result.status));
  CAPTURE(result.residual);
  CAPTURE(result.value);
  CAPTURE(expected);
  CAPTURE(error);
  ++tally.cases;
  if (result.status == Status::converged) {
    ++tally.converged;
    tally.largest_error = std::max(tally.largest_error, error);
    CHECK(error <= tolerance::hard);
  }
  if (result.status != Status::breakdown) {
    CHECK(error <= result.residual + tolerance::rounding_residual(setting.precision, expected, stopping, terms));
  }
}

/// One set of graphs with the exact values of some pairs, for one kernel.
struct HardCase {
  std::string name;
  std::vector<Graph> graphs;
  KernelSpec kernel;
  std::vector<Pair> pairs;
  std::vector<double> expected;
};

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// "vertex | edge | stopping".
KernelSpec kernel_of(const std::string& text) {
  const auto first = text.find('|');
  const auto second = text.find('|', first + 1);
  return {Expression::parse(trimmed(text.substr(0, first))),
          Expression::parse(trimmed(text.substr(first + 1, second - first - 1))),
          Stopping::parse(trimmed(text.substr(second + 1)))};
}

std::vector<HardCase> cases_from(const std::filesystem::path& folder) {
  std::vector<HardCase> cases;
  const nlohmann::json references = nlohmann::json::parse(std::ifstream(folder / "references.json"));
  for (const auto& [set, kernels] : references.items()) {
    std::vector<Graph> graphs;
    std::ifstream lines(folder / (set + ".jsonl"));
    const app::LineParser parse = app::node_link_parser();
    for (std::string line; std::getline(lines, line);) graphs.push_back(parse(line, set));
    for (const auto& [kernel, values] : kernels.items()) {
      HardCase hard{fmt::format("{}: {}", set, kernel), graphs, kernel_of(kernel), {}, {}};
      for (const auto& value : values) {
        hard.pairs.push_back({value[0].get<std::int32_t>(), value[1].get<std::int32_t>()});
        hard.expected.push_back(value[2].get<double>());
      }
      cases.push_back(std::move(hard));
    }
  }
  return cases;
}

/// The least share of the cases that converge, by about a tenth below what CPUs do, so that a backend cannot pass by giving up.
double least_converged(const Setting& setting) {
  if (setting.lowering == Lowering::closed_form) return 0.3;  // its bound is far above its error
  if (setting.precision == Precision::float32) return 0.55;
  return setting.lowering == Lowering::factored ? 0.65 : 0.85;
}

bool admits(const Setting& setting, const HardCase& hard) {
  const auto constant = [](const Expression& kernel) { return kernel.root().kind == Expression::Kind::constant; };
  if (setting.lowering == Lowering::closed_form) return constant(hard.kernel.vertex) && constant(hard.kernel.edge);
  return setting.lowering != Lowering::table || !constant(hard.kernel.edge);  // a constant needs no table
}

void check_cases(const std::vector<HardCase>& cases, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    Tally tally;
    for (const HardCase& hard : cases) {
      if (!admits(setting, hard)) continue;
      CAPTURE(setting.name());
      CAPTURE(hard.name);
      std::vector<PairResult> results(hard.pairs.size());
      make_pair_solver(setting.backend, hard.graphs, hard.kernel, setting.precision, default_options(setting.precision),
                       setting.primitive, default_memory, setting.lowering)
          ->solve(hard.pairs, results);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const Graph& first = hard.graphs[static_cast<std::size_t>(hard.pairs[k].first)];
        const Graph& second = hard.graphs[static_cast<std::size_t>(hard.pairs[k].second)];
        CAPTURE(first.name());
        CAPTURE(second.name());
        check_case(setting, results[k], hard.expected[k], hard.kernel.stopping, most_terms(first, second), tally);
      }
    }
    CHECK(tally.converged >= least_converged(setting) * tally.cases);
    MESSAGE(setting.name(), ": ", tally.converged, " of ", tally.cases, " converged, largest error ",
            tally.largest_error);
  }
}

/// The cases by every backend with an accuracy of 1e-6 of some kind. `solve(backend, hard)` gives the results of a case's pairs, and
/// `judge(result, error)` checks one. At least this share converges.
template <class Solve, class Judge>
void check_accuracy(const std::vector<HardCase>& cases, const char* accuracy, double share, const Solve& solve,
                    const Judge& judge) {
  for (const Backend& backend : backends()) {
    if (backend.exact || !backend.available) continue;
    Tally tally;
    for (const HardCase& hard : cases) {
      const std::vector<PairResult> results = solve(backend, hard);
      for (std::size_t k = 0; k < results.size(); ++k) {
        CAPTURE(pair_name(backend, hard.name, hard.pairs[k]));
        const double error = relative_error(results[k].value, hard.expected[k]);
        judge(results[k], error);
        ++tally.cases;
        if (results[k].status != Status::converged) continue;
        ++tally.converged;
        tally.largest_error = std::max(tally.largest_error, error);
      }
    }
    CHECK(tally.converged >= share * tally.cases);
    MESSAGE(backend.name, " to ", accuracy, ": ", tally.converged, " of ", tally.cases, " converged, largest error ",
            tally.largest_error);
  }
}

/// Every error is within its bound. Where weights are up to 2e9 times q, rounding in double makes the accuracy impossible, which the pair
/// says.
void check_certified(const std::vector<HardCase>& cases) {
  check_accuracy(
      cases, "1e-6", 0.98,
      [](const Backend& backend, const HardCase& hard) {
        return certified_results(backend, hard.graphs, hard.kernel, hard.pairs);
      },
      [](const PairResult& result, double error) {
        CAPTURE(result.error_bound);
        CHECK(error <= result.error_bound + tolerance::hard_reference);
        CHECK((result.status == Status::converged || result.status == Status::stagnated));
        CHECK(result.error_bound <= tolerance::hard_bound);
      });
}

/// What converged is within ten times of an accuracy that is estimated.
void check_estimated(const std::vector<HardCase>& cases) {
  GramOptions options;
  options.accuracy = Accuracy{Accuracy::Kind::estimated, 1e-6};
  check_accuracy(
      cases, "estimated:1e-6", 0.5,
      [&options](const Backend& backend, const HardCase& hard) {
        options.backend = backend.id;
        const CostModel cost(hard.graphs);
        std::vector<PairResult> results(hard.pairs.size());
        make_gram_solver(hard.graphs, hard.kernel, options, cost)->solve(hard.pairs, results);
        return results;
      },
      [&options](const PairResult& result, double error) {
        if (result.status == Status::converged) CHECK(error <= 10 * options.accuracy->value);
      });
}

}  // namespace

TEST_CASE(
    "weights over twelve orders and isolated vertices: what converges is right, and errors are within their bound") {
  const std::vector<Graph> graphs{of_twelve_orders(9, 0, 1), of_twelve_orders(7, 2, 2), light_and_heavy(1e-4, 0, 3),
                                  light_and_heavy(1e-6, 2, 4), light_and_heavy(1e6, 1, 5)};
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graphs.size()); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(graphs.size()); ++j) pairs.push_back({i, j});
  }
  std::vector<HardCase> cases;
  for (const char* kernel :
       {"1 | 1", "delta(kind,0.5) | 1", "1 | delta(order,0.9)", "delta(element,0.2) | gaussian(length,0.3)"}) {
    for (const char* stopping : {"weight:0.05", "weight:0.0005", "probability:0.05", "probability:0.0005"}) {
      const std::string name = fmt::format("{} | {}", kernel, stopping);
      HardCase hard{name, graphs, kernel_of(name), pairs, {}};
      // The reference is exact to double precision: its residuals bound its errors.
      std::vector<PairResult> exact(pairs.size());
      make_pair_solver(BackendId::reference, graphs, hard.kernel, Precision::float64, {})->solve(pairs, exact);
      for (const PairResult& result : exact) {
        REQUIRE(result.residual <= tolerance::hard / 10);
        hard.expected.push_back(result.value);
      }
      cases.push_back(std::move(hard));
    }
  }
  check_cases(cases, every_setting());
  check_certified(cases);
  check_estimated(cases);
}

TEST_CASE("the sets of data/hard: what converges is right, and errors are within their bound") {
  const char* const data = std::getenv("OCTILE_DATA");
  const std::filesystem::path folder = std::filesystem::path(data == nullptr ? "" : data) / "hard";
  if (!std::filesystem::exists(folder / "references.json")) {
    return skip("OCTILE_DATA names no folder with hard/references.json");
  }
  const std::vector<HardCase> cases = cases_from(folder);
  check_cases(cases, chosen_settings());
  check_certified(cases);
  check_estimated(cases);
}

TEST_CASE("weights of a graph that are scaled change no value, under a stopping probability") {
  const std::vector<Graph> graphs{random_graph(12, 0.3, 1), random_graph(9, 0.4, 2), random_graph(17, 0.2, 3)};
  const std::vector<Pair> pairs{{0, 0}, {0, 1}, {1, 2}, {2, 0}};
  const KernelSpec kernel = kernel_of("delta(kind,0.5) | gaussian(length,0.3) | probability:0.05");
  for (const Setting& setting : judged_settings()) {
    CAPTURE(setting.name());
    const auto solve = [&](std::span<const Graph> set, RightHandSide side, std::vector<double>& solutions) {
      const auto solver = make_pair_solver(setting.backend, set, kernel, setting.precision, setting.solve_options());
      std::vector<std::size_t> begin;
      std::size_t length = 0;
      for (const Pair pair : pairs) {
        begin.push_back(length);
        length += solver->unknowns(pair);
      }
      solutions.resize(length);
      std::vector<PairResult> results(pairs.size());
      solver->solve(Request{pairs, side, begin}, Answer{results, solutions});
      return results;
    };
    std::vector<double> x;
    const std::vector<PairResult> expected = solve(graphs, RightHandSide::stopping, x);
    for (const double factor : {1e-15, 1e15, 1e-200, 1e200, 0x1p-40}) {
      CAPTURE(factor);
      const std::vector<Graph> scaled{graphs[0].scaled(factor), graphs[1], graphs[2].scaled(1 / factor)};
      std::vector<double> of_scaled;
      const std::vector<PairResult> found = solve(scaled, RightHandSide::stopping, of_scaled);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CHECK(found[k].status == Status::converged);
        CHECK(relative_error(found[k].value, expected[k].value) <= 2 * tolerance::value(setting.precision));
      }
      CHECK(relative_error(of_scaled, x) <= 2 * tolerance::value(setting.precision));
      if (setting.backend == BackendId::cuda && setting.precision == Precision::float32) continue;
      std::vector<double> y;
      std::vector<double> y_of_scaled;
      solve(graphs, RightHandSide::starting, y);
      solve(scaled, RightHandSide::starting, y_of_scaled);
      const std::size_t both = static_cast<std::size_t>(12 * 12);
      // S of the first pair, a graph with itself, is multiplied by the factor twice.
      for (std::size_t k = 0; k < both && factor * factor > 0 && std::isfinite(factor * factor); ++k) {
        CHECK(relative_error(y_of_scaled[k] * factor * factor, y[k]) <= 100 * tolerance::value(setting.precision));
      }
    }
  }
}
