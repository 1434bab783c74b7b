// SPDX-License-Identifier: BSD-3-Clause
// What node_link_line writes, the reader of node-link JSON makes equal graphs of.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <output/node_link_line.hpp>
#include <readers/read.hpp>
#include <readers/unify_labels.hpp>

#include "apps/reading.hpp"
#include "common/graphs.hpp"

using namespace octile;
using test::contains;

namespace {

Graph there_and_back(const Graph& graph) { return app::node_link_parser()(app::node_link_line(graph), "no name"); }

}  // namespace

TEST_CASE("a graph with every type of label reads back equal, weights and targets too") {
  std::vector<Graph> graphs = test::small_graphs();
  for (Graph& graph : test::large_graphs()) graphs.push_back(std::move(graph));
  graphs.push_back(test::bare("bare", 9, test::cycle_edges(9)));
  std::vector<Graph> read;
  for (Graph& graph : graphs) {
    graph.set_targets({{"energy", -0.1}, {"", std::numeric_limits<double>::denorm_min()}, {"whole", 3}});
    read.push_back(there_and_back(graph));
  }
  // Columns of a graph without edges, and lists that are all empty, have their type from the rest of the set.
  app::unify_labels(read);
  app::unify_labels(graphs);
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    CAPTURE(graphs[k].name());
    CHECK(read[k].name() == graphs[k].name());
    CHECK(test::equal_but_for_names(read[k], graphs[k]));
  }
}

TEST_CASE("numbers read back to the bit, and texts whatever they hold") {
  const std::vector<double> reals = {0.1, -0.0, 1e300, std::numeric_limits<double>::denorm_min(), 1, 1.0 / 3};
  const std::vector<std::int64_t> integers = {
      0, -1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 7, 8};
  const std::vector<std::string> texts = {"", "\"quoted\"", "two\nlines\t", "\\", "é 水", std::string("a\0b", 3)};
  const Graph graph = Graph::from_edges("\"a\"\n, b: 水", 6, {{0, 1, 1e-300}, {1, 2, 0.1}},
                                        {{"real", reals}, {"integer", integers}, {"text", texts}});

  const Graph read = there_and_back(graph);

  CHECK(read.name() == graph.name());
  CHECK(test::equal_but_for_names(read, graph));
  CHECK(std::signbit(std::get<std::vector<double>>(read.vertex_labels().at("real"))[1]));
}

TEST_CASE("weights are written if one of them is not 1") {
  const Graph light = Graph::from_edges("light", 3, {{0, 1, 1}, {1, 2, 0.5}});
  CHECK(contains(app::node_link_line(light), "\"weight\":1.0"));
  CHECK(!contains(app::node_link_line(test::bare("plain", 3, test::path_edges(3))), "weight"));
  CHECK(there_and_back(light).edges()[1].weight == 0.5);
}

TEST_CASE("an attribute whose name is taken is refused, and bytes that are no text are replaced") {
  const std::vector<std::int64_t> two = {1, 2};
  const Graph vertices = Graph::from_edges("g", 2, {}, {{"id", two}});
  CHECK(
      contains(test::message_of([&] { (void)app::node_link_line(vertices); }), "graph 'g': the vertex attribute 'id'"));
  const Graph edges = Graph::from_edges("g", 2, {{0, 1, 1}}, {}, {{"target", std::vector<std::int64_t>{1}}});
  CHECK(contains(test::message_of([&] { (void)app::node_link_line(edges); }), "the edge attribute 'target'"));
  CHECK(there_and_back(test::bare("a\xFFz", 1, {})).name() == "a\xEF\xBF\xBDz");
}
