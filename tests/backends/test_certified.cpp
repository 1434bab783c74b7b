// SPDX-License-Identifier: BSD-3-Clause
// Values with a proven accuracy: what is said of their error is true, and what was asked for is reached.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/certified_solver.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/precision.hpp>
#include <octile/prepared_set.hpp>
#include <octile/reference/solver.hpp>
#include <octile/start.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/sanitized.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Small graphs; one starts unevenly, one on some vertices only, and one as its degrees are.
std::vector<Graph> graphs_with_starts(const Stopping& stopping) {
  std::vector<Graph> graphs = small_graphs();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto n = static_cast<std::size_t>(graphs[g].vertex_count());
    std::vector<double> starting(n, 0.0);
    if (n == 7) std::iota(starting.begin(), starting.end(), 1.0);
    if (n == 8) starting[3] = starting[5] = 0.5;
    if (n == 7 || n == 8) graphs[g].set_starting_weights(starting);
    if (n == 9) Start{Start::Kind::degree}.apply_to(std::span(graphs).subspan(g, 1), stopping);
  }
  return graphs;
}

std::vector<Pair> some_pairs(const std::vector<Graph>& graphs) {
  std::vector<Pair> pairs = pairs_from_both_ends(graphs);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graphs.size()); i += 3) pairs.push_back({i, i});
  return pairs;
}

/// What bounds were beside the errors.
class Ratios {
 public:
  void add(double error, double bound) {
    if (error > 0 && std::isfinite(bound)) ratios_.push_back(bound / error);
  }
  std::string text() {
    std::ranges::sort(ratios_);
    if (ratios_.empty()) return "none";
    return std::to_string(ratios_.size()) + " bounds, of the error the tightest " + std::to_string(ratios_.front()) +
           ", the median " + std::to_string(ratios_[ratios_.size() / 2]) + " times";
  }

 private:
  std::vector<double> ratios_;
};

std::vector<BackendId> iterating_backends() {
  std::vector<BackendId> ids;
  for (const Backend& backend : backends()) {
    if (backend.available && !backend.exact) ids.push_back(backend.id);
  }
  return ids;
}

GramOptions certified(BackendId backend, double accuracy) {
  GramOptions options;
  options.backend = backend;
  options.accuracy = Accuracy{Accuracy::Kind::certified, accuracy};
  return options;
}

}  // namespace

TEST_CASE("no error is above its bound, and what is called converged has the accuracy that was asked for") {
  for (const BackendId backend : iterating_backends()) {
    const bool in_full = backend == iterating_backends().back();
    for (const double accuracy : in_full ? std::vector{1e-3, 1e-6, 1e-10, 1e-12} : std::vector{1e-6}) {
      Ratios ratios;
      std::size_t converged = 0;
      std::size_t all = 0;
      const std::vector<KernelCase> kernels = kernel_cases();
      for (std::size_t c = 0; c < kernels.size(); ++c) {
        const KernelCase& kernel = kernels[c];
        for (std::size_t q = 0; q < stoppings().size(); ++q) {
          // For the sanitizers one of them for each kernel in turn.
          if (sanitized && q != c % stoppings().size()) continue;
          const Stopping stopping = stoppings()[q];
          const std::vector<Graph> graphs = graphs_with_starts(stopping);
          const std::vector<Pair> pairs = some_pairs(graphs);
          const KernelSpec spec = kernel.spec(stopping);
          std::vector<PairResult> expected(pairs.size());
          make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {})->solve(pairs, expected);
          std::vector<PairResult> found(pairs.size());
          const CostModel cost(graphs);
          CertifiedSolver solver(graphs, spec, certified(backend, accuracy), cost);
          solver.solve(pairs, found);
          for (std::size_t k = 0; k < pairs.size(); ++k) {
            CAPTURE(backend_name(backend));
            CAPTURE(accuracy);
            CAPTURE(kernel.name);
            CAPTURE(stopping.to_string());
            CAPTURE(pairs[k].first);
            CAPTURE(pairs[k].second);
            const double error = relative_error(found[k].value, expected[k].value);
            const double known = expected[k].error_bound + tolerance::roundings;
            CHECK(error <= found[k].error_bound + known);
            if (found[k].status == Status::converged) {
              CHECK(found[k].error_bound <= accuracy);
              ++converged;
            }
            ++all;
            if (error > 10 * known) ratios.add(error, found[k].error_bound);
          }
        }
      }
      MESSAGE(backend_name(backend), " to ", accuracy, ": ", converged, " of ", all, " converged; ", ratios.text());
      // Rounding makes 1e-12 impossible where a walk takes thousands of steps, or where base kernels round by hundreds of units.
      CHECK(converged >= (accuracy > 1e-10 ? all : all - all / 8));
    }
  }
}

