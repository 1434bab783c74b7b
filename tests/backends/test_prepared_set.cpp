// SPDX-License-Identifier: BSD-3-Clause
// Any pairs of a prepared set: what is asked of them is what whole Gram matrices and single pairs give.
#include <doctest/doctest.h>

#include <octile/gradient.hpp>
#include <octile/gram.hpp>
#include <octile/prepared_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "common/graphs.hpp"
#include "common/message_of.hpp"
#include "common/sanitized.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<Graph> some_graphs() {
  std::vector<Graph> graphs{random_graph(9, 0.4, 1), random_graph(7, 0.5, 2), random_graph(12, 0.3, 3),
                            random_graph(17, 0.3, 4), random_graph(1, 0.5, 5)};
  graphs[1].set_starting_weights({1, 2, 3, 4, 5, 6, 7});
  graphs[2].set_starting_weights({1, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0});
  return graphs;
}

KernelSpec kernel_of(double length, double q) {
  return {Expression::parse("delta(element,0.5)"),
          Expression::parse("gaussian(length," + std::to_string(length) + ")"),
          {StoppingMeaning::probability, q}};
}

GramOptions to_accuracy(double accuracy) {
  GramOptions options;
  options.accuracy = Accuracy{Accuracy::Kind::certified, accuracy};
  return options;
}

/// Pairs in no order, in both directions, one of them twice, one of a graph with itself.
const std::vector<Pair> pairs{{3, 1}, {0, 2}, {2, 2}, {1, 3}, {4, 0}, {0, 2}};

std::size_t place(Pair pair, std::size_t size) {
  const auto [first, second] = std::minmax(pair.first, pair.second);
  return pair_index(static_cast<std::size_t>(first), static_cast<std::size_t>(second), size);
}

std::vector<double> lengths_of(const Graph& graph) {
  return std::get<std::vector<double>>(graph.edge_labels().at("length"));
}

/// Σ weight · value of the reference's values.
double weighted_sum(const std::vector<Graph>& graphs, const KernelSpec& kernel, const std::vector<Pair>& some,
                    const std::vector<double>& weights, bool normalize) {
  GramOptions exact = to_accuracy(1e-12);
  exact.backend = BackendId::reference;
  const SetAnswer answer = PreparedSet(graphs, exact).solve(kernel, {.pairs = some, .normalize = normalize});
  return std::inner_product(weights.begin(), weights.end(), answer.values.begin(), 0.0);
}

/// A graph with other weights of its edges, lengths and starting weights.
Graph changed(const Graph& graph, std::vector<Edge> edges, std::vector<double> lengths, std::vector<double> starting) {
  LabelColumns labels = graph.edge_labels();
  labels["length"] = std::move(lengths);
  Graph copy = Graph::from_edges(graph.name(), graph.vertex_count(), std::move(edges), graph.vertex_labels(), labels);
  copy.set_starting_weights(std::move(starting));
  return copy;
}

