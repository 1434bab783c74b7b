// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <octile/cuda/layout/factor_lists.hpp>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::cuda;

namespace {

/// Two factors a record, none of them 0, different for each record.
Factors numbered_factors(std::size_t records) {
  Factors factors;
  factors.rank = factors.terms = 2;
  for (std::size_t e = 0; e < records; ++e) {
    factors.values.push_back(1.0 + static_cast<double>(e));
    factors.values.push_back(-1.0 - static_cast<double>(e));
  }
  factors.errors = {2.0, 1e-3, 0.0};
  return factors;
}

/// A graph with hubs, leaves and an isolated vertex.
Graph uneven_graph(std::int32_t vertices) {
  std::vector<Edge> edges;
  for (std::int32_t v = 1; v + 1 < vertices; ++v) edges.push_back({v % 3 == 0 ? v - 1 : 0, v, 1.0});
  return Graph::from_edges("uneven", vertices, edges, {}, {});
}

/// The layout of one graph, with record e for edge e and all weights 1.
struct Laid {
  Factors factors;
  FactorLists lists;
  VertexOrder order;

  explicit Laid(const Graph& graph)
      : factors(numbered_factors(graph.edge_count())), lists(FactorForms{&factors, 1, false, true}) {
    std::vector<std::uint32_t> records(graph.edge_count());
    for (std::uint32_t e = 0; e < records.size(); ++e) records[e] = e;
    order = lists.add(graph, records, std::vector<float>(records.size(), 1.0F));
  }
};

/// `value(e)` of each edge e, in both directions.
template <class Value>
auto both_ways(const Graph& graph, const Value& value) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, decltype(value(std::size_t{}))> edges;
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    const auto i = static_cast<std::uint32_t>(graph.edges()[e].i);
    const auto j = static_cast<std::uint32_t>(graph.edges()[e].j);
    edges[{i, j}] = edges[{j, i}] = value(e);
  }
  return edges;
}

}  // namespace

TEST_CASE("a number in half precision is the nearest") {
  CHECK(bits_of_half(0) == 0);
  CHECK(bits_of_half(1) == 0x3C00);
  CHECK(bits_of_half(-2) == 0xC000);
  CHECK(bits_of_half(1 + 0x1p-11) == 0x3C00);        // half way: the even one
  CHECK(bits_of_half(1 + 0x1.8p-10) == 0x3C02);      // half way: the even one, above
  CHECK(bits_of_half(2 - 0x1p-12) == 0x4000);        // carries
  CHECK(bits_of_half(0x1p-14 - 0x1p-26) == 0x0400);  // the least that is not subnormal
  CHECK(bits_of_half(0x1p-24) == 1);
  CHECK(bits_of_half(0x1p-26) == 0);
  CHECK(bits_of_half(65504) == 0x7BFF);
}

TEST_CASE("rows have an even number of entries, the padding of factor 0") {
  const Graph graph = uneven_graph(33);
  const Laid laid(graph);
  const std::vector<std::uint32_t>& begins = laid.lists.row_begin();
  REQUIRE(begins.size() == 34);
  CHECK(std::ranges::all_of(begins, [](std::uint32_t begin) { return begin % 2 == 0; }));
  std::size_t padding = 0;
  const auto words = laid.lists.entry_words();
  for (std::size_t e = 0; e < begins.back(); ++e) padding += words[2 * e] == 0 ? 1 : 0;
  CHECK(begins.back() - padding == 2 * graph.edge_count());
}

TEST_CASE("fours hold every edge once in each direction with its factor, and padding up to their longest row") {
  for (const std::int32_t vertices : {1, 2, 4, 5, 33, 128}) {
    CAPTURE(vertices);
    const Graph graph = uneven_graph(vertices);
    const Laid laid(graph);
    const auto expected =
        both_ways(graph, [&](std::size_t e) { return static_cast<float>(laid.factors.values[2 * e]); });
    const auto words = laid.lists.four_ends();
    const auto factors = laid.lists.four_factors();
    const std::vector<std::uint32_t>& begins = laid.lists.four_begin();
    REQUIRE(begins.size() == static_cast<std::size_t>((vertices + 3) / 4 + 1));
    REQUIRE(words.size() == std::size_t{4} * begins.back());
    REQUIRE(factors.size() == 2 * words.size());
    CHECK(laid.lists.last_elements() == factors.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> got;
    for (std::size_t four = 0; four + 1 < begins.size(); ++four) {
      bool whole = false;  // whether some row needs the last words
      for (std::size_t word = std::size_t{4} * begins[four]; word < std::size_t{4} * begins[four + 1]; ++word) {
        for (std::size_t k = 0; k < 2; ++k) {
          const std::uint32_t end = words[word] >> (16 * k) & 0xFFFF;
          if (end == no_end) {
            CHECK(factors[2 * word + k] == 0);
            continue;
          }
          whole = whole || word / 4 + 1 == begins[four + 1];
          const bool is_new =
              got.emplace(std::pair(laid.order[4 * four + word % 4], laid.order[end]), factors[2 * word + k]).second;
          CHECK(is_new);
        }
      }
      CHECK((whole || begins[four] == begins[four + 1]));
    }
    CHECK(got == expected);
  }
  CHECK(Laid(uneven_graph(129)).lists.four_ends().empty());
}
