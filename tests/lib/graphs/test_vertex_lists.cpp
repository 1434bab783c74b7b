// SPDX-License-Identifier: BSD-3-Clause
// The vertex lists that all layouts share.
#include <doctest/doctest.h>

#include <octile/graphs/vertex_lists.hpp>
#include <octile/graphs/vertex_order.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

TEST_CASE("degrees are those of the weights as they are stored") {
  const double weight = 0.1;  // which float rounds
  const Graph graph = bare("path", 3, {{0, 1, weight}, {1, 2, weight}});
  const Stopping stopping(StoppingMeaning::weight, 0.5);

  const std::vector<double> in_double = rounded_degrees<double>(graph, stopping);
  const std::vector<double> in_float = rounded_degrees<float>(graph, stopping);

  const auto rounded = static_cast<double>(static_cast<float>(weight));
  CHECK(in_double == std::vector<double>{weight + 0.5, weight + weight + 0.5, weight + 0.5});
  CHECK(in_float == std::vector<double>{rounded + 0.5, rounded + rounded + 0.5, rounded + 0.5});
}

TEST_CASE("graphs lie one behind the other, in their own order or in another") {
  Graph path = bare("path", 3, path_edges(3));
  path.set_starting_probability({0.5, 0.25, 0.25});
  const std::vector<double> degrees{1, 2, 3};
  const auto label = [](std::size_t v) { return static_cast<std::uint32_t>(10 + v); };
  VertexLists<std::uint32_t> lists;

  lists.add(path, degrees, label);
  lists.add(path, degrees, label, VertexOrder{2, 0, 1});

  CHECK(lists.begin == std::vector<std::uint32_t>{0, 3, 6});
  CHECK(lists.degrees == std::vector<double>{1, 2, 3, 3, 1, 2});
  CHECK(lists.starting == std::vector<double>{0.5, 0.25, 0.25, 0.25, 0.5, 0.25});
  CHECK(lists.labels == std::vector<std::uint32_t>{10, 11, 12, 12, 10, 11});
}
