// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/cost_order.hpp>
#include <octile/pairs/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Graphs of 1 to 40 vertices; about half of them have the size of another.
std::vector<Graph> graphs_of_all_sizes() {
  std::vector<Graph> graphs;
  Random random(7);
  for (std::uint64_t k = 0; k < 60; ++k) {
    const std::int32_t n = 1 + random.below(40);
    graphs.push_back(bare("g", n, k % 2 == 0 ? path_edges(n) : random_edges(n, 0.3, k)));
  }
  return graphs;
}

bool same(Pair one, Pair other) { return one.first == other.first && one.second == other.second; }

}  // namespace

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
  const std::vector<Pair> pairs = costliest_first(cost);
  REQUIRE(pairs.size() == 10);
  CHECK((pairs[0].first == 1 && pairs[0].second == 1));
  for (std::size_t k = 1; k < pairs.size(); ++k) CHECK(cost(pairs[k - 1]) >= cost(pairs[k]));
  CHECK((pairs[7].first == 0 && pairs[7].second == 0));
  CHECK((pairs[8].first == 0 && pairs[8].second == 3));
  CHECK((pairs[9].first == 3 && pairs[9].second == 3));
}

TEST_CASE("a schedule holds every pair once, and none is costlier than the one before it") {
  const std::vector<Graph> graphs = graphs_of_all_sizes();
  const CostModel cost(graphs);
  const std::vector<Pair> pairs = costliest_first(cost);
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CHECK(pairs[k].first <= pairs[k].second);
    seen.insert({pairs[k].first, pairs[k].second});
    if (k > 0) CHECK(cost(pairs[k - 1]) >= cost(pairs[k]));
  }
  CHECK(pairs.size() == graphs.size() * (graphs.size() + 1) / 2);
  CHECK(seen.size() == pairs.size());
}

TEST_CASE("a schedule is the same in batches of any size, and a batch costs what was asked for") {
  const std::vector<Graph> graphs = graphs_of_all_sizes();
  const CostModel cost(graphs);
  const std::vector<Pair> whole = costliest_first(cost);
  for (const double work : {0.0, 1e3, 1e5, 1e9}) {
    CAPTURE(work);
    PairSchedule schedule(cost);
    double all = 0;
    std::vector<Pair> pairs;
    std::vector<Pair> batch;
    for (;;) {
      const double taken = schedule.next(work, batch);
      if (batch.empty()) break;
      double sum = 0;
      for (const Pair& pair : batch) sum += cost(pair);
      CHECK(sum == taken);
      const bool last = pairs.size() + batch.size() == whole.size();
      CHECK((last || taken >= work));
      CHECK((batch.size() == 1 || taken - cost(batch.back()) < work));
      all += taken;
      pairs.insert(pairs.end(), batch.begin(), batch.end());
    }
    CHECK(all == schedule.work());
    CHECK(std::ranges::equal(pairs, whole, same));
  }
}

TEST_CASE("places of a list are sorted costliest first, and equal ones stay in their order, by one thread and by all") {
  const std::vector<Graph> graphs = graphs_of_all_sizes();
  const CostModel cost(graphs);
  Random random(3);
  for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(5000), std::size_t(70000)}) {
    CAPTURE(count);
    std::vector<Pair> list(count);
    for (Pair& pair : list) pair = {random.below(60), random.below(60)};
    // Every other place, the last first.
    std::vector<std::size_t> places;
    for (std::size_t k = count; k-- > 0;) {
      if (k % 2 == 0) places.push_back(k);
    }
    std::vector<std::size_t> expected = places;
    std::ranges::stable_sort(expected, [&](std::size_t a, std::size_t b) { return cost(list[a]) > cost(list[b]); });
    CHECK(costliest_first(list, places, cost) == expected);
  }
}

TEST_CASE("costs that are nearly equal are sorted to one part in a million where places are many") {
  // Costs around 1e9, which differ from the tenth bit on and by less.
  std::vector<Graph> graphs;
  for (std::int32_t n = 4000; n < 4200; ++n) graphs.push_back(bare("path", n, path_edges(n)));
  const CostModel cost(graphs);
  std::vector<Pair> list;
  for (std::int32_t i = 0; i < 200; ++i) {
    for (std::int32_t j = 0; j < 200; ++j) list.push_back({i, j});
  }
  std::vector<std::size_t> places(list.size());
  std::iota(places.begin(), places.end(), std::size_t(0));
  const std::vector<std::size_t> sorted = costliest_first(list, places, cost);
  std::size_t wrong = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    if (cost(list[sorted[k]]) > cost(list[sorted[k - 1]]) * (1 + 1e-6)) ++wrong;
  }
  CHECK(wrong == 0);
  std::vector<std::size_t> back = sorted;
  std::ranges::sort(back);
  CHECK(back == places);
}

TEST_CASE("a class of more pairs than a thread writes at a time is scheduled whole") {
  // 300 graphs of one size: 45,150 pairs of one cost.
  const std::vector<Graph> graphs(300, bare("path", 4, path_edges(4)));
  const std::vector<Pair> pairs = costliest_first(CostModel(graphs));
  REQUIRE(pairs.size() == 45150);
  std::size_t k = 0;
  for (std::int32_t i = 0; i < 300; ++i) {
    for (std::int32_t j = i; j < 300; ++j, ++k) REQUIRE(same(pairs[k], {i, j}));
  }
}