/// Holds some derivatives by what graphs hold to differences: the first and the last edge and vertex of each graph.
void check_by_graphs(const std::vector<Graph>& graphs, const KernelSpec& kernel, const std::vector<Pair>& some,
                     const std::vector<double>& weights, bool normalize, const SetAnswer& answer) {
  const GraphDerivatives& found = answer.by_graphs;
  double size = 0;
  for (std::size_t k = 0; k < some.size(); ++k) size += std::abs(weights[k] * answer.values[k]);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    REQUIRE(found.vertex_begin[g + 1] - found.vertex_begin[g] == n);
    REQUIRE(found.edge_begin[g + 1] - found.edge_begin[g] == graph.edge_count());
    const std::vector<double> starting(graph.starting_probability().begin(), graph.starting_probability().end());
    const auto difference = [&](double step, const auto& change) {
      const auto at = [&](double by) {
        std::vector<Graph> moved = graphs;
        moved[g] = change(by);
        return weighted_sum(moved, kernel, some, weights, normalize);
      };
      return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
    };
    for (const std::size_t v : {std::size_t(0), n - 1}) {
      CAPTURE(v);
      const double step = starting[v] > 0 ? 1e-3 * starting[v] : 0;
      if (step == 0) continue;
      const double expected = difference(step, [&](double by) {
        std::vector<double> moved = starting;
        moved[v] += by;
        return changed(graph, graph.edges(), lengths_of(graph), moved);
      });
      CHECK(std::abs(found.starting[found.vertex_begin[g] + v] - expected) <=
            1e-7 * (std::abs(expected) + size / starting[v]));
    }
    if (graph.edge_count() == 0) continue;
    for (const std::size_t e : {std::size_t(0), graph.edge_count() - 1}) {
      CAPTURE(e);
      const double weight = graph.edges()[e].weight;
      const double by_weight = difference(1e-3 * weight, [&](double by) {
        std::vector<Edge> moved = graph.edges();
        moved[e].weight += by;
        return changed(graph, moved, lengths_of(graph), starting);
      });
      CHECK(std::abs(found.edge_weights[found.edge_begin[g] + e] - by_weight) <=
            1e-7 * (std::abs(by_weight) + size / weight));
      const double by_length = difference(1e-3, [&](double by) {
        std::vector<double> moved = lengths_of(graph);
        moved[e] += by;
        return changed(graph, graph.edges(), moved, starting);
      });
      CHECK(std::abs(found.edge_numbers[found.edge_begin[g] + e] - by_length) <=
            1e-7 * (std::abs(by_length) + 10 * size));
    }
  }
}

}  // namespace

TEST_CASE("values and bounds of a list of pairs are those of the Gram matrix, for one kernel after another") {
  const std::vector<Graph> graphs = some_graphs();
  const std::size_t size = graphs.size();
  for (const bool proven : {true, false}) {
    GramOptions options;
    if (proven) options = to_accuracy(1e-10);
    const PreparedSet set(graphs, options);
    for (const KernelSpec& kernel : {kernel_of(0.3, 0.05), kernel_of(0.8, 0.3)}) {
      for (const bool normalize : {false, true}) {
        CAPTURE(proven);
        CAPTURE(normalize);
        GramOptions whole = options;
        whole.normalize = normalize;
        const GramResult gram_of_all = gram(graphs, kernel, whole);
        const std::vector<double> bounds = error_bounds(gram_of_all, normalize);
        const SetAnswer answer = set.solve(kernel, {.pairs = pairs, .normalize = normalize});
        REQUIRE(answer.values.size() == pairs.size());
        REQUIRE(answer.results.size() == pairs.size());
        for (std::size_t k = 0; k < pairs.size(); ++k) {
          CAPTURE(k);
          const auto i = static_cast<std::size_t>(pairs[k].first);
          const auto j = static_cast<std::size_t>(pairs[k].second);
          const double expected = gram_of_all.values[i * size + j];
          CHECK(std::abs(answer.values[k] - expected) <= (proven ? 2e-10 : 1e-7) * expected);
          CHECK(answer.results[k].status == Status::converged);
          const double raw = gram_of_all.pairs[place(pairs[k], size)].value;
          CHECK(std::abs(answer.results[k].value - raw) <= (proven ? 2e-10 : 1e-7) * raw);
          if (proven) CHECK(answer.error_bounds[k] <= 1e-10);
          if (normalize && i == j) CHECK(answer.values[k] == 1);
          if (proven) CHECK(bounds[i * size + j] <= 2e-10);
        }
        const SetAnswer all = set.solve(kernel, {.normalize = normalize});
        REQUIRE(all.values.size() == size * (size + 1) / 2);
        for (std::size_t i = 0; i < size; ++i) {
          for (std::size_t j = i; j < size; ++j) {
            CHECK(all.values[pair_index(i, j, size)] == gram_of_all.values[i * size + j]);
            CHECK(all.error_bounds[pair_index(i, j, size)] == bounds[i * size + j]);
          }
        }
      }
    }
  }
}

