// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/backends.hpp>
#include <octile/error.hpp>
#include <octile/graphs/octile_size.hpp>
#include <octile/random.hpp>

#include "solve_case.hpp"

namespace octile::bench {
namespace {

constexpr SyntheticKernel kernels[] = {{"labeled", "1", "gaussian(mark,0.3)"}, {"vlabeled", "delta(label,0.5)", "1"}};

/// The most vertices of graphs that are solved by the dense reference.
constexpr std::int32_t dense_vertices = 32;

using EdgeSet = std::set<std::pair<std::int32_t, std::int32_t>>;

void join(EdgeSet& edges, std::int32_t a, std::int32_t b) {
  if (a != b) edges.emplace(std::min(a, b), std::max(a, b));
}

EdgeSet nws_edges(std::int32_t n, reorder::Random& random) {
  EdgeSet edges;
  for (std::int32_t i = 0; i < n; ++i) join(edges, i, (i + 1) % n);
  for (std::int32_t i = 0; i < n; ++i) {
    if (random.below(10) == 0) join(edges, i, random.below(n));
  }
  return edges;
}

EdgeSet ba_edges(std::int32_t n, reorder::Random& random) {
  constexpr std::int32_t joined = 6;
  EdgeSet edges;
  // Contains each vertex as often as it has neighbours.
  std::vector<std::int32_t> ends;
  for (std::int32_t i = 1; i < n; ++i) {
    std::set<std::int32_t> targets;
    const auto wanted = static_cast<std::size_t>(std::min(joined, i));
    while (targets.size() < wanted) {
      const bool all = i <= joined;
      targets.insert(all ? static_cast<std::int32_t>(targets.size())
                         : ends[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(ends.size())))]);
    }
    for (const std::int32_t target : targets) {
      join(edges, target, i);
      ends.push_back(target);
      ends.push_back(i);
    }
  }
  return edges;
}

Graph labelled_graph(std::string name, std::int32_t n, const EdgeSet& pairs, reorder::Random& random) {
  std::vector<Edge> edges;
  std::vector<double> marks;
  for (const auto& [i, j] : pairs) {
    edges.push_back({i, j, 1.0});
    marks.push_back(random.below(10000) / 1e4);
  }
  std::vector<std::int64_t> labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) labels.push_back(random.below(4));
  return Graph::from_edges(std::move(name), n, std::move(edges), {{"label", labels}}, {{"mark", marks}});
}

nlohmann::json to_json(const Graph& graph) {
  nlohmann::json nodes = nlohmann::json::array();
  const auto& labels = std::get<std::vector<std::int64_t>>(graph.vertex_labels().at("label"));
  for (std::size_t k = 0; k < labels.size(); ++k) nodes.push_back({{"id", k}, {"label", labels[k]}});
  nlohmann::json edges = nlohmann::json::array();
  const auto& marks = std::get<std::vector<double>>(graph.edge_labels().at("mark"));
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    const Edge& edge = graph.edges()[e];
    edges.push_back({{"source", edge.i}, {"target", edge.j}, {"weight", edge.weight}, {"mark", marks[e]}});
  }
  return {{"graph", {{"name", graph.name()}}}, {"nodes", nodes}, {"edges", edges}};
}

}  // namespace

std::vector<Graph> synthetic_graphs(std::string_view family, int vertices, int count) {
  if (family != "nws" && family != "ba") throw Error(fmt::format("family {}: allowed are nws and ba", family));
  if (vertices < 2) throw Error(fmt::format("{} vertices: allowed are 2 or more", vertices));
  std::vector<Graph> graphs;
  for (int k = 0; k < count; ++k) {
    reorder::Random random(static_cast<std::uint64_t>(vertices) * 100003 + static_cast<std::uint64_t>(k));
    const EdgeSet edges = family == "nws" ? nws_edges(vertices, random) : ba_edges(vertices, random);
    graphs.push_back(labelled_graph(fmt::format("{} {} {}", family, vertices, k), vertices, edges, random));
  }
  return graphs;
}

Graph population_graph(int population, std::uint64_t seed) {
  reorder::Random random(seed * 65 + static_cast<std::uint64_t>(population));
  std::vector<std::int32_t> places(octile_area);
  std::iota(places.begin(), places.end(), 0);
  EdgeSet edges;
  for (std::int32_t row = 0; row < population_rows; ++row) {
    for (std::int32_t column = row + 1; column < population_rows; ++column) {
      random.shuffle(places);
      for (int k = 0; k < population; ++k) {
        const std::int32_t place = places[static_cast<std::size_t>(k)];
        join(edges, row * octile_size + place / octile_size, column * octile_size + place % octile_size);
      }
    }
  }
  return labelled_graph(fmt::format("population {} {}", population, seed), population_rows * octile_size, edges,
                        random);
}

const SyntheticKernel& synthetic_kernel(std::string_view kind) {
  for (const SyntheticKernel& kernel : kernels) {
    if (kind == kernel.kind) return kernel;
  }
  throw Error(fmt::format("kind {}: allowed are labeled and vlabeled", kind));
}

std::vector<ReferenceValue> synthetic_references(const std::vector<Graph>& graphs, const SyntheticKernel& kernel,
                                                 const std::string& q, const std::vector<Pair>& pairs) {
  const bool dense = std::ranges::all_of(
      graphs, [](std::int32_t vertices) { return vertices <= dense_vertices; }, &Graph::vertex_count);
  const KernelSpec spec{Expression::parse(kernel.vertex), Expression::parse(kernel.edge),
                        Stopping::parse("probability:" + q)};
  SolveOptions options;
  options.tolerance = 1e-10;
  const auto solver = make_pair_solver(dense ? BackendId::reference : BackendId::portable_serial, graphs, spec,
                                       Precision::float64, options);
  std::vector<PairResult> results(pairs.size());
  solver->solve(pairs, results);
  std::vector<ReferenceValue> references;
  for (std::size_t k = 0; k < pairs.size(); ++k) references.push_back({pairs[k], results[k].value});
  return references;
}

void write_synthetic_sets(const std::string& folder, int vertices, int count) {
  for (const std::string family : {"nws", "ba"}) {
    const std::vector<Graph> graphs = synthetic_graphs(family, vertices, count);
    std::ofstream lines(fmt::format("{}/{}.jsonl", folder, family));
    for (const Graph& graph : graphs) lines << to_json(graph) << '\n';
    nlohmann::json all;
    for (const SyntheticKernel& kernel : kernels) {
      for (const std::string q : {"0.05", "0.0005"}) {
        nlohmann::json& values = all[kernel.kind][q];
        for (const ReferenceValue& reference : synthetic_references(graphs, kernel, q, sample_pairs(graphs, 6))) {
          values.push_back({reference.pair.first, reference.pair.second, reference.value});
        }
      }
    }
    std::ofstream references(fmt::format("{}/{}_references.json", folder, family));
    references << all;
    if (!lines || !references) throw Error(fmt::format("{}: cannot be written to", folder));
  }
}

}  // namespace octile::bench