TEST_CASE("bounds hold by every lowering in either precision, on every backend") {
  const std::vector<KernelCase> kernels = kernel_cases();
  for (const Backend& backend : backends()) {
    if (!backend.available || backend.exact) continue;
    CAPTURE(backend.name);
    for (const LoweringInfo& lowering : lowerings()) {
      if (!backend.has(lowering.lowering)) continue;
      CAPTURE(lowering.name);
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (precision == Precision::float32 && !backend.single_precision) continue;
        CAPTURE(scalar_name(precision));
        Ratios ratios;
        std::size_t solved = 0;
        std::size_t converged = 0;
        for (std::size_t c = 0; c < kernels.size(); ++c) {
          if (sanitized && c % 4 != 0) continue;
          const Stopping stopping = stoppings()[c % stoppings().size()];
          const std::vector<Graph> graphs = graphs_with_starts(stopping);
          const std::vector<Pair> pairs = some_pairs(graphs);
          const KernelSpec spec = kernels[c].spec(stopping);
          CAPTURE(kernels[c].name);
          GramOptions options = certified(backend.id, 1e-6);
          options.lowering = lowering.lowering;
          options.precision = precision;
          const CostModel cost(graphs);
          std::vector<PairResult> found(pairs.size());
          try {
            CertifiedSolver(graphs, spec, options, cost).solve(pairs, found);
          } catch (const Error& error) {
            // Not every kernel has a closed form, few factors or a table; then a line says what is allowed.
            CHECK(lowering.lowering != Lowering::automatic);
            CHECK(lowering.lowering != Lowering::on_the_fly);
            CHECK(std::string(error.what()).find("allowed") != std::string::npos);
            continue;
          }
          std::vector<PairResult> expected(pairs.size());
          make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {})->solve(pairs, expected);
          for (std::size_t k = 0; k < pairs.size(); ++k) {
            const double error = relative_error(found[k].value, expected[k].value);
            const double known = expected[k].error_bound + tolerance::roundings;
            CHECK(error <= found[k].error_bound + known);
            ++solved;
            if (found[k].status == Status::converged) {
              CHECK(found[k].error_bound <= 1e-6);
              ++converged;
            }
            if (error > 10 * known) ratios.add(error, found[k].error_bound);
          }
        }
        MESSAGE(backend.name, ", ", lowering.name, ", ", scalar_name(precision), ": ", converged, " of ", solved,
                " converged; ", ratios.text());
        CHECK(solved > 0);
        // The closed form has no rounds behind it.
        CHECK(converged >= (lowering.lowering == Lowering::closed_form ? solved - solved / 8 : solved));
      }
    }
  }
}

TEST_CASE(
    "pairs of dense graphs are proven by their starts, without a solve, and their bits do not depend on the list") {
  if (!std::ranges::count(iterating_backends(), BackendId::cuda)) return;  // of that backend alone
  const std::vector<Graph> graphs = graphs_near_few_directions();
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < 32; ++i) {
    for (std::int32_t j = i; j < 32; ++j) pairs.push_back({i, j});
  }
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const CostModel cost(graphs);
  constexpr double accuracy = 1e-6;
  std::vector<PairResult> found(pairs.size());
  CertifiedSolver(graphs, kernel, certified(BackendId::cuda, accuracy), cost).solve(pairs, found);
  std::size_t unsolved = 0;
  for (const PairResult& result : found) {
    CHECK(result.status == Status::converged);
    CHECK(result.error_bound <= accuracy);
    unsolved += result.iterations == 0 ? 1 : 0;
  }
  CHECK(16 * unsolved >= 15 * pairs.size());
  const std::vector<std::size_t> some{0, 17, 100, 527};
  std::vector<Pair> few(some.size());
  std::ranges::transform(some, few.begin(), [&](std::size_t k) { return pairs[k]; });
  std::vector<PairResult> exact(few.size());
  make_pair_solver(BackendId::portable_cuda, graphs, kernel, Precision::float64, {1e-12, 5000})->solve(few, exact);
  std::vector<PairResult> again(few.size());
  CertifiedSolver(graphs, kernel, certified(BackendId::cuda, accuracy), cost).solve(few, again);
  for (std::size_t k = 0; k < few.size(); ++k) {
    CHECK(relative_error(found[some[k]].value, exact[k].value) <= found[some[k]].error_bound + tolerance::roundings);
    CHECK(again[k].value == found[some[k]].value);
    CHECK(again[k].error_bound == found[some[k]].error_bound);
  }
}

