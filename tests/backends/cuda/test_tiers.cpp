// SPDX-License-Identifier: BSD-3-Clause
// Which kernel of the native backend solves which pair: tiers, shared memory, orientation, order of launches. Needs no GPU.
#include <octile/backends.hpp>
#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/plan/growing_limits.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/graph.hpp>
#include <octile/kernels/lowering.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/many_records.hpp"

using namespace octile;
using namespace octile::cuda;

namespace {

/// Bytes of an element, of a label and a column, and of the two tiles of a warp, for labels of four bytes.
constexpr std::size_t element = 16;
constexpr std::size_t label_and_column = 8;
constexpr std::size_t tiles = 1024;

constexpr ProductMemory slices_memory{ProductMemory::Form::slices, 0, element};
constexpr auto slices = slice_tiers<LargestSlices::distributed_near>(slices_memory, label_and_column);
constexpr auto typed_slices = slice_tiers<LargestSlices::in_registers>(slices_memory, 0);
constexpr auto octiles = octile_tiers<true>(tiles);
constexpr auto octile_warps = octile_tiers<false>(tiles);
constexpr auto several_factors = factored_tiers<3, false>();
constexpr auto one_factor = factored_tiers<1, false>();
constexpr auto constant_weights = factored_tiers<1, true>();

struct TierList {
  const char* name;
  Product product;
  std::span<const Tier> tiers;
  std::size_t chunk = 0;
};
const std::vector<TierList> lists{{"slices", Product::slices, slices},
                                  {"slices, vertex kernel a type", Product::slices, typed_slices},
                                  {"octiles", Product::octiles, octiles},
                                  {"octiles, a warp a pair", Product::octiles, octile_warps},
                                  {"several factors", Product::factored, several_factors, 3},
                                  {"one factor", Product::factored, one_factor, 1},
                                  {"constant weights", Product::factored, constant_weights, 1}};

/// Sizes of graphs with these vertices and the given degree, or complete if that is less.
SetSizes set_of(const std::vector<std::size_t>& vertices, std::size_t degree, std::size_t ids = 4) {
  SetSizes set;
  set.vertices = vertices;
  for (const std::size_t n : vertices) set.row_elements.push_back(n * std::min(degree, n - 1));
  set.costs.assign(vertices.size(), {11, 14});
  set.vertex_ids = ids;
  set.vertex_label_bytes = sizeof(std::uint32_t);
  return set;
}

const std::vector<std::size_t> sizes{1, 7, 8, 9, 31, 33, 64, 65, 96, 97, 200};

std::vector<Pair> all_pairs(std::size_t graphs) {
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; static_cast<std::size_t>(i) < graphs; ++i) {
    for (std::int32_t j = 0; static_cast<std::size_t>(j) < graphs; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

std::pair<int, int> numbers(Pair pair) { return {pair.first, pair.second}; }

/// The number of the tier that takes the one pair of two such graphs.
std::size_t tier_of(const TierList& list, std::size_t n, std::size_t m, std::size_t degree, std::size_t ids = 4) {
  return PairPlan(list.product, list.tiers, set_of({n, m}, degree, ids), list.chunk, hopper_shared_memory)
      .place({0, 1})
      .tier;
}

}  // namespace

TEST_CASE("every pair has a tier that has room for it, whatever its edges and vertex ids") {
  for (const TierList& list : lists) {
    for (const std::size_t degree : {std::size_t{0}, std::size_t{3}, std::size_t{500}}) {
      for (const std::size_t ids : {std::size_t{1}, std::size_t{26}, std::size_t{512}}) {
        CAPTURE(list.name);
        CAPTURE(degree);
        CAPTURE(ids);
        const PairPlan plan(list.product, list.tiers, set_of(sizes, degree, ids), list.chunk, hopper_shared_memory);
        for (const Pair& pair : all_pairs(sizes.size())) {
          const auto [placed, number, bytes] = plan.place(pair);
          const Tier& tier = list.tiers[number];
          const std::size_t n = plan.vertices(placed.first);
          const std::size_t m = plan.vertices(placed.second);
          CHECK(bytes == plan.shared_bytes(tier, placed));
          CHECK(bytes <= hopper_shared_memory);
          CHECK(n <= tier.rows);
          CHECK(m <= tier.columns);
          CHECK(n * m <= tier.most_elements());
          CHECK(tier.threads % 32 == 0);
          CHECK((tier.place == VectorPlace::global) == (plan.vectors(tier) >= vectors_in_global(VectorPlace::global)));
        }
      }
    }
  }
}

TEST_CASE("pairs go to the tiers that were measured for them") {
  const auto threads_and_places = [](const TierList& list, std::size_t n, std::size_t m, std::size_t degree) {
    const Tier& tier = list.tiers[tier_of(list, n, m, degree)];
    return std::pair(tier.threads, tier.places);
  };
  const TierList& by_slices = lists[0];
  CHECK(threads_and_places(by_slices, 16, 16, 3) == std::pair(32, 8));
  CHECK(threads_and_places(by_slices, 17, 16, 3) == std::pair(32, 12));
  CHECK(threads_and_places(by_slices, 64, 64, 3) == std::pair(256, 16));
  CHECK(threads_and_places(by_slices, 64, 65, 3) == std::pair(512, 12));
  CHECK(threads_and_places(by_slices, 96, 96, 3) == std::pair(256, 36));
  CHECK(threads_and_places(by_slices, 96, 96, 6) == std::pair(1024, 9));  // 36 terms an element
  CHECK(threads_and_places(by_slices, 90, 97, 3) == std::pair(512, 18));  // more columns than are distributed
  CHECK(threads_and_places(by_slices, 97, 97, 3) == std::pair(1024, 0));
  const TierList& by_factors = lists[4];
  CHECK(threads_and_places(by_factors, 32, 7, 3) == std::pair(128, 8));
  CHECK(threads_and_places(by_factors, 33, 7, 3) == std::pair(256, 16));
  CHECK(threads_and_places(by_factors, 65, 96, 3) == std::pair(384, 24));
  const TierList& by_constant = lists[6];
  CHECK(threads_and_places(by_constant, 40, 40, 3) == std::pair(256, 16));  // along edges
  CHECK(threads_and_places(by_constant, 40, 40, 5) == std::pair(96, 24));   // matrices, from ten ends on
  CHECK(threads_and_places(by_constant, 97, 128, 3) == std::pair(512, 32));
}

TEST_CASE("labels too large for a split exponent, and vertex ids without room, go to the tier behind") {
  SetSizes set = set_of({96, 96}, 3);
  const auto tier = [&set] {
    return PairPlan(Product::slices, slices, set, 0, hopper_shared_memory).place({0, 1}).tier;
  };
  set.largest_label = largest_near_label;
  const std::size_t near = tier();
  CHECK(slices[near].most_label == largest_near_label);
  set.largest_label = largest_near_label + 1;
  CHECK(tier() == near + 1);
  const TierList& by_factors = lists[4];
  const std::size_t matrices = tier_of(by_factors, 96, 96, 3, 26);
  CHECK(by_factors.tiers[matrices].place == VectorPlace::distributed);
  CHECK(by_factors.tiers[tier_of(by_factors, 96, 96, 3, 60)].place == VectorPlace::shared);
  CHECK(by_factors.tiers[tier_of(by_factors, 32, 32, 3, 512)].place == VectorPlace::distributed);
}

TEST_CASE("the largest pair of each tier fits it") {
  for (const TierList& list : lists) {
    CAPTURE(list.name);
    for (const Tier& tier : list.tiers) {
      CAPTURE(tier.threads);
      CAPTURE(tier.places);
      if (tier.places == 0) continue;
      const std::size_t rows = std::min<std::size_t>(tier.rows, 64);
      const std::size_t columns = std::min(tier.columns, tier.most_elements() / rows);
      const PairPlan plan(list.product, list.tiers, set_of({rows, columns}, 6), list.chunk, hopper_shared_memory);
      CHECK(plan.shared_bytes(tier, {0, 1}) <= hopper_shared_memory);
      CHECK(rows * columns <= tier.most_elements());
      // A distributed tier has exactly one place for each element.
      if (tier.place == VectorPlace::distributed) CHECK(tier.rows * tier.columns == tier.most_elements());
    }
  }
}

TEST_CASE("a kernel for both systems has room for two numbers at each place, its pair's vertices and edges") {
  for (const std::size_t degree : {std::size_t{0}, std::size_t{3}, std::size_t{95}}) {
    CAPTURE(degree);
    const PairPlan plan(Product::slices, slices, set_of(sizes, degree), 0, hopper_shared_memory);
    for (const Pair& pair : all_pairs(sizes.size())) {
      const auto [placed, number, given] = plan.place(pair, Systems::both);
      const Tier& tier = slices[number];
      CHECK(given <= hopper_shared_memory);
      if (!solves_at_once(tier)) {
        CHECK(given == plan.shared_bytes(tier, placed));
        continue;
      }
      const std::size_t n = plan.vertices(placed.first);
      const std::size_t m = plan.vertices(placed.second);
      CAPTURE(n);
      CAPTURE(m);
      const std::size_t vertices = tier.threads > 32 ? staged_vertices(sizeof(std::uint32_t), n, m) : std::size_t{0};
      const std::size_t elements = plan.set().row_elements[static_cast<std::size_t>(placed.first)];
      CHECK(given == shared_head_bytes() + vertices + staged_elements(elements, element) + staged_rows(n) +
                         4 * sizeof(float) * tier.most_elements());
    }
  }
  // Where one number a place fits beside the edges of G and two do not, the tier behind takes the pair.
  const PairPlan plan(Product::slices, slices, set_of({92, 100}, 95), 0, hopper_shared_memory);
  CHECK(solves_at_once(slices[plan.place({0, 1}).tier]));
  CHECK(slices[plan.place({0, 1}, Systems::both).tier].place == VectorPlace::shared);
}

TEST_CASE("a set says whether its largest graph, paired with itself, has vectors in memory") {
  const auto in_memory = [](const std::vector<std::size_t>& vertices) {
    return PairPlan(Product::slices, slices, set_of(vertices, 10), 0, hopper_shared_memory).largest_in_memory();
  };
  CHECK(!in_memory({}));
  CHECK(!in_memory({1, 64, 96}));
  CHECK(in_memory({1, 130, 96}));
  CHECK(in_memory({500}));
}

TEST_CASE(
    "tiers whose pairs of the whole set do not fill the device are joined to the next larger one that is filled") {
  // 136 pairs of 9,216 elements, 32 of 1,920 and 3 of 400.
  std::vector<std::size_t> large_and_small(16, 96);
  large_and_small.insert(large_and_small.end(), 2, 20);
  const auto tiers_on = [&](std::size_t multiprocessors, const std::vector<std::size_t>& vertices, std::size_t degree) {
    const PairPlan plan(Product::slices, slices, set_of(vertices, degree), 0, hopper_shared_memory, multiprocessors);
    const auto last = static_cast<std::int32_t>(vertices.size() - 1);
    std::vector<std::size_t> tiers;
    for (const Pair& pair : {Pair{0, 0}, Pair{last, 0}, Pair{last, last}}) {
      const auto [placed, tier, bytes] = plan.place(pair);
      CHECK(bytes == plan.shared_bytes(slices[tier], placed));
      CHECK(plan.elements(pair) <= slices[tier].most_elements());
      tiers.push_back(tier);
    }
    return tiers;
  };
  constexpr std::size_t many_edges = 95;
  const std::vector<std::size_t> apart = tiers_on(0, large_and_small, many_edges);
  CHECK(apart[0] > apart[1]);
  CHECK(apart[1] > apart[2]);
  CHECK(slices[apart[0]].place == VectorPlace::registers);
  CHECK(tiers_on(132, large_and_small, many_edges) == std::vector(3, apart[0]));
  // No tier fills as many.
  CHECK(tiers_on(137, large_and_small, many_edges) == apart);
  // The joined tier takes no more pairs than it had.
  std::vector<std::size_t> more_small(16, 96);
  more_small.insert(more_small.end(), 16, 20);
  CHECK(tiers_on(132, more_small, many_edges) == apart);
  // A pair that the joined tier does not take, since its graphs have few edges, stays.
  SetSizes uneven = set_of(large_and_small, many_edges);
  uneven.row_elements[17] = 40;
  const PairPlan plan(Product::slices, slices, uneven, 0, hopper_shared_memory, 132);
  CHECK(plan.place({16, 16}).tier == apart[0]);
  CHECK(plan.place({17, 17}).tier == apart[2]);
  // A tier that distributes elements, of pairs with few edges, is not joined to one in registers of larger pairs.
  std::vector<std::size_t> beyond(32, 120);
  beyond.insert(beyond.end(), 2, 90);
  CHECK(slices[tiers_on(0, beyond, 3)[2]].place == VectorPlace::distributed);
  CHECK(tiers_on(132, beyond, 3) == tiers_on(0, beyond, 3));
  // What is joined is said.
  const std::string larger = " to " + std::to_string(apart[0]);
  CHECK(plan.joined() == std::to_string(apart[2]) + larger + ", " + std::to_string(apart[1]) + larger);
  // Where the largest pairs have few edges, their tier distributes elements and is not joined.
  CHECK(slices[tiers_on(0, large_and_small, 3)[0]].place == VectorPlace::distributed);
  CHECK(tiers_on(132, large_and_small, 3) == tiers_on(0, large_and_small, 3));
  // Sets of so many graphs have pairs enough.
  CHECK(tiers_on(132, std::vector<std::size_t>(300, 5), 3) == tiers_on(0, std::vector<std::size_t>(300, 5), 3));
}

TEST_CASE("the graph that fills lanes better goes second, and a pair is swapped to fit a tier that is no square") {
  SetSizes set = set_of({20, 20}, 3);
  set.costs = {{30, 14}, {11, 14}};
  const PairPlan plan(Product::slices, slices, set, 0, hopper_shared_memory);
  CHECK(numbers(plan.place({0, 1}).pair) == std::pair(0, 1));
  CHECK(numbers(plan.place({1, 0}).pair) == std::pair(0, 1));

  Tier narrow = several_factors[0];
  narrow.rows = 16;
  const std::vector<Tier> tiers{narrow, several_factors.back()};
  const PairPlan factored(Product::factored, tiers, set_of({30, 10}, 3), 3, hopper_shared_memory);
  CHECK(numbers(factored.place({0, 1}).pair) == std::pair(1, 0));
  CHECK(factored.place({0, 1}).tier == 0);
  CHECK(numbers(factored.place({1, 0}).pair) == std::pair(1, 0));
  CHECK(factored.place({0, 0}).tier == 1);
}

TEST_CASE("weights that halves do not hold together keep a set from the matrices in half precision") {
  SetSizes set = set_of({30, 10}, 3);
  for (const double spread : {1.0, most_spread_in_halves, 1.01 * most_spread_in_halves, 1e8}) {
    CAPTURE(spread);
    set.weight_spread = spread;
    const PairPlan plan(Product::factored, several_factors, set, 3, hopper_shared_memory);
    const bool in_halves = plan.place({0, 1}).tier < 3;
    CHECK(in_halves == (spread <= most_spread_in_halves));
  }
  CHECK(weight_spread(Graph::from_edges("", 3, {{0, 1, 0.5}, {1, 2, 8}})) == 16);
  CHECK(weight_spread(Graph::from_edges("", 3, {})) == 1);
}

TEST_CASE("launches have the pairs of one tier side by side, in the order given, the largest tier first") {
  for (const TierList& list : lists) {
    CAPTURE(list.name);
    const PairPlan plan(list.product, list.tiers, set_of(sizes, 3), list.chunk, hopper_shared_memory);
    const std::vector<Pair> pairs = all_pairs(sizes.size());
    const SortedPairs sorted = plan.sort(pairs);
    CHECK(std::set(sorted.places.begin(), sorted.places.end()).size() == pairs.size());
    std::size_t end = 0;
    for (std::size_t p = 0; p < sorted.parts.size(); ++p) {
      const Part& part = sorted.parts[p];
      CHECK(part.count > 0);
      CHECK(part.begin == end);
      end += part.count;
      if (p > 0) CHECK(part.tier < sorted.parts[p - 1].tier);
      std::size_t next = part.begin;
      std::size_t most_bytes = 0;
      std::size_t most_elements = 0;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (sorted.places[k] < part.begin || sorted.places[k] >= end) continue;
        const auto placed = plan.place(pairs[k]);
        CHECK(placed.tier == part.tier);
        CHECK(numbers(placed.pair) == numbers(sorted.oriented[k]));
        CHECK(sorted.places[k] == next++);
        most_bytes = std::max(most_bytes, placed.shared_bytes);
        most_elements = std::max(most_elements, plan.elements(placed.pair));
      }
      CHECK(next == end);
      CHECK(part.shared_bytes == most_bytes);
      CHECK(plan.elements(part.largest) == most_elements);
    }
    CHECK(end == pairs.size());
  }
}

TEST_CASE("a list that several threads sort is in the order given within each tier too") {
  std::vector<std::size_t> many;
  for (std::size_t g = 0; g < 150; ++g) many.push_back(sizes[g * 7 % sizes.size()]);
  const std::vector<Pair> pairs = all_pairs(many.size());
  REQUIRE(pairs.size() > 10'000);
  for (const TierList& list : lists) {
    CAPTURE(list.name);
    const PairPlan plan(list.product, list.tiers, set_of(many, 3), list.chunk, hopper_shared_memory);
    const SortedPairs sorted = plan.sort(pairs);
    std::vector<std::size_t> expected(pairs.size());
    std::iota(expected.begin(), expected.end(), std::size_t(0));
    std::ranges::stable_sort(expected, std::ranges::greater(),
                             [&](std::size_t k) { return plan.place(pairs[k]).tier; });
    std::size_t wrong = 0;
    for (std::size_t place = 0; place < expected.size(); ++place) {
      if (sorted.places[expected[place]] != place) ++wrong;
    }
    CHECK(wrong == 0);
    std::size_t begin = 0;
    for (const Part& part : sorted.parts) {
      CHECK(part.begin == begin);
      begin += part.count;
    }
    CHECK(begin == pairs.size());
  }
}

TEST_CASE("a list is cut where the next pair would be one too many, by its number or its unknowns") {
  std::vector<std::size_t> many(40);
  for (std::size_t g = 0; g < many.size(); ++g) many[g] = sizes[g % 7];
  const PairPlan plan(Product::slices, slices, set_of(many, 3), 0, hopper_shared_memory);
  std::vector<Pair> pairs;  // more than several threads count at a time
  while (pairs.size() < 20000) {
    for (const Pair pair : all_pairs(many.size())) pairs.push_back(pair);
  }
  const auto unknowns = [&](Pair pair) { return plan.vertices(pair.first) * plan.vertices(pair.second); };
  constexpr std::size_t no_limit = std::size_t(1) << 60;
  for (const ListRoom most : {ListRoom{3, no_limit}, ListRoom{7000, no_limit}, ListRoom{no_limit, 900},
                              ListRoom{no_limit, 3000000}, ListRoom{5000, 2000000}, ListRoom{no_limit, no_limit}}) {
    CAPTURE(most.pairs);
    CAPTURE(most.unknowns);
    std::vector<ListRoom> one_by_one;
    for (const Pair pair : pairs) {
      const bool fits = !one_by_one.empty() && one_by_one.back().pairs < most.pairs &&
                        one_by_one.back().unknowns + unknowns(pair) <= most.unknowns;
      if (!fits) one_by_one.emplace_back();
      ++one_by_one.back().pairs;
      one_by_one.back().unknowns += unknowns(pair);
    }
    const std::vector<ListRoom> cut = plan.lists_of(pairs, most);
    REQUIRE(cut.size() == one_by_one.size());
    for (std::size_t k = 0; k < cut.size(); ++k) {
      CHECK(cut[k].pairs == one_by_one[k].pairs);
      CHECK(cut[k].unknowns == one_by_one[k].unknowns);
    }
  }
  CHECK(plan.lists_of({}, {10, 10}).empty());
}

TEST_CASE("a pair that no tier takes is an error that says which") {
  const PairPlan plan(Product::slices, std::span(slices).first(3), set_of({40, 40}, 3), 0, hopper_shared_memory);
  std::string message;
  try {
    plan.place({0, 1});
  } catch (const std::exception& error) {
    message = error.what();
  }
  CHECK(message == "no tier takes a pair of 40 and 40 vertices");
}

TEST_CASE("bases are made from the pairs of small graphs with themselves, the costliest first") {
  const BasisPairs based(set_of({9, 200, 65, 33}, 3), 128);
  std::vector<std::int32_t> order;
  for (const Pair& pair : based.pairs) {
    CHECK(pair.first == pair.second);
    order.push_back(pair.first);
  }
  CHECK(order == std::vector<std::int32_t>{2, 3, 0});
  CHECK(based.graphs == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(based.length == 81 + 65 * 65 + 33 * 33);
  CHECK(based.most_vertices == 65);
}

TEST_CASE("starts are of use where half of the graphs are in tiers that have them, and their memory is there") {
  const auto has_use = [](const std::vector<std::size_t>& vertices, std::size_t memory) {
    return PairPlan(Product::factored, several_factors, set_of(vertices, 3), 3, hopper_shared_memory)
        .has_use_for_starts(memory, 128);
  };
  constexpr std::size_t memory = 4 * sizeof(float) * 2 * 33 * 33;
  CHECK(has_use({33, 33, 100, 200}, std::size_t{1} << 30));
  CHECK_FALSE(has_use({33, 100, 100, 200}, std::size_t{1} << 30));
  CHECK(has_use({33, 33}, memory));
  CHECK_FALSE(has_use({33, 33}, memory - 4));
}

TEST_CASE("dense products of one factor have projected systems for proofs alone, and strips have none") {
  const auto plan = [](const auto& tiers, std::size_t degree, int factors) {
    return PairPlan(Product::factored, tiers, set_of({96, 96}, degree), factors, hopper_shared_memory);
  };
  constexpr std::size_t memory = std::size_t{1} << 30;
  const PairPlan dense = plan(constant_weights, 12, 1);
  CHECK(dense.has_use_for_starts(memory, 128));
  CHECK_FALSE(dense.starts_solves());
  CHECK_FALSE(plan(constant_weights, 3, 1).has_use_for_starts(memory, 128));
  CHECK_FALSE(plan(one_factor, 12, 1).has_use_for_starts(memory, 128));
  CHECK(plan(several_factors, 12, 3).starts_solves());
}

TEST_CASE("vertex kernels are tabulated for as many records as pay and fit, and factors then have their tiers") {
  LoweredKernel vertex;
  vertex.program.resize(2);
  const auto tabulated = [&vertex](std::size_t records, std::size_t memory) {
    vertex.record_count = records;
    return tabulates_vertices(vertex, memory);
  };
  CHECK(tabulated(vertex_table_limit, std::size_t{8} << 30));
  CHECK_FALSE(tabulated(vertex_table_limit + 1, std::size_t{8} << 30));
  CHECK(tabulated(1000, 4 * 1000 * 1000 * vertex_table_bytes));
  CHECK_FALSE(tabulated(1000, 4 * 1000 * 1000 * vertex_table_bytes - 1));

  const std::vector<Graph> graphs = test::graphs_of_many_records(300, 30);
  const auto plan = [&graphs](const char* of_vertices) {
    const KernelSpec kernel{Expression::parse(of_vertices), Expression::parse("1"),
                            Stopping(StoppingMeaning::probability, 0.05)};
    return plan_native({graphs, kernel, Precision::float32, {1e-6, 2000}, {}, default_memory, Lowering::automatic},
                       true);
  };
  CHECK(plan("delta(a0,0.5)").lowering == Lowering::factored);
  // The product for any size, with a block of 1,024 threads for each pair, is dearer than the edges of such graphs.
  CHECK(plan(test::many_records_kernel).lowering == Lowering::on_the_fly);
}

TEST_CASE("an exponential is evaluated on a GPU, where a table would be read; a longer formula is read from one") {
  // Some hundred distinct lengths, which take many factors at this width.
  const std::vector<Graph> graphs{test::random_graph(20, 0.5, 1), test::random_graph(24, 0.5, 2),
                                  test::random_graph(22, 0.5, 3)};
  const auto plan = [&graphs](const char* of_edges, Lowering lowering) {
    const KernelSpec kernel{Expression::parse("1"), Expression::parse(of_edges),
                            Stopping(StoppingMeaning::probability, 0.05)};
    return plan_native({graphs, kernel, Precision::float32, {1e-6, 2000}, {}, default_memory, lowering}, true);
  };
  const char* const gaussian = "gaussian(length,0.01)";
  CHECK(plan(gaussian, Lowering::automatic).lowering == Lowering::on_the_fly);
  CHECK_FALSE(plan(gaussian, Lowering::automatic).lowered.edge.tabulated());
  CHECK(plan(gaussian, Lowering::table).lowering == Lowering::table);
  CHECK(plan("0.5*gaussian(length,0.01) + 0.5*rational(length,0.01,2)", Lowering::automatic).lowering ==
        Lowering::table);
}

TEST_CASE("limits of a kernel on a device only grow, whoever sets them at once") {
  GrowingLimits limits;
  std::size_t current = 0;
  const auto set = [&current](std::size_t value) { current = value; };
  int kernel = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t value = 1; value <= 1000; ++value) {
        limits.raise(&kernel, 0, 4 * value + t, set);
        limits.raise(&kernel, 0, value, set);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(current == 4003);
  limits.raise(&kernel, 0, 4003, [](std::size_t) { FAIL("is set already"); });
  limits.raise(&kernel, 1, 7, set);  // another device has a limit of its own
  CHECK(current == 7);
  CHECK_THROWS_AS(limits.raise(&kernel, 1, 9, [](std::size_t) { throw std::runtime_error("refused"); }),
                  std::runtime_error);
  limits.raise(&kernel, 1, 8, set);
  CHECK(current == 8);
}
