// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/graphs.hpp"

namespace octile::test {

/// Cycles with chords whose vertices have many attributes of few values each, and so many records: a0 … a7 integers of 0 … 6, x a real
/// of 40 values, tags a list of 1 … 3 texts; and an id of their own. Edges have an order.
inline std::vector<Graph> graphs_of_many_records(std::size_t count, std::int32_t vertices) {
  std::vector<Graph> graphs;
  Random random(22);
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<Edge> edges = cycle_edges(vertices);
    for (std::int32_t i = 0; i + 5 < vertices; i += 3) edges.push_back({i, i + 5, 1.0});
    const auto n = static_cast<std::size_t>(vertices);
    LabelColumns of_vertices;
    for (int a = 0; a < 8; ++a) {
      std::vector<std::int64_t> values(n);
      for (std::int64_t& value : values) value = random.below(7);
      of_vertices["a" + std::to_string(a)] = values;
    }
    std::vector<double> x(n);
    std::vector<std::int64_t> ids(n);
    std::vector<TextList> tags(n);
    for (std::size_t v = 0; v < n; ++v) {
      x[v] = 0.25 * random.below(40);
      ids[v] = static_cast<std::int64_t>(g * n + v);
      for (std::int32_t k = random.below(3); k >= 0; --k) tags[v].push_back(std::string(1, "abcd"[random.below(4)]));
    }
    of_vertices["x"] = x;
    of_vertices["id"] = ids;
    of_vertices["tags"] = tags;
    std::vector<std::int64_t> orders(edges.size());
    for (std::int64_t& order : orders) order = 1 + random.below(3);
    graphs.push_back(Graph::from_edges("many " + std::to_string(g), vertices, edges, of_vertices, {{"order", orders}}));
  }
  return graphs;
}

/// A kernel that reads them all but the ids.
inline constexpr const char* many_records_kernel =
    "delta(a0,0.3)*delta(a1,0.4)*delta(a2,0.5)*delta(a3,0.6)*delta(a4,0.7)*delta(a5,0.8)*delta(a6,0.8)*delta(a7,0.9)*"
    "rational(x,3,2)*convolution(tags,delta(_,0.5))";

}  // namespace octile::test
