// SPDX-License-Identifier: BSD-3-Clause
// A graph's two layouts for a GPU have each element of the graph once, and satisfy the conditions that the kernels
// assume without checking.
#include <octile/cuda/layout/lane_slices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

namespace {

using namespace octile;
using namespace octile::cuda;
using namespace octile::test;

constexpr auto width = static_cast<std::size_t>(slice_lanes);

/// (row, column, number of the edge)
using Element = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Graph random_pattern(std::int32_t n, double density, std::uint64_t seed) {
  return bare("n=" + std::to_string(n) + " density=" + std::to_string(density) + " seed=" + std::to_string(seed), n,
              random_edges(n, density, seed));
}

/// Sizes around those of a tile, a warp and two warps, from no edges to all; vertices with and without edges in
/// one graph; hubs with one edge a lane, with as many as a lane holds at a time, and with more.
std::vector<Graph> graphs() {
  std::vector<Graph> all;
  for (const std::int32_t n : {1, 7, 8, 9, 31, 32, 33, 64, 65}) {
    for (const double density : {0.0, 0.08, 0.5, 1.0}) all.push_back(random_pattern(n, density, 11));
  }
  all.push_back(bare("one edge and an isolated vertex", 3, {{0, 2, 1.0}}));
  for (const std::int32_t n : {33, 34, 129, 130, 200}) {
    all.push_back(bare("star of " + std::to_string(n), n, star_edges(n)));
  }
  all.push_back(bare("full tiles of 40 and 150", 190, bipartite_edges(40, 150)));
  return all;
}

/// Calls check(graph, its layout).
template <class Check>
void for_each_graph(const Check& check) {
  for (const Graph& graph : graphs()) {
    CAPTURE(graph.name());
    check(graph, slice_graph(graph));
  }
}

/// Both triangles, in the order of rows and columns.
std::vector<Element> elements_of(const Graph& graph) {
  std::vector<Element> elements;
  for (std::uint32_t e = 0; e < graph.edge_count(); ++e) {
    const auto i = static_cast<std::uint32_t>(graph.edges()[e].i);
    const auto j = static_cast<std::uint32_t>(graph.edges()[e].j);
    elements.emplace_back(i, j, e);
    elements.emplace_back(j, i, e);
  }
  std::ranges::sort(elements);
  return elements;
}

/// The vertex that each lane works for; none if it is idle.
std::vector<std::uint32_t> vertices_of(const std::vector<Lane>& lanes) {
  std::vector<std::uint32_t> vertices(lanes.size(), none);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane].row == none) continue;
    const std::size_t end = std::min<std::size_t>(lane + lanes[lane].remaining, lanes.size());
    for (std::size_t k = lane; k < end; ++k) vertices[k] = lanes[lane].row;
  }
  return vertices;
}

/// Calls visit(slice, lane, pointer to the lane's first slot); the next slot of the lane is 32 on.
template <class Visit>
void for_each_lane(const SlicedGraph& sliced, const Visit& visit) {
  const RowElement* first = sliced.slots.data();
  for (std::size_t s = 0; s < sliced.slices.size(); ++s) {
    for (std::size_t l = 0; l < width; ++l) visit(sliced.slices[s], width * s + l, first + l);
    first += width * sliced.slices[s].slots;
  }
}

/// Bank passes of all slots.
int passes_of(const SlicedGraph& sliced) {
  int sum = 0;
  for (std::size_t slot = 0; slot < sliced.slots.size(); slot += width) sum += bank_passes(&sliced.slots[slot]);
  return sum;
}

/// `sliced` with each lane's edges sorted by column, and with padding that costs no bank access.
SlicedGraph in_column_order(SlicedGraph sliced) {
  RowElement* first = sliced.slots.data();
  for (const Slice slice : sliced.slices) {
    for (std::size_t l = 0; l < width; ++l) {
      std::vector<RowElement> lane;
      for (std::size_t s = 0; s < slice.slots; ++s) lane.push_back(first[width * s + l]);
      std::ranges::sort(lane, {}, [](RowElement element) { return std::pair(element.edge == none, element.column); });
      for (std::size_t s = 0; s < slice.slots; ++s) first[width * s + l] = lane[s];
    }
    for (std::size_t s = 0; s < slice.slots; ++s, first += width) {
      const RowElement* real = std::find_if(first, first + width, [](RowElement e) { return e.edge != none; });
      const std::uint32_t column = real == first + width ? 0 : real->column;
      for (std::size_t l = 0; l < width; ++l) {
        if (first[l].edge == none) first[l].column = column;
      }
    }
  }
  return sliced;
}

