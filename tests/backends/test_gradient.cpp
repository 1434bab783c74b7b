// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by every parameter: the reference's against differences of its values, and all others against the reference's.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/certified_solver.hpp>
#include <octile/gradient.hpp>
#include <octile/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/differences.hpp"
#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<KernelSpec> differentiable_kernels() {
  const Stopping weight{StoppingMeaning::weight, 0.3};
  const Stopping probability{StoppingMeaning::probability, 0.05};
  std::vector<KernelSpec> kernels;
  const auto add = [&kernels](const char* vertex, const char* edge, const Stopping& stopping) {
    kernels.push_back({Expression::parse(vertex), Expression::parse(edge), stopping});
    kernels.push_back(kernels.back());
    kernels.back().shortest_walk = 1;
  };
  for (const Stopping& stopping : {weight, probability}) {
    add("1", "1", stopping);
    add("0.7", "0.4", stopping);
    add("0.2+0.3*0.5+0.1*1", "0.2*0.3+0.5*0.4+0.2", stopping);
    add("0.2*delta(element,0.5)+0.5*delta(element,0.5)", "0.3*(0.5*gaussian(length,0.3))+0.6*gaussian(length,0.3)",
        stopping);
    add("delta(element,0.5)", "gaussian(length,0.3)", stopping);
    add("delta(element,0.5)*gaussian(charge,0.4)", "0.2*delta(order,0.3)+0.7*rational(length,0.4,2)", stopping);
    add("0.1+0.6*rational(charge,0.4,1.5)", "wendland(length,0.9,2)", stopping);
    add("0.3*delta(kind,0.2)+0.7*(0.2+0.5*delta(element,0.4))", "matern(length,0.4,1.5)*periodic(length,0.9,1.7)",
        stopping);
    add("normalize(2*delta(element,0.4)+3*gaussian(charge,0.5)*0.7)",
        "power(0.3*delta(order,0.3)+0.6*rational(length,0.4,2),2)*normalize(delta(bond,0.5)+2)", stopping);
    add("normalize(0.4+convolution(sizes,gaussian(_,0.4)))*power(rational(charge,0.8,0.7),1.5)",
        "normalize(0.2+0.5*dot(profile)+power(convolution(parts,gaussian(_,0.5)),2))*(0.5+0.4*tanimoto(words))",
        stopping);
    add("convolution(tags,delta(_,0.4))", "0.5*convolution(parts,gaussian(_,0.5))+0.4*delta(bond,0.3)", stopping);
  }
  return kernels;
}

std::vector<Graph> some_graphs() {
  std::vector<Graph> graphs{
      random_graph(9, 0.4, 1), random_graph(7, 0.5, 2), random_graph(12, 0.3, 3),
      labelled("two parts and a vertex", 8, {{0, 1, 0.5}, {1, 2, 2.0}, {3, 4, 1.0}, {4, 5, 0.25}}, 4)};
  graphs[1].set_starting_weights({1, 2, 3, 4, 5, 6, 7});
  graphs[2].set_starting_weights({1, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0});
  return graphs;
}

const std::vector<Pair> pairs{{0, 1}, {1, 2}, {0, 3}, {2, 2}, {3, 1}};

/// Derivatives of each of these pairs, and their results.
std::vector<double> solve_derivatives(PairSolver& solver, const std::vector<Pair>& asked,
                                      std::vector<PairResult>& results) {
  results.assign(asked.size(), {});
  std::vector<double> derivatives(asked.size() * solver.parameter_count());
  Request request{asked};
  request.derivatives = Derivatives::each;
  Answer answer{results};
  answer.derivatives = derivatives;
  solver.solve(request, answer);
  return derivatives;
}

/// Derivatives of all `pairs`, which converge.
std::vector<double> derivatives_by(PairSolver& solver) {
  std::vector<PairResult> results;
  std::vector<double> derivatives = solve_derivatives(solver, pairs, results);
  for (const PairResult& result : results) CHECK(result.status == Status::converged);
  return derivatives;
}