TEST_CASE("derivatives of a list of pairs are those of the Gram matrix, and their weighted sum") {
  const std::vector<Graph> graphs = some_graphs();
  const KernelSpec kernel = kernel_of(0.3, 0.05);
  const PreparedSet set(std::vector<Graph>(graphs), to_accuracy(1e-10));
  Random random(7);
  std::vector<double> weights(pairs.size());
  for (double& weight : weights) weight = random.uniform() - 0.3;
  for (const bool normalize : {false, true}) {
    CAPTURE(normalize);
    GramOptions whole = to_accuracy(1e-10);
    whole.normalize = normalize;
    const GramGradient expected = gram_gradient(graphs, kernel, whole);
    const std::size_t count = expected.parameters.size();
    SetRequest request{.pairs = pairs, .normalize = normalize, .derivatives = Derivatives::each};
    const SetAnswer each = set.solve(kernel, request);
    REQUIRE(each.parameters.size() == count);
    REQUIRE(each.derivatives.size() == pairs.size() * count);
    std::vector<double> sums(count, 0.0);
    std::vector<double> sizes(count, 0.0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      for (std::size_t t = 0; t < count; ++t) {
        const double of_gram = expected.derivatives[place(pairs[k], graphs.size()) * count + t];
        const double found = each.derivatives[k * count + t];
        const double scale = std::abs(of_gram) + 1e-2 * each.values[k] / expected.parameters[t].value;
        CHECK(std::abs(found - of_gram) <= 1e-7 * scale);
        sums[t] += weights[k] * found;
        sizes[t] += std::abs(weights[k] * found);
      }
    }
    request.derivatives = Derivatives::weighted;
    request.weights = weights;
    const SetAnswer weighted = set.solve(kernel, request);
    REQUIRE(weighted.derivatives.size() == count);
    for (std::size_t t = 0; t < count; ++t) CHECK(std::abs(weighted.derivatives[t] - sums[t]) <= 1e-9 * sizes[t]);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      CHECK(std::abs(weighted.values[k] - each.values[k]) <= 1e-12 * each.values[k]);
  }
}

TEST_CASE("derivatives by what graphs hold are those of the reference's values, by central differences") {
  std::vector<Graph> graphs = some_graphs();
  graphs.push_back(labelled("two parts and a vertex", 8, {{0, 1, 0.5}, {1, 2, 2.0}, {3, 4, 1.0}, {4, 5, 0.25}}, 4));
  graphs.push_back(labelled("heavy", 5, {{0, 1, 3e6}, {1, 2, 2e6}, {2, 3, 1e6}, {3, 4, 4e6}}, 6));
  const std::vector<Pair> some{{3, 1}, {0, 2}, {2, 2}, {5, 0}, {6, 1}};
  const std::vector<double> weights{0.7, -1.3, 0.4, 2, 1.1};
  for (const char* const edge :
       {"gaussian(length,0.3)", "0.2*delta(order,0.3)+0.7*rational(length,0.4,2)*delta(bond,0.5)",
        "normalize(0.3*gaussian(length,0.3)+0.5*convolution(parts,gaussian(_,0.4)))"}) {
    for (const Stopping& stopping :
         {Stopping{StoppingMeaning::probability, 0.05}, Stopping{StoppingMeaning::weight, 0.3}}) {
      for (const int shortest_walk : {0, 1}) {
        for (const bool normalize : {false, true}) {
          for (const reorder::OrderId order : {reorder::OrderId::natural, reorder::OrderId::rcm}) {
            // For the sanitizers one choice for each kernel and meaning of q.
            const bool as_weight = stopping.meaning() == StoppingMeaning::weight;
            if (sanitized &&
                (order != reorder::OrderId::rcm || normalize != (shortest_walk == 1) || normalize != as_weight))
              continue;
            CAPTURE(edge);
            CAPTURE(stopping.to_string());
            CAPTURE(shortest_walk);
            CAPTURE(normalize);
            const KernelSpec kernel{Expression::parse("delta(element,0.5)"), Expression::parse(edge), stopping,
                                    shortest_walk};
            GramOptions options = to_accuracy(1e-10);
            options.order = order;
            const PreparedSet set(graphs, options);
            const SetAnswer answer = set.solve(kernel, {.pairs = some,
                                                        .normalize = normalize,
                                                        .derivatives = Derivatives::weighted,
                                                        .weights = weights,
                                                        .by_graphs = true,
                                                        .edge_attribute = "length"});
            check_by_graphs(graphs, kernel, some, weights, normalize, answer);
          }
        }
      }
    }
  }
}