TEST_CASE("the rows hold every element of both triangles once, under its row and by column") {
  for_each_graph([](const Graph& graph, const SlicedGraph& sliced) {
    const auto n = static_cast<std::uint32_t>(graph.vertex_count());

    REQUIRE(sliced.row_begin.size() == n + 1);
    REQUIRE(sliced.row_begin.front() == 0);
    REQUIRE(sliced.row_begin.back() == sliced.rows.size());
    std::vector<Element> found;
    for (std::uint32_t row = 0; row < n; ++row) {
      for (std::uint32_t k = sliced.row_begin[row]; k < sliced.row_begin[row + 1]; ++k) {
        if (sliced.rows[k].edge != none) found.emplace_back(row, sliced.rows[k].column, sliced.rows[k].edge);
      }
    }
    CHECK(found == elements_of(graph));
  });
}

TEST_CASE("the slots hold every element of both triangles once, under a lane of its vertex") {
  for_each_graph([](const Graph& graph, const SlicedGraph& sliced) {
    const std::vector<std::uint32_t> vertices = vertices_of(sliced.lanes);

    std::vector<Element> found;
    for_each_lane(sliced, [&](Slice slice, std::size_t lane, const RowElement* slot) {
      for (std::uint32_t s = 0; s < slice.slots; ++s, slot += width) {
        if (slot->edge != none) found.emplace_back(vertices[lane], slot->column, slot->edge);
      }
    });
    std::ranges::sort(found);
    CHECK(found == elements_of(graph));
  });
}

TEST_CASE("slices have 32 lanes, and their slots follow one another without a gap") {
  for_each_graph([](const Graph&, const SlicedGraph& sliced) {
    std::size_t slots = 0;
    for (const Slice slice : sliced.slices) {
      CHECK(slice.slots >= 1);
      slots += slice.slots;
    }
    CHECK(sliced.lanes.size() == width * sliced.slices.size());
    CHECK(sliced.slots.size() == width * slots);
  });
}

TEST_CASE("a vertex without edges has one padding element among the rows and one lane") {
  for_each_graph([](const Graph& graph, const SlicedGraph& sliced) {
    const std::vector<std::uint32_t> vertices = vertices_of(sliced.lanes);
    const std::vector<double> degrees = graph.weighted_degrees();

    for (std::uint32_t v = 0; v < degrees.size(); ++v) {
      const std::uint32_t first = sliced.row_begin[v];
      if (degrees[v] > 0) {
        // No padding where there are edges: they would cost time.
        for (std::uint32_t k = first; k < sliced.row_begin[v + 1]; ++k) CHECK(sliced.rows[k].edge != none);
      } else {
        CHECK(sliced.row_begin[v + 1] == first + 1);
        CHECK(sliced.rows[first].edge == none);
        CHECK(std::ranges::count(vertices, v) == 1);
      }
    }
  });
}

TEST_CASE("the lanes of a vertex are side by side in one slice, and count down to the last") {
  for_each_graph([](const Graph&, const SlicedGraph& sliced) {
    std::uint32_t left = 0;
    for (std::size_t lane = 0; lane < sliced.lanes.size(); ++lane) {
      const Lane& here = sliced.lanes[lane];
      CAPTURE(lane);
      if (lane % width == 0) REQUIRE(left == 0);
      if (left > 0) {
        CHECK(here.row == none);
        CHECK(here.remaining == left);
      } else if (here.row == none) {
        CHECK(here.remaining == 1);
      }
      REQUIRE(here.remaining >= 1);
      left = here.remaining - 1;
    }
    CHECK(left == 0);
  });
}