std::vector<double> reference_values(const std::vector<Graph>& graphs, const KernelSpec& kernel) {
  std::vector<PairResult> results(pairs.size());
  make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {})->solve(pairs, results);
  std::vector<double> values(results.size());
  std::ranges::transform(results, values.begin(), &PairResult::value);
  return values;
}

}  // namespace

TEST_CASE("parameters have names that the expression shows, and values that can be replaced") {
  const KernelSpec kernel{Expression::parse("0.3*delta(kind,0.2)+0.7*delta(element,0.4)"),
                          Expression::parse("wendland(length,0.9)*rational(\"bond length\",0.4,2)"),
                          {StoppingMeaning::probability, 0.05}};
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Parameter& parameter : parameters(kernel)) {
    names.push_back(parameter.name);
    values.push_back(parameter.value);
  }
  CHECK(names == std::vector<std::string>{"vertex.weight", "vertex.delta(kind)", "vertex.weight#2",
                                          "vertex.delta(element)", "edge.wendland(length).radius",
                                          "edge.rational(bond length).length", "edge.rational(bond length).alpha",
                                          "q"});
  CHECK(values == std::vector<double>{0.3, 0.2, 0.7, 0.4, 0.9, 0.4, 2, 0.05});
  values[1] = 0.25;
  values[7] = 0.1;
  const KernelSpec changed = with_parameters(kernel, values);
  CHECK(changed.vertex.text() == "0.3*delta(kind, 0.25)+0.7*delta(element, 0.4)");
  CHECK(changed.edge.text() == "wendland(length, 0.9, 1, 3)*rational(\"bond length\", 0.4, 2)");
  CHECK(changed.stopping.q() == 0.1);
  CHECK(message_of([&] { with_parameters(kernel, std::vector<double>(3, 0.5)); }) ==
        "3 values for the parameters of a kernel that has 8");
  values[0] = 0.9;
  CHECK(message_of([&] { with_parameters(kernel, values); }).find("allowed") != std::string::npos);
}

TEST_CASE("the reference's derivatives are those of its values, by central differences") {
  const std::vector<Graph> graphs = some_graphs();
  for (const KernelSpec& kernel : differentiable_kernels()) {
    CAPTURE(text_of(kernel));
    const std::vector<Parameter> of_kernel = parameters(kernel);
    const auto solver = make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {});
    REQUIRE(solver->parameter_count() == of_kernel.size());
    const std::vector<double> derivatives = derivatives_by(*solver);
    const std::vector<double> values = reference_values(graphs, kernel);
    for (std::size_t t = 0; t < of_kernel.size(); ++t) {
      CAPTURE(of_kernel[t].name);
      const std::vector<double> differences = central_differences(
          kernel, t, [&graphs](const KernelSpec& moved) { return reference_values(graphs, moved); });
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const double derivative = derivatives[k * of_kernel.size() + t];
        const double scale = std::abs(derivative) + 1e-3 * values[k] / of_kernel[t].value;
        CHECK(std::abs(derivative - differences[k]) <= 1e-7 * scale);
      }
    }
  }
}

