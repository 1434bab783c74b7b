// SPDX-License-Identifier: BSD-3-Clause
// The order in which a set is solved changes no result, and `automatic` reorders if that pays.
#include <doctest/doctest.h>

#include <octile/gram.hpp>
#include <octile/orders.hpp>
#include <octile/set_order.hpp>

#include <span>
#include <utility>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

const Stopping stopping(StoppingMeaning::weight, 0.05);

/// Sizes around those of one tile and more, with coordinates, so that every order can be used.
std::vector<Graph> graphs_in_space() {
  std::vector<Graph> graphs;
  Random random(9);
  for (const std::int32_t n : {1, 7, 8, 9, 31, 33, 64, 65}) {
    const Graph plain = random_graph(n, 0.2, static_cast<std::uint64_t>(n));
    LabelColumns columns = plain.vertex_labels();
    for (const char* axis : {"x", "y"}) {
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& value : values) value = random.uniform();
      columns.insert_or_assign(axis, values);
    }
    graphs.push_back(Graph::from_edges(plain.name(), n, plain.edges(), columns, plain.edge_labels()));
  }
  // A p that is not uniform has to move with its vertices.
  std::vector<double> starting(9, 0.0);
  starting[2] = 0.75;
  starting[7] = 0.25;
  graphs[3].set_starting_probability(starting);
  return graphs;
}

}  // namespace

TEST_CASE("a Gram matrix and node-wise similarities are the same in every order") {
  const std::vector<Graph> graphs = graphs_in_space();
  const KernelSpec kernel{Expression::parse("delta(element, 0.5)"), Expression::parse("gaussian(length, 0.3)"),
                          stopping};
  GramOptions options;
  options.solve.tolerance = tolerance::solve(Precision::float64);
  options.order = reorder::OrderId::natural;
  const GramResult expected = gram(graphs, kernel, options);
  const NodewiseResult expected_nodes = nodewise(graphs[3], graphs[5], kernel, options);
  CHECK(expected.order.id == reorder::OrderId::natural);
  for (const reorder::Order& order : reorder::orders()) {
    CAPTURE(order.name);
    options.order = order.id;

    const GramResult result = gram(graphs, kernel, options);
    const NodewiseResult nodes = nodewise(graphs[3], graphs[5], kernel, options);

    for (std::size_t k = 0; k < expected.values.size(); ++k) {
      CHECK(relative_error(result.values[k], expected.values[k]) <= tolerance::identity);
    }
    CHECK(relative_error(nodes.similarity, expected_nodes.similarity) <= tolerance::identity);
    if (order.id == reorder::OrderId::swaps) {
      CHECK(result.order.id == reorder::OrderId::swaps);
      CHECK(result.order.tiles < result.order.natural_tiles);
    }
  }
}

TEST_CASE("auto reorders sets whose solves save more than the search takes, on products by octiles, and no others") {
  using reorder::OrderId;
  GramOptions options;
  options.backend = BackendId::portable_serial;
  const std::vector<Graph> large(500, random_graph(64, 0.2, 1));
  const std::span<const Graph> small(large.data(), 10);
  CHECK(order_for(CostModel(large), options) ==
        OrderId::natural);  // the lowering is likely to have a product of its own
  options.lowering = Lowering::on_the_fly;
  CHECK(order_for(CostModel(large), options) == OrderId::swaps);
  CHECK(order_for(CostModel(small), options) == OrderId::natural);
  options.lowering = Lowering::factored;
  CHECK(order_for(CostModel(large), options) == OrderId::natural);
  options.lowering = Lowering::automatic;
  for (const PrimitiveInfo& info : primitive_families()) {
    options.primitive = parse_primitive(info.name);
    CAPTURE(info.name);
    CHECK(order_for(CostModel(large), options) == (info.by_octiles ? OrderId::swaps : OrderId::natural));
  }
  options.order = OrderId::pbr;
  CHECK(order_for(CostModel(small), options) == OrderId::pbr);
}

TEST_CASE("what reordering saves grows with the pairs, what it costs with the graphs") {
  const std::vector<Graph> graphs(200, random_graph(33, 0.2, 2));
  const OrderCosts half = order_costs(CostModel(std::span(graphs).first(100)), false);
  const OrderCosts whole = order_costs(CostModel(graphs), false);
  CHECK(whole.reordering == doctest::Approx(2 * half.reordering));
  CHECK(whole.saved == doctest::Approx(4 * half.saved).epsilon(0.02));
  CHECK(order_costs(CostModel(graphs), true).saved < whole.saved);
}

TEST_CASE("an answer of false while reordering stops") {
  const std::vector<Graph> graphs = small_graphs();
  GramOptions options;
  options.order = reorder::OrderId::rcm;
  options.on_reorder = [](std::size_t, std::size_t) { return false; };
  CHECK_THROWS_AS((void)gram(graphs, unlabelled().spec(stopping), options), Interrupted);
}