TEST_CASE("vertices have what each pair's solution gives, in the order that they were given in") {
  const std::vector<Graph> graphs = some_graphs();
  const KernelSpec kernel = kernel_of(0.3, 0.05);
  for (const reorder::OrderId order : {reorder::OrderId::natural, reorder::OrderId::rcm}) {
    for (const bool proven : {true, false}) {
      GramOptions options;
      if (proven) options = to_accuracy(1e-9);
      options.order = order;
      options.memory = std::size_t(1) << 20;
      const PreparedSet set(graphs, options);
      const SetAnswer whole = set.solve(kernel, {.pairs = pairs, .normalize = true, .nodes = NodeOutput::pairs});
      const SetAnswer rows = set.solve(kernel, {.pairs = pairs, .nodes = NodeOutput::first});
      REQUIRE(whole.nodes_begin.size() == pairs.size() + 1);
      REQUIRE(rows.nodes_begin.size() == pairs.size() + 1);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CAPTURE(k);
        const Graph& first = graphs[static_cast<std::size_t>(pairs[k].first)];
        const Graph& second = graphs[static_cast<std::size_t>(pairs[k].second)];
        GramOptions exact;
        exact.backend = BackendId::reference;
        const std::vector<double> expected = nodewise(first, second, kernel, exact).similarity;
        const auto n = static_cast<std::size_t>(first.vertex_count());
        const auto m = static_cast<std::size_t>(second.vertex_count());
        REQUIRE(whole.nodes_begin[k + 1] - whole.nodes_begin[k] == n * m);
        REQUIRE(rows.nodes_begin[k + 1] - rows.nodes_begin[k] == n);
        double value = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < m; ++j) {
            CHECK(std::abs(whole.nodes[whole.nodes_begin[k] + i * m + j] - expected[i * m + j]) <=
                  1e-6 * expected[i * m + j]);
            sum += second.starting_probability()[j] * expected[i * m + j];
          }
          CHECK(std::abs(rows.nodes[rows.nodes_begin[k] + i] - sum) <= 1e-6 * sum);
          value += first.starting_probability()[i] * rows.nodes[rows.nodes_begin[k] + i];
        }
        CHECK(std::abs(value - rows.results[k].value) <= 1e-6 * value);
      }
    }
  }
}

TEST_CASE("node-wise solutions of more pairs than the memory holds are formed a few pairs at a time") {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 0; seed < 40; ++seed) graphs.push_back(random_graph(12, 0.3, seed + 1));
  GramOptions options;
  options.memory = std::size_t(1) << 20;
  const KernelSpec kernel = kernel_of(0.3, 0.05);
  const PreparedSet set(graphs, options);
  const SetAnswer answer = set.solve(kernel, {.nodes = NodeOutput::first});
  REQUIRE(answer.nodes.size() == 820 * 12);
  for (std::size_t k = 0; k < answer.values.size(); ++k) {
    const auto begin = answer.nodes.begin() + static_cast<std::ptrdiff_t>(answer.nodes_begin[k]);
    const double value = std::accumulate(begin, begin + 12, 0.0) / 12;
    CHECK(std::abs(value - answer.values[k]) <= 1e-9 * value);
  }
}

