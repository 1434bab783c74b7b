// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::app {

/// Some pairs i ≤ j of a set, each once.
struct PairSample {
  std::vector<Pair> pairs;
  std::size_t at_random = 0;  ///< how many of them are random; these come last
};

/// How random pairs are drawn.
struct RandomPairs {
  std::size_t count = 12;
  std::uint64_t seed = 1;
  std::size_t most_unknowns = 3000;  ///< three quarters of them have at most this n·m, if the set has enough such pairs
};

/// The costliest and the cheapest pair by the cost model, the pairs of the largest and of the smallest graph (by
/// vertices) with itself, and random ones; or all pairs if the set has no more. Equal input gives an equal sample.
PairSample sample_pairs(std::span<const Graph> graphs, const RandomPairs& random);

/// n·m, the unknowns of a pair's system.
std::size_t unknowns(std::span<const Graph> graphs, Pair pair);

/// The graphs of some pairs, each once, and the pairs by numbers of these graphs.
struct Subset {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;
};

Subset subset_of(std::span<const Graph> graphs, std::span<const Pair> pairs);

}  // namespace octile::app
