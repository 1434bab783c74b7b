// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of weighted sums of node-wise similarities: the reference's against differences of its solutions, all others against it.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/gram.hpp>
#include <octile/parameters.hpp>
#include <octile/prepared_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "common/differences.hpp"
#include "common/graphs.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<KernelSpec> kernels() {
  std::vector<KernelSpec> all;
  for (const Stopping& stopping :
       {Stopping(StoppingMeaning::weight, 0.3), Stopping(StoppingMeaning::probability, 0.05)}) {
    for (const auto& [vertex, edge] :
         {std::pair("0.7", "0.4"), std::pair("delta(element,0.5)", "gaussian(length,0.3)"),
          std::pair("delta(element,0.5)*gaussian(charge,0.4)", "0.2*delta(order,0.3)+0.7*rational(length,0.4,2)")}) {
      for (const int shortest_walk : {0, 1}) {
        all.push_back({Expression::parse(vertex), Expression::parse(edge), stopping});
        all.back().shortest_walk = shortest_walk;
      }
    }
  }
  return all;
}

std::vector<Graph> some_graphs() {
  std::vector<Graph> graphs{
      random_graph(9, 0.4, 1), random_graph(7, 0.5, 2),
      labelled("two parts and a vertex", 8, {{0, 1, 0.5}, {1, 2, 2.0}, {3, 4, 1.0}, {4, 5, 0.25}}, 4)};
  graphs[1].set_starting_weights({1, 0, 3, 4, 5, 6, 7});
  return graphs;
}

const std::vector<Pair> some_pairs{{0, 1}, {1, 0}, {2, 2}, {2, 1}};

/// Weights of either sign and some zeros, one for each number that is asked for of the vertices of these pairs.
std::vector<double> some_weights(std::span<const Graph> graphs, NodeOutput output) {
  Random random(7);
  std::vector<double> weights;
  for (const Pair pair : some_pairs) {
    const auto n = graphs[static_cast<std::size_t>(pair.first)].vertex_count();
    const auto m = graphs[static_cast<std::size_t>(pair.second)].vertex_count();
    for (std::int32_t k = 0; k < n * (output == NodeOutput::first ? 1 : m); ++k) {
      weights.push_back(k % 5 == 0 ? 0.0 : 2 * random.uniform() - 1);
    }
  }
  return weights;
}

SetAnswer solve_by(BackendId backend, std::span<const Graph> graphs, const KernelSpec& kernel,
                   const SetRequest& request, double accuracy, reorder::OrderId order = reorder::OrderId::natural) {
  GramOptions options;
  options.backend = backend;
  options.order = order;
  options.accuracy = Accuracy{Accuracy::Kind::certified, accuracy};
  return PreparedSet(graphs, options).solve(kernel, request);
}

/// Derivatives of the pairs by the reference solver itself.
std::vector<double> by_reference(std::span<const Graph> graphs, const KernelSpec& kernel,
                                 const std::vector<double>& weights) {
  const auto solver = make_pair_solver(BackendId::reference, graphs, kernel, Precision::float64, {});
  std::vector<std::size_t> begin;
  std::size_t length = 0;
  for (const Pair pair : some_pairs) {
    begin.push_back(length);
    length += solver->unknowns(pair);
  }
  std::vector<PairResult> results(some_pairs.size());
  std::vector<double> x(length);
  std::vector<double> derivatives(some_pairs.size() * solver->parameter_count());
  Request request{some_pairs, RightHandSide::stopping, begin};
  request.derivatives = Derivatives::each;
  request.node_weights = weights;
  Answer answer{results, x};
  answer.derivatives = derivatives;
  solver->solve(request, answer);
  return derivatives;
}

/// Σ w x of each pair, from the reference's solutions.
std::vector<double> sums_by_reference(std::span<const Graph> graphs, const KernelSpec& kernel,
                                      const std::vector<double>& weights) {
  std::vector<double> sums;
  std::size_t at = 0;
  GramOptions options;
  options.backend = BackendId::reference;
  options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-12};
  for (const Pair pair : some_pairs) {
    const NodewiseResult found = nodewise(graphs[static_cast<std::size_t>(pair.first)],
                                          graphs[static_cast<std::size_t>(pair.second)], kernel, options);
    double sum = 0;
    for (const double x : found.similarity) sum += weights[at++] * x;
    sums.push_back(sum);
  }
  return sums;
}

/// Σ |w| x of each pair, of which derivatives by a parameter are about this over the parameter.
std::vector<double> sizes_of(const SetAnswer& answer, const std::vector<double>& weights) {
  std::vector<double> sizes;
  for (std::size_t k = 0; k + 1 < answer.nodes_begin.size(); ++k) {
    double sum = 0;
    for (std::size_t at = answer.nodes_begin[k]; at < answer.nodes_begin[k + 1]; ++at) {
      sum += std::abs(weights[at]) * answer.nodes[at];
    }
    sizes.push_back(sum);
  }
  return sizes;
}

}  // namespace

