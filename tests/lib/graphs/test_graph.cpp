// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include <octile/graph.hpp>
#include <octile/start.hpp>

#include "common/graphs.hpp"
#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string refusal(std::int32_t vertex_count, std::vector<Edge> edges, LabelColumns vertices = {},
                    LabelColumns of_edges = {}) {
  return message_of([&] { Graph::from_edges("water", vertex_count, edges, vertices, of_edges); });
}

std::string adjacency_refusal(const std::vector<std::int32_t>& offsets, const std::vector<std::int32_t>& columns,
                              const std::vector<double>& weights, const LabelColumns& labels = {}) {
  return message_of([&] { Graph::from_adjacency("water", offsets, columns, weights, {}, labels); });
}

/// Every message names the graph, and the parts that it must.
void check_message(const std::string& message, std::initializer_list<std::string_view> parts) {
  CAPTURE(message);
  CHECK(contains(message, "'water'"));
  CHECK(!contains(message, "\n"));
  for (const std::string_view part : parts) {
    CAPTURE(part);
    CHECK(contains(message, part));
  }
}

std::vector<std::int64_t> integers(const LabelColumns& columns, const std::string& attribute) {
  return std::get<std::vector<std::int64_t>>(columns.at(attribute));
}

}  // namespace

TEST_CASE("edges are kept once, with i < j, in order, and their labels go along") {
  const Graph graph = Graph::from_edges("water", 4, {{3, 1, 0.5}, {0, 1, 2.0}, {2, 0, 1.0}}, {},
                                        {{"order", std::vector<std::int64_t>{31, 1, 20}}});

  CHECK(graph.name() == "water");
  CHECK(graph.vertex_count() == 4);
  CHECK(graph.edges() == std::vector<Edge>{{0, 1, 2.0}, {0, 2, 1.0}, {1, 3, 0.5}});
  CHECK(integers(graph.edge_labels(), "order") == std::vector<std::int64_t>{1, 20, 31});
  CHECK(graph.weighted_degrees() == std::vector<double>{3.0, 2.5, 1.0, 0.5});
}

TEST_CASE("an edge of weight zero is no edge, and its label goes with it") {
  const Graph graph = Graph::from_edges("water", 3, {{1, 2, 0.0}, {0, 1, 1.0}, {0, 2, -0.0}}, {},
                                        {{"order", std::vector<std::int64_t>{12, 1, 2}}});

  CHECK(graph.edges() == std::vector<Edge>{{0, 1, 1.0}});
  CHECK(integers(graph.edge_labels(), "order") == std::vector<std::int64_t>{1});
}

TEST_CASE("a graph of one vertex and no edges is a graph") {
  const Graph graph = Graph::from_edges("dot", 1, {});

  CHECK(graph.edge_count() == 0);
  CHECK(graph.weighted_degrees() == std::vector<double>{0.0});
  CHECK(graph.components() == std::vector<std::int32_t>{0});
}

TEST_CASE("wrong graphs are refused with the graph's name and the value") {
  check_message(refusal(0, {}), {"0 vertices"});
  check_message(refusal(-3, {}), {"-3"});
  check_message(refusal(3, {{0, 3, 1.0}}), {"(0, 3)", "vertex 3", "0 to 2"});
  check_message(refusal(3, {{-1, 2, 1.0}}), {"vertex -1", "0 to 2"});
  check_message(refusal(3, {{1, 1, 1.0}}), {"(1, 1)", "self-loop"});
  check_message(refusal(3, {{0, 1, 1.0}, {1, 0, 1.0}}), {"(0, 1)", "twice"});
  check_message(refusal(3, {{0, 1, 1.0}, {0, 1, 0.0}}), {"(0, 1)", "twice"});
  check_message(refusal(3, {{0, 1, -0.5}}), {"(0, 1)", "-0.5"});
  check_message(refusal(3, {{0, 1, infinity}}), {"(0, 1)", "inf"});
  check_message(refusal(3, {{0, 1, not_a_number}}), {"(0, 1)", "nan"});
}

TEST_CASE("wrong label columns are refused with the graph's name, the label's and the value") {
  const std::vector<Edge> edges{{0, 1, 1.0}, {1, 2, 1.0}};
  check_message(refusal(3, edges, {{"charge", std::vector<double>{1, 2}}}), {"vertex", "'charge'", "2", "3"});
  check_message(refusal(3, edges, {}, {{"length", std::vector<double>{1, 2, 3}}}), {"edge", "'length'", "3", "2"});
  check_message(refusal(3, edges, {{"charge", std::vector<double>{1, infinity, 2}}}), {"'charge'", "inf", "1"});
  check_message(refusal(3, edges, {}, {{"length", std::vector<double>{1, not_a_number}}}), {"'length'", "nan", "1"});
  check_message(refusal(3, edges, {}, {{"parts", std::vector<RealList>{{1, 2}, {3, -infinity}}}}),
                {"'parts'", "-inf", "1"});
}