TEST_CASE("bounds count how base kernels round: kernels of many turns, steep powers, kinks") {
  // 1 / period times a difference of labels is 1e5 turns, of which an angle keeps eleven digits.
  const char* const many_turns = "periodic(length,0.3,1e-5)";
  const std::vector<std::pair<const char*, const char*>> kernels{
      {"1", many_turns},
      {"0.5+0.5*periodic(charge,0.3,1e-5)", "1"},
      {"1", "power(0.5+0.4*periodic(length,0.5,1e-4),40)"},
      {"1", "wendland(length,0.7,0)"},
      {"normalize(1+convolution(sizes,gaussian(_,0.01)))", "normalize(1+gaussian(length,0.01))"}};
  for (const double q : {0.3, 0.0005}) {
    for (const auto& kernel : kernels) {
      const char* const vertex = kernel.first;
      const char* const edge = kernel.second;
      const Stopping stopping{StoppingMeaning::probability, q};
      const std::vector<Graph> graphs = graphs_with_starts(stopping);
      const std::vector<Pair> pairs = some_pairs(graphs);
      const KernelSpec spec{Expression::parse(vertex), Expression::parse(edge), stopping};
      std::vector<PairResult> expected(pairs.size());
      make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {})->solve(pairs, expected);
      std::vector<PairResult> found(pairs.size());
      const CostModel cost(graphs);
      CertifiedSolver(graphs, spec, certified(BackendId::portable, 1e-12), cost).solve(pairs, found);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CAPTURE(vertex);
        CAPTURE(edge);
        CAPTURE(q);
        CHECK(relative_error(found[k].value, expected[k].value) <= found[k].error_bound + expected[k].error_bound);
        CHECK(found[k].error_bound <= (edge == many_turns ? 1e-3 : 1e-5));
      }
      // The reference counts the same rounding, and would hide it were it not counted here: once a step of a walk.
      const double most = std::ranges::max(found, {}, &PairResult::error_bound).error_bound;
      if (edge == many_turns) CHECK(most >= 4e-12 / q);
    }
  }
}

TEST_CASE("weights below the normal numbers are as those of a graph that is not scaled, where q is a probability") {
  std::vector<Edge> edges = cycle_edges(6);
  for (Edge& edge : edges) edge.weight = 1 + edge.i % 3;
  const Graph graph = labelled("whole weights", 7, edges, 1);
  const KernelSpec spec{Expression::parse("delta(kind,0.5)"), Expression::parse("gaussian(length,0.3)"),
                        Stopping::parse("probability:0.05")};
  for (const BackendId backend : iterating_backends()) {
    GramOptions options = certified(backend, 1e-9);
    const std::vector<Graph> graphs{graph, graph.scaled(5e-324), graph.scaled(0x1p1000)};
    const GramResult found = gram(graphs, spec, options);
    CAPTURE(backend_name(backend));
    for (std::size_t k = 0; k < found.pairs.size(); ++k) {
      CHECK(found.pairs[k].status == Status::converged);
      CHECK(relative_error(found.pairs[k].value, found.pairs[0].value) <= 2e-9);
    }
  }
}

TEST_CASE("solutions have the accuracy in each entry") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  const std::vector<Graph> graphs = graphs_with_starts(stopping);
  for (const KernelCase& kernel : kernel_cases()) {
    const KernelSpec spec = kernel.spec(stopping);
    for (const double accuracy : {1e-3, 1e-8}) {
      GramOptions options = certified(BackendId::automatic, accuracy);
      const NodewiseResult found = nodewise(graphs[3], graphs[5], spec, options);
      GramOptions exact;
      exact.backend = BackendId::reference;
      const NodewiseResult expected = nodewise(graphs[3], graphs[5], spec, exact);
      CAPTURE(kernel.name);
      CHECK(found.pair.status == Status::converged);
      for (std::size_t k = 0; k < expected.similarity.size(); ++k) {
        CHECK(relative_error(found.similarity[k], expected.similarity[k]) <= accuracy);
      }
    }
  }
}