TEST_CASE("every backend's derivatives are the reference's, in float32 to 1e-3, in float64 to 1e-7") {
  const std::vector<Graph> graphs = some_graphs();
  const CostModel cost(graphs);
  for (const KernelSpec& kernel : differentiable_kernels()) {
    CAPTURE(text_of(kernel));
    const auto judge = make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {});
    const std::vector<double> expected = derivatives_by(*judge);
    const std::vector<double> values = reference_values(graphs, kernel);
    const std::vector<Parameter> of_kernel = parameters(kernel);
    for (const Backend& backend : backends()) {
      if (backend.exact || !backend.available) continue;
      for (const auto& asked :
           {std::pair(1e-6, std::optional<Precision>()), std::pair(1e-10, std::optional<Precision>()),
            std::pair(1e-6, std::optional(Precision::float64))}) {
        const double accuracy = asked.first;
        const std::optional<Precision> precision = asked.second;
        GramOptions options;
        options.backend = backend.id;
        options.accuracy = Accuracy{Accuracy::Kind::certified, accuracy};
        options.precision = precision;
        CertifiedSolver solver(graphs, kernel, options, cost, Purpose::derivatives);
        const std::vector<double> found = derivatives_by(solver);
        const bool coarse = accuracy > 1e-8 && !precision;
        CAPTURE(backend.name);
        CAPTURE(accuracy);
        CAPTURE(coarse);
        for (std::size_t k = 0; k < found.size(); ++k) {
          const Parameter& parameter = of_kernel[k % of_kernel.size()];
          CAPTURE(parameter.name);
          // One that nearly cancels is as exact as K / parameter is: to 3e-5 of that here, where 1e-4 is promised, or to 1e-9.
          const double share = coarse ? 3e-2 : 1e-2;
          const double scale = std::abs(expected[k]) + share * values[k / of_kernel.size()] / parameter.value;
          CHECK(std::abs(found[k] - expected[k]) <= (coarse ? 1e-3 : 1e-7) * scale);
        }
      }
    }
  }
}

namespace {

/// Derivatives of some pairs by a certified solver to 1e-6, beside the reference's: each to 1e-3 of K / parameter, all pairs converged.
void check_beside_reference(const std::vector<Graph>& graphs, const KernelSpec& kernel, const std::vector<Pair>& some) {
  CAPTURE(text_of(kernel));
  const std::vector<Parameter> of_kernel = parameters(kernel);
  std::vector<PairResult> exact;
  const std::vector<double> expected =
      solve_derivatives(*make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {}), some, exact);
  const CostModel cost(graphs);
  for (const Backend& backend : backends()) {
    if (backend.exact || !backend.available) continue;
    CAPTURE(backend.name);
    GramOptions options;
    options.backend = backend.id;
    options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-6};
    std::vector<PairResult> results;
    CertifiedSolver solver(graphs, kernel, options, cost, Purpose::derivatives);
    const std::vector<double> found = solve_derivatives(solver, some, results);
    for (std::size_t k = 0; k < found.size(); ++k) {
      CAPTURE(k);
      const std::size_t pair = k / of_kernel.size();
      CHECK(results[pair].status == Status::converged);
      CHECK(std::abs(found[k] - expected[k]) <= 1e-3 * exact[pair].value / of_kernel[k % of_kernel.size()].value);
    }
  }
}

}  // namespace

TEST_CASE("derivatives of graphs whose weights lie six orders apart are right, not only the values") {
  std::vector<Graph> graphs;
  for (const std::int32_t n : {9, 7}) {
    std::vector<Edge> edges = random_edges(n, 0.5, static_cast<std::uint64_t>(n));
    for (std::size_t e = 0; e < edges.size(); ++e) edges[e].weight = e % 2 == 0 ? 1 : 1e-6;
    graphs.push_back(labelled("every second edge", n, edges, static_cast<std::uint64_t>(n)));
  }
  check_beside_reference(graphs,
                         {Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)},
                         {{0, 0}, {0, 1}, {1, 1}});
}

TEST_CASE("derivatives by many parameters of edge kernels with too many labels for a table are the reference's") {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) graphs.push_back(random_graph(seed < 4 ? 30 : 16, 0.4, seed));
  const char* const of_five_factors =
      "(0.1+0.2*gaussian(length,0.1))*(0.3+0.4*gaussian(length,0.3))*(0.1+0.5*gaussian(length,0.5))*(0.4+0.5*delta("
      "order,0.2))*(0.7+0.2*rational(length,1,2))";
  for (const char* edge :
       {"0.1+0.2*gaussian(length,0.3)+0.3*gaussian(length,0.8)*delta(order,0.4)+0.2*rational(length,0.4,2)",
        "power(0.4*gaussian(length,0.3)+0.5*delta(order,0.3)*matern(length,0.5,1.5),2)", of_five_factors,
        "0.1+0.2*gaussian(length,0.1)+0.3*gaussian(length,0.3)+0.2*matern(length,0.8,1.5)",
        "0.3*gaussian(length,0.8)*delta(order,0.4)+0.2*wendland(length,2,1)",
        "0.6*gaussian(length,0.3)*matern(length,0.9,0.5)*delta(order,0.4)+0.3*wendland(length,2,1)",
        "0.3*gaussian(length,0.3)+0.5*convolution(parts,gaussian(_,0.5))"}) {
    for (const Stopping& stopping :
         {Stopping(StoppingMeaning::probability, 0.05), Stopping(StoppingMeaning::weight, 0.3)}) {
      check_beside_reference(graphs, {Expression::parse("delta(element,0.5)"), Expression::parse(edge), stopping},
                             {{0, 1}, {0, 5}, {7, 23}, {9, 9}});
    }
  }
}

