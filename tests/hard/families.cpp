// SPDX-License-Identifier: BSD-3-Clause
#include "hard/families.hpp"

#include <cmath>
#include <utility>

#include <octile/certified_solver.hpp>

#include "common/graphs.hpp"

namespace octile::test {

Graph with_isolated(double scale, std::uint64_t seed) {
  std::vector<Edge> edges = path_edges(7);
  for (Edge& edge : edges) edge.weight = scale * (0.3 + 0.2 * edge.i);
  return labelled("isolated vertices, weights of " + std::to_string(std::log10(scale)) + " orders", 9, std::move(edges),
                  seed);
}

Graph light_and_heavy(double light, std::int32_t isolated, std::uint64_t seed) {
  std::vector<Edge> edges = cycle_edges(5);
  for (const Edge& edge : path_edges(6)) edges.push_back({edge.i + 5, edge.j + 5, light * edge.weight});
  return labelled("a part of weight " + std::to_string(light), 11 + isolated, std::move(edges), seed);
}

Graph nearly_disconnected(double bridge, std::uint64_t seed) {
  std::vector<Edge> edges = complete_edges(5);
  for (const Edge& edge : complete_edges(5)) edges.push_back({edge.i + 5, edge.j + 5, edge.weight});
  edges.push_back({4, 5, bridge});
  return labelled("joined by " + std::to_string(bridge), 10, std::move(edges), seed);
}

Graph of_twelve_orders(std::int32_t connected, std::int32_t isolated, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges = path_edges(connected);
  for (const Edge& edge : random_edges(connected, 0.3, seed + 1)) {
    if (edge.j != edge.i + 1) edges.push_back(edge);
  }
  for (Edge& edge : edges) edge.weight = std::pow(10.0, 12 * random.uniform() - 6);
  return labelled("weights of 1e-6 to 1e6, seed " + std::to_string(seed), connected + isolated, std::move(edges), seed);
}

Graph dimer(double share, int decay) { return labelled("dimer", 2, {{0, 1, std::pow(1 - share, decay)}}, 7); }

std::vector<Graph> far_labels(double offset) {
  constexpr std::int32_t vertices = 10;
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 1; seed <= 13; ++seed) {
    const Graph near =
        labelled("labels far out, seed " + std::to_string(seed), vertices, complete_edges(vertices), seed);
    LabelColumns of_edges = near.edge_labels();
    for (double& length : std::get<std::vector<double>>(of_edges.at("length"))) length += offset;
    graphs.push_back(Graph::from_edges(near.name(), vertices, near.edges(), near.vertex_labels(), of_edges));
  }
  return graphs;
}

Graph of_one_order(std::string name, std::int32_t vertices, std::vector<Edge> edges) {
  const LabelColumns of_edges{{"order", std::vector<std::int64_t>(edges.size(), 1)}};
  return Graph::from_edges(std::move(name), vertices, std::move(edges), {}, of_edges);
}

std::string pair_name(const Backend& backend, const std::string& set, Pair pair) {
  return std::string(backend.name) + ", " + set + ", graphs " + std::to_string(pair.first) + " and " +
         std::to_string(pair.second);
}

std::vector<PairResult> certified_results(const Backend& backend, const std::vector<Graph>& graphs,
                                          const KernelSpec& kernel, const std::vector<Pair>& pairs) {
  GramOptions options;
  options.backend = backend.id;
  options.accuracy = Accuracy{};
  const CostModel cost(graphs);
  std::vector<PairResult> results(pairs.size());
  CertifiedSolver(graphs, kernel, options, cost).solve(pairs, results);
  return results;
}

}  // namespace octile::test
