// SPDX-License-Identifier: BSD-3-Clause
#include <octile/prepared_set.hpp>

#include <octile/asked_values.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>
#include <octile/refinement.hpp>
#include <octile/set_solution.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace octile {
namespace {

std::span<const Graph> some(std::span<const Graph> graphs) {
  if (graphs.empty()) throw Error("a set of no graphs; allowed is one graph or more");
  return graphs;
}

/// The results of graphs with themselves that are not among the pairs.
std::vector<std::pair<std::int32_t, PairResult>> own_alone(std::span<const Pair> pairs, const SetSolution& solution) {
  std::vector<bool> asked(solution.own.size());
  for (const Pair pair : pairs) {
    if (pair.first == pair.second) asked[static_cast<std::size_t>(pair.first)] = true;
  }
  std::vector<std::pair<std::int32_t, PairResult>> found;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] || solution.own[i] >= solution.results.size()) continue;
    found.emplace_back(static_cast<std::int32_t>(i), solution.results[solution.own[i]]);
  }
  return found;
}

/// Bounds of the errors of numbers of vertices. Where |r| ≤ ε b in every row, each x̃ is within ε x of x, and so is a sum of them with
/// weights ≥ 0, which rounds a little; |x̃ − x| ≤ ε x ≤ ε / (1 − ε) x̃.
/// `terms` is how many numbers are summed at most.
std::vector<double> errors_of_nodes(std::span<const double> nodes, std::span<const std::size_t> begin,
                                    std::span<const PairResult> results, double terms) {
  constexpr double of_term = std::numeric_limits<double>::epsilon();
  std::vector<double> errors(nodes.size());
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    const double known = results[k].residual;
    const bool certain = results[k].status != Status::breakdown && known >= 0 && known < 1;
    const double relative = certain ? (known + of_term * terms) / (1 - known) : std::numeric_limits<double>::infinity();
    for (std::size_t at = begin[k]; at < begin[k + 1]; ++at) errors[at] = relative * nodes[at];
  }
  return errors;
}

/// Of each graph, by the vertices as they were given, whether a vertex has an edge.
std::vector<std::vector<bool>> joined_vertices(const PreparedSet& set) {
  std::vector<std::vector<bool>> joined;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto number = static_cast<std::int32_t>(g);
    joined.emplace_back(static_cast<std::size_t>(set.graphs()[g].vertex_count()));
    for (const Edge& edge : set.graphs()[g].edges()) {
      joined[g][set.given_vertex(number, static_cast<std::size_t>(edge.i))] = true;
      joined[g][set.given_vertex(number, static_cast<std::size_t>(edge.j))] = true;
    }
  }
  return joined;
}

/// Where walks of no step do not count a number may be so small that what it was summed of underflowed, and nothing is certain of it. It is
/// exactly 0 where a vertex has no edge.
void doubt_smallest(SetAnswer& answer, const PreparedSet& set, std::span<const Pair> pairs, NodeOutput output) {
  const std::vector<std::vector<bool>> joined = joined_vertices(set);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::vector<bool>& first = joined[static_cast<std::size_t>(pairs[k].first)];
    const std::vector<bool>& second = joined[static_cast<std::size_t>(pairs[k].second)];
    const bool any_second = std::ranges::find(second, true) != second.end();
    for (std::size_t at = answer.nodes_begin[k]; at < answer.nodes_begin[k + 1]; ++at) {
      if (answer.nodes[at] >= least_value) continue;
      const std::size_t place = at - answer.nodes_begin[k];
      const bool walks = output == NodeOutput::first ? first[place] && any_second
                                                     : first[place / second.size()] && second[place % second.size()];
      if (walks) answer.node_errors[at] = std::numeric_limits<double>::infinity();
    }
  }
}

}  // namespace

PreparedSet::PreparedSet(std::vector<Graph>&& graphs, const GramOptions& options)
    : options_(options), kept_(std::move(graphs)), graphs_(some(kept_)), cost_(graphs_) {
  const InterruptionScope interruption(options_.on_prepare);
  ordered_ = order_set(graphs_, order_for(cost_, options_), options_);
  if (ordered_.graphs.empty()) return;
  graphs_ = ordered_.graphs;
  kept_.clear();
}

