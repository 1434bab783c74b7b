// SPDX-License-Identifier: BSD-3-Clause
// The promises of every order: a permutation, equal for equal seeds, and never more octiles if it says so.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <octile/anneal.hpp>
#include <octile/curves.hpp>
#include <octile/graph_pattern.hpp>
#include <octile/orders.hpp>
#include <octile/reorder_graphs.hpp>
#include <octile/tile_swaps.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "common/graphs.hpp"
#include "common/message_of.hpp"
#include "common/sanitized.hpp"

using namespace octile;
using namespace octile::reorder;
using octile::test::contains;
using octile::test::message_of;

namespace {

/// A graph whose vertices lie in a cube.
Graph placed(std::string name, std::int32_t n, std::vector<Edge> edges) {
  test::Random random(7);
  LabelColumns columns;
  for (const char* axis : {"x", "y", "z"}) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (double& value : values) value = random.uniform();
    columns.emplace(axis, values);
  }
  return Graph::from_edges(std::move(name), n, std::move(edges), columns);
}

std::vector<Graph> shapes(std::int32_t n) {
  std::vector<Graph> graphs{placed("empty", n, {}), placed("path", n, test::path_edges(n)),
                            placed("star", n, test::star_edges(n))};
  if (n <= 65) graphs.push_back(placed("complete", n, test::complete_edges(n)));
  const double density = std::min(0.5, 4.0 / n);
  graphs.push_back(placed("disconnected", n, test::random_edges(n, density / 4, 3)));
  graphs.push_back(placed("random", n, test::random_edges(n, density, 5)));
  return graphs;
}

constexpr std::int32_t sizes[] = {1, 7, 8, 9, 63, 64, 65, 551, 1000};

std::int64_t tiles_of(const Pattern& pattern, const VertexOrder& order) { return count_tiles(pattern, order).tiles; }

}  // namespace

TEST_CASE("every order of every shape is a permutation, equal for equal seeds, and auto never has more octiles") {
  for (const std::int32_t n : sizes) {
    for (const Graph& graph : shapes(n)) {
      const Pattern pattern = pattern_of(graph);
      const std::int64_t natural = tiles_of(pattern, natural_order(n));
      for (const Order& order : orders()) {
        // `swaps` is the search of `auto`, which is tested too; each takes seconds under the sanitizers.
        if (n > 65 && order.name == "swaps") continue;
        if (n > 551 && test::sanitized) continue;
        CAPTURE(n);
        CAPTURE(graph.name());
        CAPTURE(order.name);
        const VertexOrder made = order.make(pattern, 11);
        CHECK(is_permutation_of(made, n));
        const std::int64_t tiles = tiles_of(pattern, made);
        CHECK(tiles >= fewest_tiles(pattern));
        if (order.name == "auto" || order.name == "swaps" || order.name == "natural") CHECK(tiles <= natural);
        if (n <= 65) CHECK(made == order.make(pattern, 11));
      }
    }
  }
}

TEST_CASE("random patterns are ordered by permutations that never have more octiles than natural in auto") {
  const bool passed = rc::check([] {
    const auto n = *rc::gen::inRange<std::int32_t>(1, 40);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const double density = static_cast<double>(*rc::gen::inRange(0, 100)) / 100;
    const Pattern pattern = pattern_of(placed("random", n, test::random_edges(n, density, seed)));
    const std::int64_t natural = tiles_of(pattern, natural_order(n));
    for (const Order& order : orders()) {
      const VertexOrder made = order.make(pattern, seed);
      RC_ASSERT(is_permutation_of(made, n));
      RC_ASSERT(tiles_of(pattern, made) >= fewest_tiles(pattern));
      if (order.name == "auto") RC_ASSERT(tiles_of(pattern, made) <= natural);
    }
  });
  CHECK(passed);
}

TEST_CASE("tiles and populations are counted over both triangles") {
  // Two vertices of the first row of octiles and two of the second: one edge within, two across.
  const Pattern pattern =
      make_pattern("hand", 16, std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {0, 8}, {1, 15}});

  const TileCounts counts = count_tiles(pattern, natural_order(16));

  CHECK(counts.tiles == 3);
  CHECK(counts.places == 4);
  CHECK(counts.elements == 6);
  CHECK(counts.of_population[2] == 3);
  CHECK(counts.fill() == doctest::Approx(6.0 / (64 * 3)));
  CHECK(fewest_tiles(pattern) == 1);
}