TEST_CASE("every vertex is written by one lane") {
  for_each_graph([](const Graph& graph, const SlicedGraph& sliced) {
    std::vector<int> writers(static_cast<std::size_t>(graph.vertex_count()), 0);
    for (const Lane& lane : sliced.lanes) {
      if (lane.row != none) ++writers.at(lane.row);
    }
    CHECK(std::ranges::all_of(writers, [](int count) { return count == 1; }));
  });
}

TEST_CASE("the halvings of a slice suffice for its vertex of most lanes, and one fewer would not") {
  for_each_graph([](const Graph&, const SlicedGraph& sliced) {
    for (std::size_t s = 0; s < sliced.slices.size(); ++s) {
      std::uint32_t most = 0;
      for (std::size_t l = 0; l < width; ++l) most = std::max(most, sliced.lanes[width * s + l].remaining);
      const std::uint32_t steps = sliced.slices[s].steps;
      REQUIRE(steps <= 5);
      CHECK((1U << steps) >= most);
      if (steps > 0) CHECK((1U << (steps - 1)) < most);
    }
  });
}

TEST_CASE("padding reads columns that are there") {
  for_each_graph([](const Graph& graph, const SlicedGraph& sliced) {
    const auto there = [&graph](RowElement element) {
      return element.column < static_cast<std::uint32_t>(graph.vertex_count());
    };

    CHECK(std::ranges::all_of(sliced.rows, there));
    CHECK(std::ranges::all_of(sliced.slots, there));
  });
}

TEST_CASE("a hub shares its edges out among all lanes of a slice, which hold more than 4 each from 129 edges on") {
  const SlicedGraph of_128 = slice_graph(bare("star of 129", 129, star_edges(129)));
  const SlicedGraph of_129 = slice_graph(bare("star of 130", 130, star_edges(130)));

  const auto slots_of_hub = [](const SlicedGraph& sliced) {
    std::uint32_t slots = 0;
    for_each_lane(sliced, [&](Slice slice, std::size_t lane, const RowElement*) {
      if (sliced.lanes[lane].row == 0 && sliced.lanes[lane].remaining == slice_lanes) slots = slice.slots;
    });
    return slots;
  };
  CHECK(slots_of_hub(of_128) == slots_at_once);
  CHECK(slots_of_hub(of_129) == slots_at_once + 1);
}

TEST_CASE("a slot takes as many passes as the bank with most distinct columns has of them") {
  const auto passes = [](auto column_of) {
    std::array<RowElement, width> slot;
    for (std::uint32_t lane = 0; lane < width; ++lane) slot.at(lane) = {lane, column_of(lane)};
    return bank_passes(slot.data());
  };

  CHECK(passes([](std::uint32_t) { return 40U; }) == 1);
  CHECK(passes([](std::uint32_t lane) { return lane; }) == 1);
  CHECK(passes([](std::uint32_t lane) { return 7 + 3 * lane; }) == 1);
  CHECK(passes([](std::uint32_t lane) { return 2 * lane; }) == 2);
  CHECK(passes([](std::uint32_t lane) { return 32 * lane; }) == 32);
  CHECK(passes([](std::uint32_t lane) { return 32 * (lane % 3); }) == 3);
  CHECK(passes([](std::uint32_t lane) { return lane < 30 ? lane : 32 * lane; }) == 3);
}

TEST_CASE("the order of edges in the slots takes no more passes than the order of columns") {
  int chosen = 0;
  int plain = 0;
  for (const std::int32_t n : {33, 65, 96, 200, 300}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Graph graph = random_pattern(n, 8.0 / n, seed);
      CAPTURE(graph.name());

      const SlicedGraph sliced = slice_graph(graph);
      const SlicedGraph by_column = in_column_order(sliced);

      CHECK(passes_of(sliced) <= passes_of(by_column));
      chosen += passes_of(sliced);
      plain += passes_of(by_column);
    }
  }
  INFO("passes: ", chosen, " as chosen, ", plain, " by column");
  CHECK(chosen < plain);
}

}  // namespace
