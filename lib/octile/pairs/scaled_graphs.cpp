// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/scaled_graphs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <octile/base/parallel.hpp>

namespace octile {
namespace {

constexpr std::size_t graphs_at_once = 64;

/// The power of two by which a graph is to be scaled, 1 if it is not. `stopping` is the q in its degrees.
double factor_of(const Graph& graph, double stopping) {
  constexpr double most = 0x1p16;
  constexpr double least = 0x1p-16;
  if (graph.edge_count() == 0 && stopping == 0) return 1;
  // The largest degree is between the largest weight and all of them together: both are looked at first.
  double largest = stopping;
  double sum = stopping;
  for (const Edge& edge : graph.edges()) {
    largest = std::max(largest, edge.weight);
    sum += edge.weight;
  }
  if (largest >= least && sum <= most) return 1;
  const std::vector<double> degrees = graph.weighted_degrees();
  const double degree = *std::ranges::max_element(degrees) + stopping;
  if (degree >= least && degree <= most) return 1;
  // Weights below the normal numbers would take a factor that is none.
  constexpr double most_exponent = 1023;
  const double exponent = -std::round(std::log2(std::isfinite(degree) ? degree : largest));
  const double factor = std::exp2(std::min(exponent, most_exponent));
  // Weights that would vanish stay as they are, and the pair ends as a breakdown: a vertex may have no others.
  const auto vanishes = [factor](const Edge& edge) {
    return edge.weight * factor < std::numeric_limits<double>::min();
  };
  return std::ranges::any_of(graph.edges(), vanishes) ? 1 : factor;
}

}  // namespace

void unscale_adjoint(std::span<const double> factors, Pair pair, std::span<double> y) {
  const double first = factors[static_cast<std::size_t>(pair.first)];
  const double second = factors[static_cast<std::size_t>(pair.second)];
  for (double& value : y) value = value * first * second;
}

std::optional<ScaledGraphs> scaled_graphs(std::span<const Graph> graphs, const Stopping& stopping) {
  const bool with_stopping = stopping.meaning() == StoppingMeaning::weight;
  std::vector<double> factors(graphs.size());
  in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      factors[g] = factor_of(graphs[g], with_stopping ? stopping.q() * graphs[g].stopping_scale() : 0);
    }
  });
  if (std::ranges::all_of(factors, [](double factor) { return factor == 1; })) return {};
  ScaledGraphs scaled{{}, std::move(factors)};
  scaled.graphs.reserve(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const double factor = scaled.factors[g];
    scaled.graphs.push_back(with_stopping ? graphs[g].scaled_with_stopping(factor) : graphs[g].scaled(factor));
  }
  return scaled;
}

}  // namespace octile