TEST_CASE(
    "derivatives of dense graphs are formed of their starts, without a solve, and are those of solves in float64") {
  const auto native = [](const Backend& backend) { return backend.id == BackendId::cuda && backend.available; };
  if (std::ranges::none_of(backends(), native)) return;  // of that backend alone
  const std::vector<Graph> graphs = graphs_near_few_directions();
  const CostModel cost(graphs);
  std::vector<Pair> asked(32);
  for (std::int32_t i = 0; i < 32; ++i) asked[static_cast<std::size_t>(i)] = {i, (7 * i + 3) % 32};
  for (const auto& [vertex, edge] : {std::pair("1", "gaussian(length,0.3)"), std::pair("delta(element,0.9)", "0.9")}) {
    for (const StoppingMeaning meaning : {StoppingMeaning::probability, StoppingMeaning::weight}) {
      const KernelSpec kernel{Expression::parse(vertex), Expression::parse(edge), Stopping(meaning, 0.05)};
      CAPTURE(text_of(kernel));
      const std::vector<Parameter> of_kernel = parameters(kernel);
      GramOptions options;
      options.backend = BackendId::cuda;
      options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-6};
      std::vector<PairResult> results;
      CertifiedSolver by_starts(graphs, kernel, options, cost, Purpose::derivatives);
      const std::vector<double> found = solve_derivatives(by_starts, asked, results);
      options.precision = Precision::float64;
      std::vector<PairResult> exact;
      CertifiedSolver in_double(graphs, kernel, options, cost, Purpose::derivatives);
      const std::vector<double> expected = solve_derivatives(in_double, asked, exact);
      std::size_t unsolved = 0;
      for (std::size_t k = 0; k < asked.size(); ++k) {
        CAPTURE(k);
        CHECK(results[k].status == Status::converged);
        CHECK(results[k].value == doctest::Approx(exact[k].value).epsilon(2e-6));
        unsolved += results[k].iterations == 0 ? 1 : 0;
        for (std::size_t t = 0; t < of_kernel.size(); ++t) {
          CAPTURE(of_kernel[t].name);
          const double off = std::abs(found[k * of_kernel.size() + t] - expected[k * of_kernel.size() + t]);
          CHECK(off <= 1e-4 * exact[k].value / of_kernel[t].value);
        }
      }
      const bool near_few_directions = kernel.vertex.text() == "1";
      if (near_few_directions) CHECK(4 * unsolved >= 3 * asked.size());
    }
  }
}

TEST_CASE("a pair whose derivatives are beyond the numbers is no converged one") {
  std::vector<Graph> graphs;
  for (const std::int32_t n : {6, 5}) {
    std::vector<Edge> edges = random_edges(n, 0.6, static_cast<std::uint64_t>(n));
    std::vector<double> far;
    for (std::size_t e = 0; e < edges.size(); ++e) far.push_back(1e120 * (1 + static_cast<double>(e)));
    graphs.push_back(Graph::from_edges("far", n, std::move(edges), {}, {{"far", far}}));
  }
  // The period's derivative is of the size of a label divided by its square.
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("0.5+0.5*periodic(far,1,3e-100)"),
                          Stopping(StoppingMeaning::probability, 0.1)};
  const std::vector<Pair> asked{{0, 0}, {0, 1}};
  const std::size_t count = parameters(kernel).size();
  GramOptions options;
  options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-6};
  std::vector<PairResult> results;
  const CostModel cost(graphs);
  CertifiedSolver solver(graphs, kernel, options, cost, Purpose::derivatives);
  const std::vector<double> derivatives = solve_derivatives(solver, asked, results);
  for (std::size_t k = 0; k < asked.size(); ++k) {
    CAPTURE(k);
    const std::span<const double> of_pair = std::span(derivatives).subspan(k * count, count);
    const bool finite = std::ranges::all_of(of_pair, [](double slope) { return std::isfinite(slope); });
    CHECK_FALSE(finite);
    CHECK(results[k].status != Status::converged);
  }
}