TEST_CASE("a graph without edges is like no other where walks of no step do not count") {
  std::vector<Graph> graphs = some_graphs();
  graphs.push_back(labelled("no edges", 3, {}, 8));
  KernelSpec kernel = kernel_of(0.3, 0.05);
  kernel.shortest_walk = 1;
  GramOptions options = to_accuracy(1e-6);
  const std::vector<Pair> some{{5, 0}, {5, 5}, {4, 5}, {0, 1}};
  const std::vector<double> ones(some.size(), 1.0);
  const PreparedSet set(graphs, options);
  SetRequest request{.pairs = some, .normalize = true, .derivatives = Derivatives::each};
  const SetAnswer answer = set.solve(kernel, request);
  CHECK(answer.values[0] == 0);
  CHECK(answer.values[1] == 1);
  CHECK(answer.values[2] == 0);
  CHECK(answer.values[3] > 0);
  for (const PairResult& result : answer.results) CHECK(result.status == Status::converged);
  for (const double bound : answer.error_bounds) CHECK(bound <= 2.1e-6);
  const std::size_t count = answer.parameters.size();
  for (std::size_t k = 0; k < 3 * count; ++k) CHECK(answer.derivatives[k] == 0);
  request.derivatives = Derivatives::weighted;
  request.weights = ones;
  request.by_graphs = true;
  const SetAnswer weighted = set.solve(kernel, request);
  for (std::size_t t = 0; t < count; ++t) {
    CHECK(weighted.derivatives[t] == doctest::Approx(answer.derivatives[3 * count + t]).scale(1e-300));
  }
  for (const double slope : weighted.by_graphs.starting) CHECK(std::isfinite(slope));
  options.normalize = true;
  for (const double value : gram(graphs, kernel, options).values) CHECK(std::isfinite(value));
}

TEST_CASE("a request that cannot be is refused in a line") {
  const std::vector<Graph> graphs = some_graphs();
  const PreparedSet set(graphs, {});
  const KernelSpec kernel = kernel_of(0.3, 0.05);
  const std::vector<Pair> beyond{{0, 1}, {2, 5}};
  CHECK(message_of([&] { set.solve(kernel, {.pairs = beyond}); }) == "pair 1 is of graphs 2 and 5; allowed is 0 to 4");
  CHECK(message_of([&] { set.solve(kernel, {.pairs = pairs, .derivatives = Derivatives::weighted}); }) ==
        "6 pairs and 0 weights; allowed is one a pair");
  CHECK(
      message_of(
          [&] { set.solve(kernel, {.pairs = pairs, .derivatives = Derivatives::each, .nodes = NodeOutput::first}); }) ==
      "derivatives and node-wise values are asked for at once; allowed is one of the two, or weights of the vertices");
  const std::vector<double> ones(pairs.size(), 1.0);
  const auto by_attribute = [&](std::string_view attribute) {
    return SetRequest{.pairs = pairs,
                      .derivatives = Derivatives::weighted,
                      .weights = ones,
                      .by_graphs = true,
                      .edge_attribute = attribute};
  };
  CHECK(message_of([&] { set.solve(kernel, by_attribute("order")); }) ==
        "derivatives by the attribute 'order', whose numbers the kernel does not read; it reads those of length");
  SetRequest unweighted = by_attribute("length");
  unweighted.derivatives = Derivatives::each;
  CHECK(message_of([&] { set.solve(kernel, unweighted); }) ==
        "derivatives by what graphs hold are asked for without weights; allowed is Derivatives::weighted");
  CHECK(message_of([&] { PreparedSet(std::vector<Graph>(), {}); }) ==
        "a set of no graphs; allowed is one graph or more");
}

TEST_CASE("a rectangle is its rows, one after the other") {
  const std::vector<Pair> found = rectangle(std::vector<std::int32_t>{4, 1}, std::vector<std::int32_t>{0, 2, 4});
  REQUIRE(found.size() == 6);
  CHECK(found[1].first == 4);
  CHECK(found[1].second == 2);
  CHECK(found[5].first == 1);
  CHECK(found[5].second == 4);
}
