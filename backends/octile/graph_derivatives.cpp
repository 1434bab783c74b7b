// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graph_derivatives.hpp>

#include <octile/base/parallel.hpp>

#include <cstdint>
#include <vector>

namespace octile {
namespace {

/// Pairs that a thread takes at a time.
constexpr std::size_t pairs_at_a_time = 4;

/// How the numbers of a graph lie one after the other: of its vertices, of its edges, and of its edges once more for an attribute.
class Layout {
 public:
  Layout(const ExactGraphs& graphs, bool of_attribute) : graphs_(graphs), of_attribute_(of_attribute) {}

  std::size_t length(std::int32_t graph) const { return vertices(graph) + edges(graph) * (of_attribute_ ? 2 : 1); }
  GraphSlopes slopes(std::span<double> numbers, std::int32_t graph) const {
    const std::size_t n = vertices(graph);
    const std::size_t e = edges(graph);
    return {numbers.first(n), numbers.subspan(n, e), of_attribute_ ? numbers.subspan(n + e, e) : std::span<double>()};
  }

 private:
  std::size_t vertices(std::int32_t graph) const {
    const auto g = static_cast<std::size_t>(graph);
    return graphs_.vertex_begin[g + 1] - graphs_.vertex_begin[g];
  }
  std::size_t edges(std::int32_t graph) const {
    const auto g = static_cast<std::size_t>(graph);
    return graphs_.edge_begin[g + 1] - graphs_.edge_begin[g];
  }

  const ExactGraphs& graphs_;
  bool of_attribute_;
};

void add(std::vector<double>& sums, std::size_t begin, std::span<const double> numbers, double factor) {
  for (std::size_t k = 0; k < numbers.size(); ++k) sums[begin + k] += factor * numbers[k];
}

}  // namespace

GraphDerivatives zero_derivatives(std::span<const Graph> graphs, bool of_attribute) {
  GraphDerivatives zeros;
  for (const Graph& graph : graphs) {
    zeros.vertex_begin.push_back(zeros.vertex_begin.back() + static_cast<std::size_t>(graph.vertex_count()));
    zeros.edge_begin.push_back(zeros.edge_begin.back() + graph.edge_count());
  }
  zeros.starting.resize(zeros.vertex_begin.back());
  zeros.edge_weights.resize(zeros.edge_begin.back());
  if (of_attribute) zeros.edge_numbers.resize(zeros.edge_begin.back());
  return zeros;
}

void add_graph_derivatives(const ExactSet& set, const SolvedPairs& solved, std::span<const double> weights,
                           std::span<const double> factors, std::string_view edge_attribute, GraphDerivatives& sums) {
  const bool of_attribute = !edge_attribute.empty();
  const std::int32_t slot = of_attribute ? set.edge_kernel().slot_of(edge_attribute) : -1;
  const Layout layout(set.graphs(), of_attribute);
  const std::size_t count = solved.pairs.size();
  std::vector<std::vector<double>> of_pairs(count);  // the numbers of the first graph, then those of the second
  in_parallel(count, pairs_at_a_time, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (weights[k] == 0) continue;
      const auto [first, second] = solved.pairs[k];
      const std::size_t length = layout.length(first);
      of_pairs[k].resize(length + layout.length(second));
      const std::span<double> numbers = of_pairs[k];
      const std::size_t size = layout.slopes(numbers, first).starting.size() *
                               layout.slopes(numbers.subspan(length), second).starting.size();
      set.add_graph_slopes({first, second}, solved.x.subspan(solved.begin[k], size),
                           solved.y.subspan(solved.begin[k], size), slot, layout.slopes(numbers.first(length), first),
                           layout.slopes(numbers.subspan(length), second));
    }
  });
  const auto add_graph = [&](std::span<double> numbers, std::int32_t graph, double weight) {
    const auto g = static_cast<std::size_t>(graph);
    const GraphSlopes slopes = layout.slopes(numbers, graph);
    add(sums.starting, sums.vertex_begin[g], slopes.starting, weight);
    // ∂K/∂A = factor · ∂K/∂(factor A).
    add(sums.edge_weights, sums.edge_begin[g], slopes.edge_weights, factors.empty() ? weight : weight * factors[g]);
    add(sums.edge_numbers, sums.edge_begin[g], slopes.edge_numbers, weight);
  };
  for (std::size_t k = 0; k < count; ++k) {
    if (weights[k] == 0) continue;
    const auto [first, second] = solved.pairs[k];
    const std::span<double> numbers = of_pairs[k];
    add_graph(numbers.first(layout.length(first)), first, weights[k]);
    add_graph(numbers.subspan(layout.length(first)), second, weights[k]);
  }
}

}  // namespace octile