TEST_CASE("derivatives of rare walks and of weights far apart are the reference's, or their pair is no converged one") {
  std::vector<Graph> graphs = some_graphs();
  for (const std::uint64_t seed : {1, 2}) {
    std::vector<Edge> edges = random_edges(9, 0.4, seed);
    Random random(seed);
    for (Edge& edge : edges) edge.weight = std::pow(10.0, 12 * random.uniform() - 6);
    graphs.push_back(labelled("weights over twelve orders", 10, edges, seed));
  }
  graphs.push_back(random_graph(8, 0.5, 3).scaled(1e-200));
  const std::vector<Pair> all{{0, 0}, {0, 1}, {2, 3}, {4, 4}, {4, 5}, {0, 5}, {5, 6}, {1, 6}};
  std::size_t converged = 0;
  std::size_t count = 0;
  for (const char* stopping :
       {"probability:0.9", "probability:0.999999", "probability:0.0005", "weight:1e5", "weight:1e-6"}) {
    for (const char* vertex : {"delta(element,0.5)", "1e-30", "0.1+0.6*rational(charge,0.4,1.5)"}) {
      for (const int shortest_walk : {0, 1}) {
        KernelSpec kernel{Expression::parse(vertex), Expression::parse("gaussian(length,0.3)"),
                          Stopping::parse(stopping)};
        kernel.shortest_walk = shortest_walk;
        const std::size_t parameter_count = parameters(kernel).size();
        const CostModel cost(graphs);
        std::vector<PairResult> exact;
        const std::vector<double> expected = solve_derivatives(
            *make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {}), all, exact);
        for (const double accuracy : {1e-3, 1e-6, 1e-10}) {
          GramOptions options;
          options.accuracy = Accuracy{Accuracy::Kind::certified, accuracy};
          std::vector<PairResult> results;
          CertifiedSolver solver(graphs, kernel, options, cost, Purpose::derivatives);
          const std::vector<double> found = solve_derivatives(solver, all, results);
          for (std::size_t k = 0; k < found.size(); ++k) {
            const std::size_t pair = k / parameter_count;
            const Parameter parameter = parameters(kernel)[k % parameter_count];
            if (k % parameter_count == 0) {
              ++count;
              converged += results[pair].status == Status::converged ? 1 : 0;
            }
            // What the reference knows of K with the walks of no step, it knows of a derivative.
            if (results[pair].status != Status::converged || exact[pair].error_bound > 1e-9) continue;
            CAPTURE(text_of(kernel));
            CAPTURE(accuracy);
            CAPTURE(pair);
            CAPTURE(parameter.name);
            // A pair is converged whose derivatives are off by less than ten times what they are meant to be, relative to K / parameter.
            const bool coarse = accuracy > 1e-8;
            const double scale = std::abs(expected[k]) + (coarse ? 1 : 3e-2) * exact[pair].value / parameter.value;
            CHECK(std::abs(found[k] - expected[k]) <= (coarse ? 1e-3 : 1e-7) * scale);
          }
        }
      }
    }
  }
  MESSAGE(converged, " of ", count, " pairs converged");
  CHECK(converged >= count / 2);
}

