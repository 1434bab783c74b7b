// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

/// Graphs for the tests, equal on every machine. Random numbers are our own, since
/// the distributions of standard libraries differ.
namespace octile::test {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// In [0, 1).
  double uniform();
  /// In 0 … bound−1.
  std::int32_t below(std::int32_t bound);

 private:
  std::uint64_t state_;
};

std::vector<Edge> path_edges(std::int32_t n);
std::vector<Edge> cycle_edges(std::int32_t n);
std::vector<Edge> star_edges(std::int32_t n);
std::vector<Edge> complete_edges(std::int32_t n);
/// Random edges, each present with probability `density`.
std::vector<Edge> random_edges(std::int32_t n, double density, std::uint64_t seed);
/// All edges between the two parts of a bipartite graph; for 8 and 8 they fill one off-diagonal 8×8 tile.
std::vector<Edge> bipartite_edges(std::int32_t left, std::int32_t right);

/// The edges with random weights in [0.25, 2].
std::vector<Edge> weighted(std::vector<Edge> edges, std::uint64_t seed);

/// A graph whose vertices and edges carry every type of label:
///
///     vertices   element: text C N O      kind: integer 0…2    charge: real in [0, 1)
///                tags: list of 1…3 texts   sizes: list of 1…3 reals
///     edges      bond: text - = #          order: integer 1…3   length: real in [0, 1)
///                words: list of 0…2 texts  parts: list of 0…3 reals
Graph labelled(std::string name, std::int32_t n, std::vector<Edge> edges, std::uint64_t seed);

/// A path whose edges have these numbers as `length`.
Graph labelled_path(const std::vector<double>& lengths);

/// A graph without labels.
Graph bare(std::string name, std::int32_t n, std::vector<Edge> edges);

/// A labelled random graph with random weights.
Graph random_graph(std::int32_t n, double density, std::uint64_t seed);

/// Pairs of every graph with one from the other end of the set, in both orders.
std::vector<Pair> pairs_from_both_ends(const std::vector<Graph>& graphs);

/// The disjoint union: vertices of `second` after those of `first`, uniform p.
Graph disjoint_union(const Graph& first, const Graph& second);

/// A random order of the vertices 0 … n−1.
std::vector<std::int32_t> random_order(std::int32_t n, std::uint64_t seed);

/// Small labelled graphs, at most 17 vertices: one vertex, one edge, no edges, isolated vertices, two components,
/// path, cycle, star, complete, random; sizes that straddle one tile's and two tiles' edge.
std::vector<Graph> small_graphs();

/// 32 graphs of 70 to 96 vertices with many edges each: their solutions lie near few directions, so that starts alone prove values.
std::vector<Graph> graphs_near_few_directions();

/// Labelled graphs of 31, 33, 64 and 65 vertices, sparse and dense.
std::vector<Graph> large_graphs();

}  // namespace octile::test