TEST_CASE("a swap changes tiles and cost by what counting again says") {
  test::Random random(3);
  for (const std::int32_t n : {9, 17, 65, 100}) {
    const Pattern pattern = pattern_of(test::bare("random", n, test::random_edges(n, 0.1, 1)));
    const TileCost cost;
    TileSwaps state(pattern, cost);
    state.assign(natural_order(n));
    std::int64_t total = total_cost(count_tiles(pattern, state.order()), cost);
    for (int step = 0; step < 300; ++step) {
      const std::int32_t u = random.below(n);
      const std::int32_t v = random.below(n);
      if (state.row_of(u) == state.row_of(v)) continue;
      total += state.cost_change(u, v);
      state.swap(u, v);
      const TileCounts counted = count_tiles(pattern, state.order());
      REQUIRE(state.tiles() == counted.tiles);
      REQUIRE(total == total_cost(counted, cost));
    }
  }
}

TEST_CASE("a path falls into two octiles for each pair of neighbouring rows, which no order can beat") {
  const Pattern pattern = pattern_of(test::bare("path", 16, test::path_edges(16)));

  // Even vertices in one row and odd ones in the other: nothing on the diagonal.
  CHECK(tiles_of(pattern, natural_order(16)) == 4);
  CHECK(tiles_of(pattern, find_order(OrderId::swaps).make(pattern, 1)) == 2);
}

TEST_CASE("a full matrix stays in its natural order") {
  const Pattern pattern = pattern_of(test::bare("complete", 65, test::complete_edges(65)));

  CHECK(find_order(OrderId::automatic).make(pattern, 1) == natural_order(65));
}

TEST_CASE("the Hilbert curve goes from each point of a grid to a neighbour, and so visits all") {
  for (const int dimensions : {2, 3}) {
    const std::uint32_t side = 8;
    std::vector<std::pair<std::uint64_t, GridPoint>> points;
    for (std::uint32_t x = 0; x < side; ++x) {
      for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t z = 0; z < (dimensions == 3 ? side : 1); ++z) {
          points.push_back({hilbert_key({x, y, z}, dimensions), {x, y, z}});
        }
      }
    }
    std::ranges::sort(points);
    for (std::size_t k = 1; k < points.size(); ++k) {
      int steps = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        steps += std::abs(static_cast<int>(points[k].second[d]) - static_cast<int>(points[k - 1].second[d]));
      }
      CAPTURE(dimensions);
      CAPTURE(k);
      CHECK(steps == 1);
    }
  }
}

TEST_CASE("the Morton curve takes the bits of the coordinates in turn") {
  CHECK(morton_key({1, 0, 0}, 2) == 2);
  CHECK(morton_key({0, 1, 0}, 2) == 1);
  CHECK(morton_key({3, 1, 0}, 2) == 11);
  CHECK(morton_key({1, 0, 1}, 3) == 5);
}

TEST_CASE("a curve without coordinates is refused with the name of the graph") {
  const Pattern pattern = pattern_of(test::bare("alpha", 9, test::path_edges(9)));
  for (const char* curve : {"morton", "hilbert"}) {
    const std::string message = message_of([&] { (void)find_order(parse_order(curve)).make(pattern, 1); });
    CHECK(contains(message, "'alpha'"));
    CHECK(contains(message, curve));
  }
}

TEST_CASE("an unknown order is refused with the names that are known") {
  const std::string message = message_of([] { (void)parse_order("alphabetical"); });
  CHECK(contains(message, "'alphabetical'"));
  for (const Order& order : orders()) CHECK(contains(message, order.name));
}

TEST_CASE("many graphs are ordered as each alone, with any number of threads") {
  std::vector<Graph> graphs = test::small_graphs();
  for (Graph& graph : test::large_graphs()) graphs.push_back(std::move(graph));
  const Order& order = find_order(OrderId::swaps);

  const auto together = reorder_graphs(graphs, order, {5, 3, {}});
  const auto alone = reorder_graphs(graphs, order, {5, 1, {}});

  REQUIRE(together);
  REQUIRE(alone);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    CHECK((*together)[g].order == (*alone)[g].order);
    CHECK((*together)[g].order == order.make(pattern_of(graphs[g]), 5));
    CHECK((*together)[g].reordered.tiles == tiles_of(pattern_of(graphs[g]), (*together)[g].order));
  }
}

TEST_CASE("progress ends with all graphs, an answer of false stops, and the first refusal is passed on") {
  const std::vector<Graph> graphs = test::small_graphs();
  std::vector<std::size_t> told;
  const auto done = reorder_graphs(graphs, find_order(OrderId::rcm), {1, 2, [&told](std::size_t count, std::size_t) {
                                                                        told.push_back(count);
                                                                        return true;
                                                                      }});
  REQUIRE(done);
  CHECK(std::ranges::is_sorted(told));
  CHECK(told.back() == graphs.size());
  CHECK(!reorder_graphs(graphs, find_order(OrderId::rcm), {1, 2, [](std::size_t, std::size_t) { return false; }}));
  const std::string message = message_of([&] {
    (void)reorder_graphs(graphs, find_order(OrderId::hilbert), {1, 3, {}});
  });
  CHECK(contains(message, "'" + graphs.front().name() + "'"));
}