TEST_CASE("an adjacency matrix gives the graph of its upper triangle") {
  // 0–1 of weight 2 labelled 10, 1–2 of weight 3 labelled 20; rows need not be sorted.
  const std::vector<std::int32_t> offsets{0, 1, 3, 4};
  const std::vector<std::int32_t> columns{1, 2, 0, 1};
  const std::vector<double> weights{2, 3, 2, 3};

  const Graph graph =
      Graph::from_adjacency("water", offsets, columns, weights, {{"kind", std::vector<std::int64_t>{5, 6, 7}}},
                            {{"order", std::vector<std::int64_t>{10, 20, 10, 20}}});

  CHECK(graph.edges() == std::vector<Edge>{{0, 1, 2.0}, {1, 2, 3.0}});
  CHECK(integers(graph.edge_labels(), "order") == std::vector<std::int64_t>{10, 20});
  CHECK(integers(graph.vertex_labels(), "kind") == std::vector<std::int64_t>{5, 6, 7});
}

TEST_CASE("an explicit zero in an adjacency matrix needs no mirror image") {
  const std::vector<std::int32_t> offsets{0, 2, 3, 3};
  const std::vector<std::int32_t> columns{1, 2, 0};
  const std::vector<double> weights{2, 0, 2};

  CHECK(Graph::from_adjacency("water", offsets, columns, weights).edge_count() == 1);
}

TEST_CASE("an adjacency matrix that is not symmetric, or no matrix, is refused") {
  check_message(adjacency_refusal({0, 1, 2}, {1, 0}, {1.0, 2.0}), {"(0, 1)", "(1, 0)", "1", "2"});
  check_message(adjacency_refusal({0, 1, 1}, {1}, {1.0}), {"(0, 1)", "(1, 0)"});
  check_message(adjacency_refusal({0, 0, 1}, {0}, {1.0}), {"(1, 0)", "(0, 1)"});
  check_message(adjacency_refusal({0, 1, 2}, {1, 0}, {1.0, 1.0}, {{"order", std::vector<std::int64_t>{4, 5}}}),
                {"'order'", "4", "5", "(0, 1)", "(1, 0)"});
  check_message(adjacency_refusal({0, 1}, {0}, {1.0}), {"(0, 0)", "self-loop"});
  check_message(adjacency_refusal({0, 2, 4}, {1, 1, 0, 0}, {1.0, 1.0, 1.0, 1.0}), {"twice"});
  check_message(adjacency_refusal({0, 1, 2}, {1, 2}, {1.0, 1.0}), {"vertex 2"});
  check_message(adjacency_refusal({0, 1, 2}, {1, 0}, {1.0}), {"weights", "1", "2"});
  check_message(adjacency_refusal({}, {}, {}), {"vertices"});
  check_message(adjacency_refusal({0}, {}, {}), {"0 vertices"});
  check_message(adjacency_refusal({0, 1, 3}, {1, 0}, {1.0, 1.0}), {"offsets"});
  check_message(adjacency_refusal({1, 1, 2}, {1, 0}, {1.0, 1.0}), {"offsets"});
  check_message(adjacency_refusal({0, 5, 2}, {1, 0}, {1.0, 1.0}), {"offsets"});
  check_message(adjacency_refusal({0, -1, 2}, {1, 0}, {1.0, 1.0}), {"offsets"});
  check_message(adjacency_refusal({0, 1, 2}, {1, 0}, {1.0, 1.0}, {{"order", std::vector<std::int64_t>{4}}}),
                {"'order'"});
}

TEST_CASE("the starting probability is uniform unless given, and checked when given") {
  Graph graph = Graph::from_edges("water", 4, path_edges(4));
  const auto refused = [&graph](std::vector<double> p) {
    return message_of([&] { graph.set_starting_probability(std::move(p)); });
  };

  CHECK(std::vector<double>(graph.starting_probability().begin(), graph.starting_probability().end()) ==
        std::vector<double>(4, 0.25));
  check_message(refused({0.5, 0.5}), {"2", "4"});
  check_message(refused({0.5, 0.75, -0.25, 0}), {"-0.25", "vertex 2"});
  check_message(refused({0.5, not_a_number, 0.5, 0}), {"nan", "vertex 1"});
  check_message(refused({0.5, 0.5, 0.5, 0}), {"1.5"});
  CHECK(graph.starting_probability()[1] == 0.25);  // a refused value changes nothing
  graph.set_starting_probability({0.5, 0.5, 0, 0});
  CHECK(graph.starting_probability()[1] == 0.5);
}