PreparedSet::PreparedSet(std::span<const Graph> graphs, const GramOptions& options)
    : options_(options), graphs_(some(graphs)), cost_(graphs_) {
  const InterruptionScope interruption(options_.on_prepare);
  ordered_ = order_set(graphs_, order_for(cost_, options_), options_);
  if (!ordered_.graphs.empty()) graphs_ = ordered_.graphs;
}

GraphDerivatives PreparedSet::in_given_order(GraphDerivatives solved) const {
  if (ordered_.orders.empty() || solved.starting.empty()) return solved;
  GraphDerivatives given = solved;
  for (std::size_t g = 0; g < size(); ++g) {
    const VertexOrder& order = ordered_.orders[g];
    const std::size_t vertex = solved.vertex_begin[g];
    for (std::size_t k = 0; k < order.size(); ++k) {
      given.starting[vertex + static_cast<std::size_t>(order[k])] = solved.starting[vertex + k];
    }
    // The edges of a graph are sorted by their ends.
    const std::vector<Edge>& edges = graphs_[g].edges();
    std::vector<std::size_t> by_ends(edges.size());
    std::iota(by_ends.begin(), by_ends.end(), std::size_t(0));
    std::ranges::sort(by_ends, {}, [&](std::size_t e) {
      return std::minmax(order[static_cast<std::size_t>(edges[e].i)], order[static_cast<std::size_t>(edges[e].j)]);
    });
    const std::size_t edge = solved.edge_begin[g];
    for (std::size_t k = 0; k < by_ends.size(); ++k) {
      given.edge_weights[edge + k] = solved.edge_weights[edge + by_ends[k]];
      if (!solved.edge_numbers.empty()) given.edge_numbers[edge + k] = solved.edge_numbers[edge + by_ends[k]];
    }
  }
  return given;
}

SetAnswer PreparedSet::solve(const KernelSpec& kernel, const SetRequest& request) const {
  SetSolution solution = solve_set(*this, kernel, request);
  SetAnswer answer;
  const std::size_t count = request.pairs ? request.pairs->size() : pair_count(size());
  answer.values.resize(count);
  answer.error_bounds.resize(count);
  take_values(solution, request, size(), [&answer](std::size_t place, Pair, const PairResult& asked) {
    answer.values[place] = asked.value;
    answer.error_bounds[place] = asked.error_bound;
  });
  if (request.normalize && request.pairs) answer.own = own_alone(*request.pairs, solution);
  solution.results.resize(count);
  answer.results = std::move(solution.results);
  if (request.derivatives != Derivatives::not_asked) answer.parameters = parameters(kernel);
  answer.derivatives = std::move(solution.derivatives);
  answer.by_graphs = in_given_order(std::move(solution.by_graphs));
  answer.nodes = std::move(solution.nodes);
  answer.nodes_begin = std::move(solution.nodes_begin);
  if (request.nodes != NodeOutput::not_asked && is_certified(options_)) {
    std::int32_t most = 0;
    for (const Graph& graph : graphs_) most = std::max(most, graph.vertex_count());
    answer.node_errors = errors_of_nodes(answer.nodes, answer.nodes_begin, answer.results, most + 4);
    if (kernel.shortest_walk == 1) {
      const std::vector<Pair> all = request.pairs ? std::vector<Pair>() : triangle_pairs(size());
      doubt_smallest(answer, *this, request.pairs ? *request.pairs : std::span<const Pair>(all), request.nodes);
    }
  }
  answer.refined = solution.refined;
  answer.setup_seconds = solution.setup_seconds;
  answer.solve_seconds = solution.solve_seconds;
  answer.description = std::move(solution.description);
  return answer;
}

std::vector<Pair> rectangle(std::span<const std::int32_t> rows, std::span<const std::int32_t> columns) {
  std::vector<Pair> pairs;
  pairs.reserve(rows.size() * columns.size());
  for (const std::int32_t row : rows) {
    for (const std::int32_t column : columns) pairs.push_back({row, column});
  }
  return pairs;
}

}  // namespace octile