TEST_CASE("with walks of at least one step what vertices have in common adds up to K, and is 0 where no walk begins") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  std::vector<Graph> graphs = graphs_with_starts(stopping);
  graphs.push_back(random_graph(6, 0.0, 3));  // without edges
  for (const KernelCase& kernel : kernel_cases()) {
    KernelSpec spec = kernel.spec(stopping);
    spec.shortest_walk = 1;
    for (const BackendId backend : {BackendId::automatic, BackendId::reference}) {
      const Graph& first = graphs[3];
      for (const Graph& second : {graphs[5], graphs.back()}) {
        const NodewiseResult found = nodewise(first, second, spec, certified(backend, 1e-8));
        CAPTURE(kernel.name);
        CAPTURE(second.name());
        const auto m = static_cast<std::size_t>(second.vertex_count());
        double sum = 0;
        for (std::size_t k = 0; k < found.similarity.size(); ++k) {
          sum += first.starting_probability()[k / m] * second.starting_probability()[k % m] * found.similarity[k];
        }
        CHECK(std::abs(sum - found.pair.value) <= 1e-8 * (found.pair.value + 0.0025));
        if (second.edge_count() == 0) CHECK(*std::ranges::max_element(found.similarity) <= 1e-10);
      }
    }
  }
}

TEST_CASE("where walks of a step are rare, what vertices have in common by them is exact in each entry") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  for (const char* stopping : {"weight:1e6", "probability:0.9999999"}) {
    for (const BackendId backend : iterating_backends()) {
      KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                      Stopping::parse(stopping)};
      spec.shortest_walk = 1;
      const NodewiseResult found = nodewise(graphs[0], graphs[1], spec, certified(backend, 1e-6));
      const NodewiseResult expected = nodewise(graphs[0], graphs[1], spec, certified(BackendId::reference, 1e-6));
      CAPTURE(stopping);
      CAPTURE(backend_name(backend));
      for (std::size_t k = 0; k < found.similarity.size(); ++k) {
        CHECK(std::abs(found.similarity[k] - expected.similarity[k]) <= 1e-6 * expected.similarity[k]);
        CHECK(expected.similarity[k] >= 0);
      }
    }
  }
}

TEST_CASE("the adjoint solution of graphs with weights far out of range is that of their own weights") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  const KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"), stopping};
  constexpr double factor = 1e-15;
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2)};
  const std::vector<Graph> light{graphs[0].scaled(factor), graphs[1].scaled(factor)};
  const auto adjoint = [&](std::span<const Graph> set) {
    const CostModel cost(set);
    CertifiedSolver solver(set, spec, certified(BackendId::automatic, 1e-6), cost, Purpose::solutions);
    const Pair pair{0, 1};
    std::vector<double> y(solver.unknowns(pair));
    const std::size_t begin = 0;
    PairResult result;
    solver.solve(Request{{&pair, 1}, RightHandSide::starting, {&begin, 1}}, Answer{{&result, 1}, y});
    CHECK(result.status == Status::converged);
    return y;
  };
  std::vector<double> of_light = adjoint(light);
  for (double& y : of_light) y *= factor * factor;
  CHECK(relative_error(of_light, adjoint(graphs)) <= 2e-6);
}

TEST_CASE("a rough value takes one system, and keeps to its bound") {
  for (const Stopping& stopping : stoppings()) {
    const std::vector<Graph> graphs = graphs_with_starts(stopping);
    const std::vector<Pair> pairs = some_pairs(graphs);
    for (const int walk : {0, 1}) {
      KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"), stopping};
      spec.shortest_walk = walk;
      std::vector<PairResult> expected(pairs.size());
      make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {})->solve(pairs, expected);
      GramOptions options = certified(BackendId::automatic, 0.05);
      options.lowering = Lowering::on_the_fly;
      const CostModel cost(graphs);
      CertifiedSolver rough(graphs, spec, options, cost, Purpose::rough);
      options.accuracy->value = 1e-6;
      CertifiedSolver fine(graphs, spec, options, cost);
      CHECK(rough.iterates());
      std::vector<PairResult> found(pairs.size());
      std::vector<PairResult> certain(pairs.size());
      rough.solve(pairs, found);
      fine.solve(pairs, certain);
      std::size_t within = 0;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CAPTURE(stopping.to_string());
        CAPTURE(walk);
        CAPTURE(pairs[k].first);
        CAPTURE(pairs[k].second);
        CHECK(std::abs(found[k].value - expected[k].value) <=
              found[k].error_bound * expected[k].value + 1e-12 * expected[k].value);
        CHECK(found[k].iterations <= certain[k].iterations);
        if (found[k].error_bound <= 0.05) ++within;
      }
      CHECK(2 * within > pairs.size());
      CHECK(rough.solved_again() == 0);
    }
  }
}