TEST_CASE("the reference's derivatives of node-wise sums are those of its solutions, by central differences") {
  const std::vector<Graph> graphs = some_graphs();
  const std::vector<double> weights = some_weights(graphs, NodeOutput::pairs);
  for (const KernelSpec& kernel : kernels()) {
    CAPTURE(text_of(kernel));
    const std::vector<double> derivatives = by_reference(graphs, kernel, weights);
    const std::vector<Parameter> of_kernel = parameters(kernel);
    const std::vector<double> sums = sums_by_reference(graphs, kernel, weights);
    for (std::size_t t = 0; t < of_kernel.size(); ++t) {
      CAPTURE(of_kernel[t].name);
      const std::vector<double> differences = central_differences(
          kernel, t, [&](const KernelSpec& moved) { return sums_by_reference(graphs, moved, weights); });
      for (std::size_t k = 0; k < some_pairs.size(); ++k) {
        const double derivative = derivatives[k * of_kernel.size() + t];
        const double scale = std::abs(derivative) + 1e-2 * std::abs(sums[k]) / of_kernel[t].value;
        CHECK(std::abs(derivative - differences[k]) <= 1e-7 * scale);
      }
    }
  }
}

TEST_CASE("every backend's derivatives of node-wise sums are the reference's, in any order of the vertices") {
  const std::vector<Graph> graphs = some_graphs();
  const std::vector<double> weights = some_weights(graphs, NodeOutput::pairs);
  const SetRequest request{
      .pairs = some_pairs, .derivatives = Derivatives::each, .nodes = NodeOutput::pairs, .node_weights = weights};
  for (const KernelSpec& kernel : kernels()) {
    CAPTURE(text_of(kernel));
    const std::vector<double> expected = by_reference(graphs, kernel, weights);
    const std::vector<Parameter> of_kernel = parameters(kernel);
    for (const Backend& backend : backends()) {
      if (!backend.available) continue;
      CAPTURE(backend.name);
      for (const double accuracy : {1e-6, 1e-10}) {
        CAPTURE(accuracy);
        for (const reorder::OrderId order : {reorder::OrderId::natural, reorder::OrderId::rcm}) {
          const SetAnswer found = solve_by(backend.id, graphs, kernel, request, accuracy, order);
          const std::vector<double> sizes = sizes_of(found, weights);
          REQUIRE(found.derivatives.size() == expected.size());
          for (const PairResult& result : found.results) CHECK(result.status == Status::converged);
          for (std::size_t k = 0; k < expected.size(); ++k) {
            CAPTURE(of_kernel[k % of_kernel.size()].name);
            const double scale =
                std::abs(expected[k]) + sizes[k / of_kernel.size()] / of_kernel[k % of_kernel.size()].value;
            CHECK(std::abs(found.derivatives[k] - expected[k]) <= (accuracy > 1e-8 ? 1e-5 : 1e-9) * scale);
          }
        }
      }
    }
  }
}

TEST_CASE("derivatives of sums over the vertices of the first graph are those of all vertex pairs, weighted by p'") {
  const std::vector<Graph> graphs = some_graphs();
  const std::vector<double> of_first = some_weights(graphs, NodeOutput::first);
  std::vector<double> of_all;
  std::size_t at = 0;
  for (const Pair pair : some_pairs) {
    const Graph& second = graphs[static_cast<std::size_t>(pair.second)];
    for (std::int32_t i = 0; i < graphs[static_cast<std::size_t>(pair.first)].vertex_count(); ++i, ++at) {
      for (const double p : second.starting_probability()) of_all.push_back(of_first[at] * p);
    }
  }
  for (const KernelSpec& kernel : kernels()) {
    CAPTURE(text_of(kernel));
    const auto ask = [&](Derivatives derivatives, NodeOutput nodes, const std::vector<double>& weights) {
      return solve_by(BackendId::automatic, graphs, kernel,
                      {.pairs = some_pairs, .derivatives = derivatives, .nodes = nodes, .node_weights = weights}, 1e-10,
                      reorder::OrderId::rcm);
    };
    const SetAnswer expected = ask(Derivatives::each, NodeOutput::pairs, of_all);
    const SetAnswer found = ask(Derivatives::each, NodeOutput::first, of_first);
    const SetAnswer summed = ask(Derivatives::weighted, NodeOutput::first, of_first);
    const std::size_t count = found.parameters.size();
    REQUIRE(summed.derivatives.size() == count);
    for (std::size_t k = 0; k < expected.derivatives.size(); ++k) {
      CHECK(std::abs(found.derivatives[k] - expected.derivatives[k]) <= 1e-9 * (1 + std::abs(expected.derivatives[k])));
    }
    for (std::size_t t = 0; t < count; ++t) {
      double sum = 0;
      for (std::size_t k = 0; k < some_pairs.size(); ++k) sum += found.derivatives[k * count + t];
      CHECK(std::abs(summed.derivatives[t] - sum) <= 1e-14 * (1 + std::abs(sum)));
    }
  }
}

