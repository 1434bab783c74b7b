// SPDX-License-Identifier: BSD-3-Clause
// The bipartitions of partition-based reordering, and the tiles that orders leave on graphs like the peer's.
#include <doctest/doctest.h>

#include <octile/bipartition.hpp>
#include <octile/orders.hpp>
#include <octile/pattern.hpp>
#include <octile/tile_objective.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

using namespace octile::reorder;

namespace {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Two cliques of nets of two pins, joined by one net.
Hypergraph two_clusters(std::int32_t size) {
  Hypergraph hypergraph;
  hypergraph.vertices = 2 * size;
  const auto join = [&hypergraph](std::int32_t u, std::int32_t v) {
    hypergraph.pins.insert(hypergraph.pins.end(), {u, v});
    hypergraph.end_net(3);
  };
  for (std::int32_t u = 0; u < size; ++u) {
    for (std::int32_t v = u + 1; v < size; ++v) {
      join(2 * u, 2 * v);
      join(2 * u + 1, 2 * v + 1);
    }
  }
  join(0, 1);
  return hypergraph;
}

/// A ring with a chord from about every tenth vertex: networkx' newman_watts_strogatz_graph(96, 3, 0.1) of our own making.
Edges small_world(std::int32_t n, std::uint64_t seed) {
  octile::test::Random random(seed);
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::int32_t u = 0; u < n; ++u) edges.insert(std::minmax(u, (u + 1) % n));
  for (std::int32_t u = 0; u < n; ++u) {
    if (random.uniform() >= 0.1) continue;
    const std::int32_t v = random.below(n);
    if (u != v) edges.insert(std::minmax(u, v));
  }
  return {edges.begin(), edges.end()};
}

/// Each new vertex joins `links` old ones, chosen by their degrees: barabasi_albert_graph(96, 6) of our own making.
Edges preferential(std::int32_t n, std::int32_t links, std::uint64_t seed) {
  octile::test::Random random(seed);
  Edges edges;
  std::vector<std::int32_t> ends;
  for (std::int32_t u = links; u < n; ++u) {
    std::set<std::int32_t> chosen;
    for (std::int32_t v = 0; u == links && v < links; ++v) chosen.insert(v);
    while (static_cast<std::int32_t>(chosen.size()) < links) {
      chosen.insert(ends[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(ends.size())))]);
    }
    for (const std::int32_t v : chosen) {
      edges.emplace_back(v, u);
      ends.insert(ends.end(), {u, v});
    }
  }
  return edges;
}

double mean_tiles(const std::vector<Pattern>& patterns, std::string_view order) {
  double sum = 0;
  for (const Pattern& pattern : patterns) {
    sum += static_cast<double>(count_tiles(pattern, find_order(parse_order(order)).make(pattern, 1)).tiles);
  }
  return sum / static_cast<double>(patterns.size());
}

}  // namespace

TEST_CASE("a bipartition has exactly the sizes asked for, and finds two clusters") {
  for (const std::int32_t size : {4, 9, 20}) {
    const Hypergraph hypergraph = two_clusters(size);
    for (const std::int32_t left : {0, 1, size, 2 * size - 1, 2 * size}) {
      Random random(1);
      const std::vector<std::uint8_t> part = bipartition(hypergraph, left, random);
      CHECK(std::ranges::count(part, std::uint8_t{0}) == left);
      if (left == size) CHECK(cut_cost(hypergraph, part) == 3);
    }
  }
}

TEST_CASE("a hypergraph without nets is parted by size alone") {
  Hypergraph hypergraph;
  hypergraph.vertices = 11;
  Random random(1);
  CHECK(std::ranges::count(bipartition(hypergraph, 8, random), std::uint8_t{0}) == 8);
}

TEST_CASE("PBR finds cliques of eight that were scattered, in parts of exactly eight, whatever is left over") {
  for (const std::int32_t n : {16, 24, 40, 43, 96, 101}) {
    const std::vector<std::int32_t> scattered = octile::test::random_order(n, 5);
    Edges edges;
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t j = i + 1; j < std::min(n, (i / 8 + 1) * 8); ++j) {
        edges.push_back(std::minmax(scattered[static_cast<std::size_t>(i)], scattered[static_cast<std::size_t>(j)]));
      }
    }
    const Pattern pattern = make_pattern("cliques", n, edges);
    const octile::VertexOrder order = find_order(OrderId::pbr).make(pattern, 1);
    CAPTURE(n);
    REQUIRE(is_permutation_of(order, n));
    // A part of seven or nine would leave a clique cut, and so more tiles than cliques.
    CHECK(count_tiles(pattern, order).tiles == tile_rows(n));
  }
}

TEST_CASE("PBR and swaps hold their bars on graphs like the peer's, and PBR is never worse than RCM") {
  // Few graphs, to keep the test short. bench/results/host.md has the means over the peer's own 160.
  std::vector<Pattern> small_worlds;
  std::vector<Pattern> hubs;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    small_worlds.push_back(make_pattern("nws", 96, small_world(96, seed)));
    hubs.push_back(make_pattern("ba", 96, preferential(96, 6, seed)));
  }
  const double nws_pbr = mean_tiles(small_worlds, "pbr");
  const double ba_pbr = mean_tiles(hubs, "pbr");
  MESSAGE("nws: pbr " << nws_pbr << ", ba: pbr " << ba_pbr);
  CHECK(nws_pbr <= 36);
  CHECK(ba_pbr <= 104);
  CHECK(nws_pbr <= mean_tiles(small_worlds, "rcm"));
  CHECK(ba_pbr <= mean_tiles(hubs, "rcm"));
  CHECK(mean_tiles(small_worlds, "swaps") <= 35);
  CHECK(mean_tiles(hubs, "swaps") <= 98);
}