TEST_CASE("derivatives of a Gram matrix, normalised or not, and their weighted sum") {
  const std::vector<Graph> graphs = some_graphs();
  const std::size_t size = graphs.size();
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"),
                          Expression::parse("gaussian(length,0.3)"),
                          {StoppingMeaning::probability, 0.05}};
  Random random(5);
  std::vector<double> weights(size * size);
  for (double& weight : weights) weight = random.uniform() - 0.5;
  for (const bool normalized : {false, true}) {
    CAPTURE(normalized);
    GramOptions options;
    options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-10};
    options.normalize = normalized;
    const GramGradient gradient = gram_gradient(graphs, kernel, options);
    const std::size_t count = gradient.parameters.size();
    std::vector<double> values;
    for (const Parameter& parameter : gradient.parameters) values.push_back(parameter.value);
    std::vector<double> sums(count, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
      GramOptions exact;
      exact.backend = BackendId::reference;
      exact.normalize = normalized;
      const double step = 1e-4 * values[t];
      const auto shifted = [&](double by) {
        std::vector<double> moved = values;
        moved[t] += by;
        return gram(graphs, with_parameters(kernel, moved), exact).values;
      };
      const std::vector<double> above = shifted(step);
      const std::vector<double> below = shifted(-step);
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          const double difference = (above[i * size + j] - below[i * size + j]) / (2 * step);
          const double found = gradient.derivatives[pair_index(std::min(i, j), std::max(i, j), size) * count + t];
          CHECK(std::abs(found - difference) <= 1e-6 * above[i * size + j] / values[t]);
          sums[t] += weights[i * size + j] * found;
        }
      }
    }
    const WeightedGradient weighted = weighted_gradient(graphs, kernel, weights, options);
    for (std::size_t t = 0; t < count; ++t)
      CHECK(std::abs(weighted.derivatives[t] - sums[t]) <= 1e-9 * std::abs(sums[t]));
    CHECK(weighted.gram.values == gradient.gram.values);
  }
}

TEST_CASE(
    "derivatives of a matrix by the reference are those of every other backend, with vertices without edges too") {
  const std::vector<Graph> graphs{labelled("a salt", 6, {{0, 1, 3.0}, {1, 2, 2.5}, {1, 3, 4.0}, {3, 4, 3.5}}, 4),
                                  random_graph(5, 0.6, 2)};
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"),
                          Expression::parse("gaussian(length,0.3)"),
                          {StoppingMeaning::probability, 0.05}};
  const auto of = [&](BackendId backend) {
    GramOptions options;
    options.backend = backend;
    options.accuracy = Accuracy{.value = 1e-10};
    return gram_gradient(graphs, kernel, options);
  };
  const GramGradient judged = of(BackendId::reference);
  const GramGradient found = of(BackendId::portable);
  for (const PairResult& pair : judged.gram.pairs) CHECK(pair.status == Status::converged);
  REQUIRE(judged.derivatives.size() == found.derivatives.size());
  for (std::size_t k = 0; k < judged.derivatives.size(); ++k) {
    CHECK(std::abs(judged.derivatives[k] - found.derivatives[k]) <= 1e-7 * std::abs(judged.derivatives[k]));
  }
}

TEST_CASE("derivatives are refused where there are none") {
  const std::vector<Graph> graphs = some_graphs();
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("1"), {StoppingMeaning::weight, 0.1}};
  GramOptions options;
  options.accuracy = Accuracy{Accuracy::Kind::estimated, 1e-6};
  CHECK(message_of([&] { gram_gradient(graphs, kernel, options); }) ==
        "derivatives are formed with a proven accuracy only; allowed is to set one that is not estimated");
  CHECK(message_of([&] { weighted_gradient(graphs, kernel, std::vector<double>(3), {}); }) ==
        "3 weights for a Gram matrix of 4 graphs; allowed is one a value, 16");
  const auto plain = make_pair_solver(BackendId::portable, graphs, kernel, Precision::float64, {});
  std::vector<PairResult> results(pairs.size());
  Request request{pairs};
  request.derivatives = Derivatives::each;
  CHECK(message_of([&] { plain->solve(request, Answer{results}); }) ==
        "this solver has no derivatives; allowed is the reference, or a solver with an accuracy");
}
