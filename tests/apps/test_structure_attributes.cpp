// SPDX-License-Identifier: BSD-3-Clause
// Attributes that follow from the edges of a graph, and warnings of what is hardly meant.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <readers/structure_attributes.hpp>

#include "common/graphs.hpp"

using namespace octile;

namespace {

using Integers = std::vector<std::int64_t>;

Graph graph_of(std::int32_t vertices, std::vector<Edge> edges, LabelColumns labels = {}) {
  return Graph::from_edges("graph", vertices, std::move(edges), std::move(labels));
}

/// By its definition: takes vertices away that have fewer than k neighbours until none has.
Integers core_by_definition(const Graph& graph) {
  const auto count = static_cast<std::size_t>(graph.vertex_count());
  Integers core(count, 0);
  for (std::int64_t k = 1; k < graph.vertex_count(); ++k) {
    std::vector<bool> in(count, true);
    for (bool changed = true; changed;) {
      changed = false;
      Integers neighbors(count, 0);
      for (const Edge& edge : graph.edges()) {
        const auto i = static_cast<std::size_t>(edge.i);
        const auto j = static_cast<std::size_t>(edge.j);
        if (!in[i] || !in[j]) continue;
        ++neighbors[i];
        ++neighbors[j];
      }
      for (std::size_t vertex = 0; vertex < count; ++vertex) {
        if (!in[vertex] || neighbors[vertex] >= k) continue;
        in[vertex] = false;
        changed = true;
      }
    }
    for (std::size_t vertex = 0; vertex < count; ++vertex) {
      if (in[vertex]) core[vertex] = k;
    }
  }
  return core;
}

}  // namespace

TEST_CASE("degrees and core numbers are those of hand-drawn graphs") {
  // A triangle with a tail of two, and a vertex alone.
  const Graph graph = graph_of(6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}});
  CHECK(app::degrees(graph) == Integers{2, 2, 3, 2, 1, 0});
  CHECK(app::core_numbers(graph) == Integers{2, 2, 2, 1, 1, 0});
  CHECK(app::core_numbers(graph_of(5, test::complete_edges(5))) == Integers{4, 4, 4, 4, 4});
  CHECK(app::core_numbers(graph_of(4, test::star_edges(4))) == Integers{1, 1, 1, 1});
}

TEST_CASE("core numbers of random graphs follow their definition") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const auto vertices = static_cast<std::int32_t>(5 + seed);
    const Graph graph = graph_of(vertices, test::random_edges(vertices, 0.02 * static_cast<double>(seed % 20), seed));
    CHECK(app::core_numbers(graph) == core_by_definition(graph));
  }
}

TEST_CASE("attributes are added where an expression reads them, and never in the place of others") {
  std::vector<Graph> graphs = {graph_of(3, test::path_edges(3)), graph_of(2, test::path_edges(2))};
  graphs[0].set_targets({{"y", 2}});
  graphs[0].set_starting_weights({1, 2, 3});
  app::add_structure_attributes(graphs, Expression::parse("0.5"));
  CHECK(graphs[0].vertex_labels().empty());
  app::add_structure_attributes(graphs, Expression::parse("0.5*delta(degree,0.3)+0.5"));
  CHECK(graphs[0].vertex_labels().size() == 1);
  CHECK(std::get<Integers>(graphs[0].vertex_labels().at("degree")) == Integers{1, 2, 1});
  CHECK(graphs[0].targets().at("y") == 2);
  CHECK(graphs[0].starting_probability()[2] == 3);
  CHECK(graphs[0].edge_count() == 2);

  std::vector<Graph> named = {graph_of(2, test::path_edges(2), {{"core", Integers{7, 8}}}), graph_of(2, {})};
  app::add_structure_attributes(named, Expression::parse("delta(core,0.3)"));
  CHECK(std::get<Integers>(named[0].vertex_labels().at("core")) == Integers{7, 8});
  CHECK(named[1].vertex_labels().empty());
}
