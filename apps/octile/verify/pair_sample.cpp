// SPDX-License-Identifier: BSD-3-Clause
#include "verify/pair_sample.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <octile/pairs/cost_model.hpp>

namespace octile::app {
namespace {

/// How often a random pair is drawn again if it is too large or already in the sample, before such a pair is accepted.
constexpr std::size_t most_draws = 1000;

/// Pairs in the order in which they were added, each once.
class DistinctPairs {
 public:
  void add(Pair pair) {
    if (present_.insert({pair.first, pair.second}).second) pairs_.push_back(pair);
  }
  std::size_t size() const { return pairs_.size(); }
  std::vector<Pair> take() { return std::move(pairs_); }

 private:
  std::vector<Pair> pairs_;
  std::set<std::pair<std::int32_t, std::int32_t>> present_;
};

/// One graph of each size by the cost model, in the order of the set.
std::vector<std::int32_t> graphs_of_distinct_size(const CostModel& cost, std::int32_t count) {
  std::set<CostModel::Size> sizes;
  std::vector<std::int32_t> graphs;
  for (std::int32_t graph = 0; graph < count; ++graph) {
    if (sizes.insert(cost.size(graph)).second) graphs.push_back(graph);
  }
  return graphs;
}

void add_extremes(DistinctPairs& pairs, std::span<const Graph> graphs) {
  const CostModel cost(graphs);
  // Even tens of thousands of molecules have only some hundred sizes.
  const std::vector<std::int32_t> distinct = graphs_of_distinct_size(cost, static_cast<std::int32_t>(graphs.size()));
  Pair costliest;
  Pair cheapest;
  for (const std::int32_t i : distinct) {
    for (const std::int32_t j : distinct) {
      if (j < i) continue;
      if (cost({i, j}) > cost(costliest)) costliest = {i, j};
      if (cost({i, j}) < cost(cheapest)) cheapest = {i, j};
    }
  }
  const auto [smallest, largest] = std::ranges::minmax_element(graphs, {}, &Graph::vertex_count);
  pairs.add(costliest);
  pairs.add(cheapest);
  for (const auto graph : {largest, smallest}) {
    const auto number = static_cast<std::int32_t>(graph - graphs.begin());
    pairs.add({number, number});
  }
}

}  // namespace

std::size_t unknowns(std::span<const Graph> graphs, Pair pair) {
  return static_cast<std::size_t>(graphs[static_cast<std::size_t>(pair.first)].vertex_count()) *
         static_cast<std::size_t>(graphs[static_cast<std::size_t>(pair.second)].vertex_count());
}

Subset subset_of(std::span<const Graph> graphs, std::span<const Pair> pairs) {
  Subset subset;
  std::map<std::int32_t, std::int32_t> numbers;
  const auto number_of = [&](std::int32_t graph) {
    const auto [entry, is_new] = numbers.emplace(graph, static_cast<std::int32_t>(subset.graphs.size()));
    if (is_new) subset.graphs.push_back(graphs[static_cast<std::size_t>(graph)]);
    return entry->second;
  };
  for (const Pair& pair : pairs) {
    const std::int32_t first = number_of(pair.first);
    subset.pairs.push_back({first, number_of(pair.second)});
  }
  return subset;
}

PairSample sample_pairs(std::span<const Graph> graphs, const RandomPairs& random) {
  DistinctPairs pairs;
  add_extremes(pairs, graphs);
  const std::size_t extremes = pairs.size();
  const std::size_t wanted = std::min(random.count, graphs.size() * (graphs.size() + 1) / 2 - extremes);

  std::mt19937_64 source(random.seed);
  std::uniform_int_distribution<std::int32_t> graph(0, static_cast<std::int32_t>(graphs.size()) - 1);
  const auto draw_until = [&](std::size_t end, std::size_t most_unknowns) {
    for (std::size_t k = 0; k < most_draws * wanted && pairs.size() < end; ++k) {
      const std::int32_t i = graph(source);
      const std::int32_t j = graph(source);
      const Pair pair{std::min(i, j), std::max(i, j)};
      if (unknowns(graphs, pair) <= most_unknowns) pairs.add(pair);
    }
  };
  draw_until(extremes + wanted - wanted / 4, random.most_unknowns);
  draw_until(extremes + wanted, std::numeric_limits<std::size_t>::max());
  const std::size_t at_random = pairs.size() - extremes;
  return {pairs.take(), at_random};
}

}  // namespace octile::app
