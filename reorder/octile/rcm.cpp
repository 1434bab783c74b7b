// SPDX-License-Identifier: BSD-3-Clause
#include <octile/rcm.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>

namespace octile::reorder {
namespace {

/// A type of this file alone. What Boost makes for graphs of it is of this file alone, too, so that a program with
/// another Boost keeps its own.
struct Own {};

}  // namespace

VertexOrder rcm_order(const Pattern& pattern) {
  using Colour = boost::property<boost::vertex_color_t, boost::default_color_type>;
  using Vertex = boost::property<boost::vertex_degree_t, int, Colour>;
  using BoostGraph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Vertex, boost::no_property, Own>;
  BoostGraph graph(static_cast<std::size_t>(pattern.vertex_count()));
  for (std::int32_t vertex = 0; vertex < pattern.vertex_count(); ++vertex) {
    for (const std::int32_t neighbour : pattern.neighbours(vertex)) {
      if (neighbour > vertex) {
        boost::add_edge(static_cast<std::size_t>(vertex), static_cast<std::size_t>(neighbour), graph);
      }
    }
  }
  std::vector<boost::graph_traits<BoostGraph>::vertex_descriptor> reversed(boost::num_vertices(graph));
  boost::cuthill_mckee_ordering(graph, reversed.rbegin(), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  return {reversed.begin(), reversed.end()};
}

}  // namespace octile::reorder
