// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/pack_octiles.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <Kokkos_Core.hpp>

#include <set>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

namespace {

using namespace octile;

TEST_CASE("an octile's elements are numbered row by row") {
  CHECK(octile_bit(0, 0) == 0);
  CHECK(octile_bit(0, 7) == 7);
  CHECK(octile_bit(1, 0) == 8);
  CHECK(octile_bit(7, 7) == 63);
  for (int bit = 0; bit < octile_area; ++bit) CHECK(octile_bit(octile_row_of(bit), octile_column_of(bit)) == bit);
}

TEST_CASE("the number of octiles covers every row and no more") {
  for (const auto& [rows, octiles] : {std::pair{0, 0}, {1, 1}, {8, 1}, {9, 2}, {64, 8}, {65, 9}}) {
    CHECK(octile_count(rows) == octiles);
  }
}

TEST_CASE("the mask of the drawing in octile.hpp has its ranks and rows") {
  const OctileMask mask = octile_element(0, 1) | octile_element(0, 7) | octile_element(1, 0) | octile_element(7, 7);
  CHECK(octile_population(mask) == 4);
  CHECK(octile_rank(mask, octile_bit(0, 1)) == 0);
  CHECK(octile_rank(mask, octile_bit(0, 7)) == 1);
  CHECK(octile_rank(mask, octile_bit(1, 0)) == 2);
  CHECK(octile_rank(mask, octile_bit(7, 7)) == 3);
  CHECK(octile_row(mask, 0) == 0b10000010U);
  CHECK(octile_row(mask, 1) == 0b00000001U);
  CHECK(octile_row(mask, 2) == 0U);
  CHECK(octile_row(mask, 7) == 0b10000000U);
  CHECK(octile_lowest(mask) == 1);
  CHECK(octile_lowest(octile_without_lowest(mask)) == 7);
}

TEST_CASE("an empty and a full octile are no special cases") {
  CHECK(octile_population(0) == 0);
  const OctileMask full = ~OctileMask(0);
  CHECK(octile_population(full) == 64);
  CHECK(octile_rank(full, 63) == 63);
  CHECK(octile_row(full, 5) == 0xFFU);
}

TEST_CASE("walking any mask bit by bit visits its elements in the order they are packed") {
  CHECK(rc::check("walk order is rank order", [](OctileMask mask) {
    int visited = 0;
    for (OctileMask rest = mask; rest != 0; rest = octile_without_lowest(rest)) {
      RC_ASSERT(octile_rank(mask, octile_lowest(rest)) == visited);
      ++visited;
    }
    RC_ASSERT(visited == octile_population(mask));
    int by_row = 0;
    for (int i = 0; i < octile_size; ++i) by_row += octile_population(octile_row(mask, i));
    RC_ASSERT(by_row == visited);
  }));
}

TEST_CASE("a packed set holds every element of every graph once, and no empty octile") {
  std::vector<Graph> graphs;
  for (const int n : {1, 7, 8, 9, 31, 33, 64, 65}) {
    std::vector<Edge> edges;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        if ((7 * i + 3 * j + i * j) % 11 == 0) edges.push_back({i, j, 1.0 + i + 100.0 * j});
      }
    }
    graphs.push_back(Graph::from_edges("pattern", n, edges));
  }
  // A star with its centre last: one row of octiles ends in the column in which the next one begins.
  std::vector<Edge> rays;
  rays.reserve(24);
  for (int i = 0; i < 24; ++i) rays.push_back({i, 24, 1.0 + i});
  graphs.push_back(Graph::from_edges("star", 25, rays));
  const Kokkos::DefaultHostExecutionSpace space;
  const auto set = pack_octiles<double, int, std::uint32_t>(
      space, graphs, Stopping(StoppingMeaning::weight, 0.25),
      [](std::size_t g, std::size_t v) { return static_cast<int>(1000 * g + v); },
      [](std::size_t, std::size_t e) { return static_cast<std::uint32_t>(e); });

  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    REQUIRE(set.vertices(static_cast<int>(g)) == graph.vertex_count());
    std::set<std::pair<int, int>> seen;
    for (std::uint32_t row = set.octile_row_begin(g); row < set.octile_row_begin(g + 1); ++row) {
      std::int64_t last_column = -1;
      for (std::uint32_t t = set.octile_begin(row); t < set.octile_begin(row + 1); ++t) {
        const OctileHead head = set.octiles(t);
        CHECK(head.mask != 0);
        CHECK(static_cast<std::int64_t>(head.column) > last_column);
        last_column = head.column;
        std::uint32_t element = head.elements;
        for (OctileMask mask = head.mask; mask != 0; mask = octile_without_lowest(mask), ++element) {
          const int bit = octile_lowest(mask);
          const int i = static_cast<int>(row - set.octile_row_begin(g)) * octile_size + octile_row_of(bit);
          const int j = static_cast<int>(head.column) * octile_size + octile_column_of(bit);
          const Edge& edge = graph.edges().at(set.edge_labels(element));
          CHECK(std::minmax(i, j) == std::pair<const int&, const int&>(edge.i, edge.j));
          CHECK(set.weights(element) == edge.weight);
          CHECK(seen.insert({i, j}).second);
        }
      }
    }
    CHECK(seen.size() == 2 * graph.edge_count());
    const std::vector<double> degrees = graph.weighted_degrees();
    for (std::size_t v = 0; v < degrees.size(); ++v) {
      CHECK(set.degrees(set.vertex_begin(g) + v) == doctest::Approx(degrees[v] + 0.25).epsilon(1e-14));
      CHECK(set.vertex_labels(set.vertex_begin(g) + v) == static_cast<int>(1000 * g + v));
    }
  }
}

}  // namespace