TEST_CASE("each number of a vertex pair has a bound of its error, which holds") {
  const std::vector<Graph> graphs = some_graphs();
  for (const KernelSpec& kernel : kernels()) {
    CAPTURE(text_of(kernel));
    for (const Backend& backend : backends()) {
      if (!backend.available) continue;
      CAPTURE(backend.name);
      for (const double accuracy : {1e-3, 1e-6, 1e-10}) {
        for (const NodeOutput output : {NodeOutput::pairs, NodeOutput::first}) {
          const SetRequest request{.pairs = some_pairs, .nodes = output};
          const SetAnswer found = solve_by(backend.id, graphs, kernel, request, accuracy);
          const SetAnswer exact = solve_by(BackendId::reference, graphs, kernel, request, 1e-12);
          REQUIRE(found.node_errors.size() == found.nodes.size());
          for (std::size_t k = 0; k < found.nodes.size(); ++k) {
            CHECK(std::abs(found.nodes[k] - exact.nodes[k]) <= found.node_errors[k] + exact.node_errors[k]);
            CHECK(found.node_errors[k] <= 1.01 * accuracy * found.nodes[k] + 1e-300);
          }
        }
      }
    }
  }
  GramOptions unproven;
  CHECK(PreparedSet(graphs, unproven).solve(kernels().front(), {.nodes = NodeOutput::first}).node_errors.empty());
}

TEST_CASE("derivatives of node-wise sums are proportional to the weights, however large or small these are") {
  const std::vector<Graph> graphs = some_graphs();
  const std::vector<double> weights = some_weights(graphs, NodeOutput::pairs);
  for (const KernelSpec& kernel : kernels()) {
    CAPTURE(text_of(kernel));
    const auto with = [&](double factor) {
      std::vector<double> scaled(weights);
      for (double& weight : scaled) weight *= factor;
      return solve_by(
          BackendId::automatic, graphs, kernel,
          {.pairs = some_pairs, .derivatives = Derivatives::each, .nodes = NodeOutput::pairs, .node_weights = scaled},
          1e-10);
    };
    const SetAnswer expected = with(1);
    for (const double factor : {0x1p530, 0x1p-660}) {
      const SetAnswer found = with(factor);
      for (const PairResult& result : found.results) CHECK(result.status == Status::converged);
      for (std::size_t k = 0; k < found.derivatives.size(); ++k)
        CHECK(found.derivatives[k] == factor * expected.derivatives[k]);
    }
  }
}

TEST_CASE("nothing is certain of a walk that underflows, and 0 is where no walk begins") {
  std::vector<Graph> graphs;
  for (const double length : {0.0, 40.0}) {
    graphs.push_back(Graph::from_edges("apart", 3, {{0, 1}}, {}, {{"length", std::vector<double>{length}}}));
  }
  KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length,1)"),
                    Stopping(StoppingMeaning::probability, 0.05)};
  kernel.shortest_walk = 1;
  const std::vector<Pair> one{{0, 1}};
  for (const NodeOutput output : {NodeOutput::pairs, NodeOutput::first}) {
    const SetAnswer found = solve_by(BackendId::automatic, graphs, kernel, {.pairs = one, .nodes = output}, 1e-6);
    CHECK(std::isinf(found.node_errors.front()));  // of two vertices that have an edge
    CHECK(found.nodes.back() == 0);                // of one that has none
    CHECK(found.node_errors.back() == 0);
  }
  const SetAnswer value = solve_by(BackendId::reference, graphs, kernel, {.pairs = one}, 1e-6);
  CHECK_FALSE(value.error_bounds.front() < 1);
}

TEST_CASE("weights of vertices that do not fit the request are refused in a line") {
  const std::vector<Graph> graphs = some_graphs();
  const KernelSpec kernel = kernels().front();
  const PreparedSet set(graphs, {});
  const std::vector<double> three(3, 1.0);
  CHECK(
      message_of([&] {
        set.solve(
            kernel,
            {.pairs = some_pairs, .derivatives = Derivatives::each, .nodes = NodeOutput::first, .node_weights = three});
      }) == "3 weights of vertices for 32 numbers of vertices; allowed is one each");
  CHECK(message_of([&] {
          set.solve(kernel, {.pairs = some_pairs, .nodes = NodeOutput::first, .node_weights = three});
        }).find("vertices have weights; allowed is that with node-wise values and derivatives") == 0);
  std::vector<double> infinite(32, 1.0);
  infinite[5] = std::numeric_limits<double>::infinity();
  CHECK(message_of([&] {
          set.solve(kernel, {.pairs = some_pairs,
                             .derivatives = Derivatives::each,
                             .nodes = NodeOutput::first,
                             .node_weights = infinite});
        }) == "the weight of vertex number 5 is inf; allowed are numbers that are finite");
}