TEST_CASE("walks of at least one step: K without q² p×ᵀ κv, with a bound of its own") {
  for (const Stopping& stopping : stoppings()) {
    const std::vector<Graph> graphs = graphs_with_starts(stopping);
    const std::vector<Pair> pairs = some_pairs(graphs);
    // Solved step by step, and where kernels are constant by the closed form.
    for (const bool iterates : {true, false}) {
      KernelSpec spec = unlabelled().spec(stopping);
      if (iterates) {
        spec.vertex = Expression::parse("delta(element,0.5)");
        spec.edge = Expression::parse("gaussian(length,0.3)");
      }
      spec.shortest_walk = 1;
      std::vector<PairResult> expected(pairs.size());
      make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {})->solve(pairs, expected);
      std::vector<PairResult> found(pairs.size());
      const CostModel cost(graphs);
      GramOptions options = certified(BackendId::automatic, 1e-6);
      if (!iterates) {
        options.lowering = Lowering::closed_form;
        options.precision = Precision::float64;
      }
      CertifiedSolver solver(graphs, spec, options, cost);
      REQUIRE(solver.iterates() == iterates);
      solver.solve(pairs, found);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CAPTURE(stopping.to_string());
        CAPTURE(iterates);
        CAPTURE(pairs[k].first);
        CAPTURE(pairs[k].second);
        CHECK(found[k].status == Status::converged);
        // The rounding of sums is added to what is known: graphs without edges have no other error.
        const double q = stopping.q();
        const bool bounded = std::isfinite(expected[k].error_bound);
        const double known = (bounded ? expected[k].error_bound * expected[k].value : 0) + tolerance::sums * q * q;
        CHECK(std::abs(found[k].value - expected[k].value) <= found[k].error_bound * expected[k].value + known);
      }
    }
  }
}

TEST_CASE("a pair takes as many iterations among others as by itself") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  const std::vector<Graph> graphs = graphs_with_starts(stopping);
  const std::vector<Pair> pairs = some_pairs(graphs);
  const KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"), stopping};
  const CostModel cost(graphs);
  CertifiedSolver solver(graphs, spec, certified(BackendId::portable, 1e-6), cost);
  std::vector<PairResult> together(pairs.size());
  solver.solve(pairs, together);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    PairResult alone;
    solver.solve(std::span(pairs).subspan(k, 1), std::span(&alone, 1));
    CAPTURE(pairs[k].first);
    CAPTURE(pairs[k].second);
    CHECK(together[k].iterations == alone.iterations);
    CHECK(together[k].status == alone.status);
  }
}

TEST_CASE("starting weights that are 1 a vertex make K a sum, and weights like the degrees take one solve") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  const KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("delta(order,0.5)"), stopping};
  std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(12, 0.4, 2)};
  const GramOptions options = certified(BackendId::automatic, 1e-9);
  const GramResult means = gram(graphs, spec, options);
  Start::parse("ones").apply_to(graphs, stopping);
  const GramResult sums = gram(graphs, spec, options);
  CHECK(relative_error(sums.values[1], 17 * 12 * means.values[1]) <= 2e-9);
  Start::parse("degree").apply_to(graphs, stopping);
  const GramResult by_degree = gram(graphs, spec, options);
  CHECK(by_degree.pairs[1].status == Status::converged);
  CHECK(by_degree.pairs[1].iterations < sums.pairs[1].iterations);
  GramOptions exact;
  exact.backend = BackendId::reference;
  CHECK(relative_error(by_degree.values[1], gram(graphs, spec, exact).values[1]) <= 1e-9);
  Start::parse("attribute:charge").apply_to(graphs, stopping);
  CHECK(relative_error(gram(graphs, spec, options).values[1], gram(graphs, spec, exact).values[1]) <= 1e-9);
}