TEST_CASE("targets are finite numbers by name, and stay with a graph that is reordered") {
  Graph graph = bare("water", 3, path_edges(3));
  CHECK(graph.targets().empty());

  graph.set_targets({{"energy", -1.5}, {"class", 1}});

  CHECK(graph.reordered(std::vector<std::int32_t>{2, 0, 1}).targets() == graph.targets());
  check_message(message_of([&] { graph.set_targets({{"energy", std::nan("")}}); }), {"water", "energy", "nan"});
  CHECK(graph.targets().at("energy") == -1.5);  // a refused value changes nothing
}

TEST_CASE("reordering renames vertices: new vertex k is old vertex order[k]") {
  Graph graph =
      Graph::from_edges("water", 3, {{0, 1, 1.0}, {1, 2, 2.0}}, {{"kind", std::vector<std::int64_t>{10, 11, 12}}},
                        {{"order", std::vector<std::int64_t>{1, 2}}});
  graph.set_starting_probability({0.5, 0.3, 0.2});
  const std::vector<std::int32_t> order{2, 0, 1};

  const Graph renamed = graph.reordered(order);

  // Old 0, 1, 2 are new 1, 2, 0: edges 1–2 (weight 1) and 2–0 (weight 2).
  CHECK(renamed.name() == "water");
  CHECK(renamed.edges() == std::vector<Edge>{{0, 2, 2.0}, {1, 2, 1.0}});
  CHECK(integers(renamed.edge_labels(), "order") == std::vector<std::int64_t>{2, 1});
  CHECK(integers(renamed.vertex_labels(), "kind") == std::vector<std::int64_t>{12, 10, 11});
  CHECK(renamed.starting_probability()[0] == 0.2);
  CHECK(renamed.starting_probability()[1] == 0.5);
}

TEST_CASE("reordering there and back gives the graph again") {
  const Graph graph = random_graph(33, 0.2, 7);
  const std::vector<std::int32_t> order = random_order(33, 8);
  std::vector<std::int32_t> inverse(33);
  for (std::int32_t k = 0; k < 33; ++k) inverse[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;

  const Graph back = graph.reordered(order).reordered(inverse);

  CHECK(back.vertex_labels() == graph.vertex_labels());
  CHECK(back.edge_labels() == graph.edge_labels());
  CHECK(back.edges() == graph.edges());
}

TEST_CASE("an order that is no permutation is refused") {
  const Graph graph = Graph::from_edges("water", 3, path_edges(3));
  for (const std::vector<std::int32_t>& order :
       std::vector<std::vector<std::int32_t>>{{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}, {0, 1, 2, 3}, {}}) {
    check_message(message_of([&] { (void)graph.reordered(order); }), {"permutation", "3"});
  }
}

TEST_CASE("components are numbered in order of first appearance") {
  // {0, 4}, {1}, {2, 3, 5}
  const Graph graph = Graph::from_edges("water", 6, {{4, 0, 1.0}, {5, 2, 1.0}, {3, 5, 1.0}});

  CHECK(graph.components() == std::vector<std::int32_t>{0, 1, 2, 2, 0, 2});
}

TEST_CASE("components follow long chains and dense graphs") {
  const std::vector<std::int32_t> one(65, 0);
  CHECK(bare("path", 65, path_edges(65)).components() == one);
  CHECK(bare("path", 65, path_edges(65)).reordered(random_order(65, 3)).components() == one);
  CHECK(bare("complete", 65, complete_edges(65)).components() == one);
  std::vector<std::int32_t> all(65);
  std::iota(all.begin(), all.end(), 0);
  CHECK(bare("edgeless", 65, {}).components() == all);
}

TEST_CASE("walks that start by degree do so whatever the scale of the weights") {
  const std::vector<Edge> edges{{0, 1, 1}, {1, 2, 2}, {2, 3, 3}};
  for (const char* stopping : {"probability:0.25", "weight:1e-60"}) {
    // 5e-324 is the smallest number, and the sum of degrees of 5e307 is beyond the largest.
    for (const double scale : {1.0, 5e-324, 1e-310, 1e-200, 1e200, 5e307}) {
      CAPTURE(stopping);
      CAPTURE(scale);
      std::vector<Edge> scaled = edges;
      for (Edge& edge : scaled) edge.weight *= scale;
      std::vector<Graph> graphs{Graph::from_edges("path", 4, scaled)};
      Start{Start::Kind::degree}.apply_to(graphs, Stopping::parse(stopping));
      // Beside a q that is far larger all degrees are alike.
      const bool alike = stopping[0] == 'w' && scale < 1e-60;
      const std::vector<double> expected =
          alike ? std::vector{0.25, 0.25, 0.25, 0.25} : std::vector{1.0 / 12, 3.0 / 12, 5.0 / 12, 3.0 / 12};
      for (std::size_t v = 0; v < 4; ++v) {
        CHECK(std::abs(graphs[0].starting_probability()[v] - expected[v]) <= 1e-15);
      }
    }
  }
}
