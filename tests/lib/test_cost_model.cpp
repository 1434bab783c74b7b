// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/cost_model.hpp>
#include <octile/pair_schedule.hpp>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

TEST_CASE("an iteration is counted in operations and bytes") {
  // A triangle has 6 elements, a path of 4 vertices too.
  const std::vector<Graph> graphs{bare("triangle", 3, cycle_edges(3)), bare("path", 4, path_edges(4))};
  const CostModel model(graphs);
  const IterationCount count = model.count({0, 1}, {9, 4, 8});
  CHECK(count.operations == 9 * 6 * 6 + 16 * 12);
  CHECK(count.bytes == (6 + 6) * (4 + 8) + 17 * 12 * 4);
}

TEST_CASE("sums over all pairs are those of the pairs one by one") {
  const std::vector<Graph> graphs{bare("triangle", 3, cycle_edges(3)), bare("path", 4, path_edges(4))};
  const PairSums sums = CostModel(graphs).sums();
  CHECK(sums.pairs == 3);
  CHECK(sums.element_pairs == 6 * 6 + 6 * 6 + 6 * 6);
  CHECK(sums.vertex_pairs == 3 * 3 + 3 * 4 + 4 * 4);
  CHECK(sums.element_vertices == 2 * 6 * 3 + (6 * 4 + 3 * 6) + 2 * 6 * 4);
  CHECK(sums.row_pairs == sums.vertex_pairs);
  CHECK(sums.vertex_cubes == 27 + 64);
}

TEST_CASE("rows that are walked are those with elements") {
  const std::vector<Graph> graphs{bare("apart", 5, path_edges(3)), bare("path", 4, path_edges(4))};
  const CostModel model(graphs);
  CHECK(model.sums({0, 1}).row_pairs == (3 * 4 + 5 * 4) / 2.0);
  CHECK(model.sums().row_pairs == 3 * 5 + (3 * 4 + 5 * 4) / 2.0 + 4 * 4);
}

TEST_CASE("pairs are scheduled costliest first, each once, and equal ones in their order") {
  const std::vector<Graph> graphs{bare("edge", 2, path_edges(2)), bare("complete", 6, complete_edges(6)),
                                  bare("path", 4, path_edges(4)), bare("other edge", 2, path_edges(2))};
  const CostModel cost(graphs);
  const std::vector<Pair> pairs = costliest_first(graphs.size(), cost);
  REQUIRE(pairs.size() == 10);
  CHECK((pairs[0].first == 1 && pairs[0].second == 1));
  for (std::size_t k = 1; k < pairs.size(); ++k) CHECK(cost(pairs[k - 1]) >= cost(pairs[k]));
  CHECK((pairs[7].first == 0 && pairs[7].second == 0));
  CHECK((pairs[8].first == 0 && pairs[8].second == 3));
  CHECK((pairs[9].first == 3 && pairs[9].second == 3));
}