TEST_CASE("a normalised value has the accuracy that was asked for, or its pair says that it has not") {
  const Stopping stopping{StoppingMeaning::probability, 0.05};
  const KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.2)"), stopping};
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(12, 0.4, 2), random_graph(9, 0.4, 3)};
  GramOptions options = certified(BackendId::automatic, 1e-4);
  options.normalize = true;
  const GramResult found = gram(graphs, spec, options);
  const std::vector<double> bounds = error_bounds(found, true);
  GramOptions exact;
  exact.backend = BackendId::reference;
  exact.normalize = true;
  const GramResult expected = gram(graphs, spec, exact);
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    CHECK(std::abs(found.values[k] - expected.values[k]) <= bounds[k] * expected.values[k] + tolerance::sums);
    CHECK(bounds[k] <= 1e-4);
  }
  CHECK(largest_error(found, true) == *std::ranges::max_element(bounds));
  const std::vector<double> of_values = error_bounds(found, false);
  CHECK(largest_error(found, false) == *std::ranges::max_element(of_values));
  KernelSpec long_walks = spec;
  long_walks.vertex = Expression::parse("0.9999+0.0001*delta(element,0.5)");
  long_walks.stopping = {StoppingMeaning::probability, 0.0002};
  for (const double accuracy : {1e-3, 1e-6, 1e-12}) {
    CAPTURE(accuracy);
    const PreparedSet set(graphs, certified(BackendId::portable, accuracy));
    const SetAnswer answer = set.solve(long_walks, {.normalize = true});
    for (std::size_t k = 0; k < answer.values.size(); ++k) {
      CHECK((answer.results[k].status == Status::converged) == (answer.error_bounds[k] <= accuracy));
    }
  }
}

TEST_CASE("what an accuracy cannot be is refused") {
  const std::vector<Graph> graphs{random_graph(5, 0.5, 1)};
  const KernelSpec spec{Expression::parse("1"), Expression::parse("1"), {StoppingMeaning::probability, 0.05}};
  CHECK(message_of([&] { gram(graphs, spec, certified(BackendId::automatic, 0.1)); }) ==
        "accuracy 0.1: allowed is a number from 1e-12 to 0.001");
  CHECK(message_of([] { Accuracy::parse("fine"); }) ==
        "accuracy 'fine': allowed is a number from 1e-12 to 0.001, such as 1e-6, or estimated:1e-6");
  CHECK(message_of([] { Start::parse("middle"); }) ==
        "start 'middle': allowed is uniform, ones, degree, or attribute:NAME");
  std::vector<Graph> bare_graphs{bare("plain", 3, path_edges(3))};
  CHECK(message_of([&] { Start::parse("attribute:charge").apply_to(bare_graphs, spec.stopping); }) ==
        "graph 'plain' has no vertex attribute 'charge', by which its walks start");
  KernelSpec longer = spec;
  longer.shortest_walk = 1;
  CHECK(message_of([&] { gram(graphs, longer); }) ==
        "walks of no step are left out with a certified accuracy only; allowed is to set one");
}

TEST_CASE("values of walks of at least one step are proven however few there are, and 0 where κe is 0") {
  const std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2), random_graph(12, 0.3, 3),
                                  random_graph(16, 0.9, 4)};
  const std::vector<Pair> all{{0, 1}, {1, 2}, {2, 3}, {3, 3}};
  for (const char* stopping : {"weight:1e6", "weight:0.3", "probability:0.9999999", "probability:0.05"}) {
    for (const char* edge :
         {"gaussian(length,0.3)", "1e-9*delta(order,0.5)", "1e-30", "delta(length,0)*delta(order,0)"}) {
      KernelSpec spec{Expression::parse("delta(element,0.5)"), Expression::parse(edge), Stopping::parse(stopping)};
      spec.shortest_walk = 1;
      CAPTURE(stopping);
      CAPTURE(edge);
      for (const Backend& backend : backends()) {
        if (!backend.available) continue;
        CAPTURE(backend.name);
        for (const double accuracy : {1e-6, 1e-10}) {
          CAPTURE(accuracy);
          GramOptions options = certified(backend.id, accuracy);
          const CostModel cost(graphs);
          CertifiedSolver solver(graphs, spec, options, cost);
          std::vector<PairResult> found(all.size());
          solver.solve(all, found);
          for (std::size_t k = 0; k < all.size(); ++k) {
            const auto exact = static_cast<double>(reference::extended_value(
                graphs[static_cast<std::size_t>(all[k].first)], graphs[static_cast<std::size_t>(all[k].second)], spec));
            CHECK(found[k].status == Status::converged);
            CHECK(found[k].error_bound <= accuracy);
            CHECK(std::abs(found[k].value - exact) <= (found[k].error_bound + 1e-15) * exact);
          }
        }
      }
    }
  }
}
