// SPDX-License-Identifier: BSD-3-Clause
#include <octile/set_order.hpp>

#include <octile/backends.hpp>
#include <octile/cost_model.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/reorder_graphs.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace octile {

OrderCosts order_costs(std::span<const Graph> graphs, bool on_gpu) {
  // Nanoseconds of a CPU core: 1,500 proposals a vertex; an element pair and an element of a vector in an iteration.
  constexpr double vertex = 1.2e5;
  constexpr double element_pair = 2;
  constexpr double vector = 6;
  constexpr double iterations = 12;
  // A GPU takes less, and more of it is the octiles'.
  const double speed = on_gpu ? 300 : 1;
  const double fraction = on_gpu ? 0.4 : 0.05;
  const PairSums sums = CostModel(graphs).sums();
  double vertices = 0;
  for (const Graph& graph : graphs) vertices += graph.vertex_count();
  const double solves = iterations * (element_pair * sums.element_pairs + vector * sums.vertex_pairs) / speed;
  return {1e-9 * vertex * vertices, 1e-9 * fraction * solves};
}

reorder::OrderId order_for(std::span<const Graph> graphs, const GramOptions& options) {
  using reorder::OrderId;
  if (options.order != OrderId::automatic) return options.order;
  const PrimitiveFamily family = options.primitive.family;
  const Lowering lowering = options.lowering;
  const Backend& backend = find_backend(options.backend);
  const bool own_product =
      has_own_product(lowering) || (lowering == Lowering::automatic && family == PrimitiveFamily::automatic);
  if (own_product || !backend.works_by_octiles(family)) return OrderId::natural;
  const OrderCosts costs = order_costs(graphs, backend.name.ends_with("cuda"));
  return costs.saved > costs.reordering ? OrderId::swaps : OrderId::natural;
}

OrderedSet order_set(std::span<const Graph> graphs, reorder::OrderId order, const GramOptions& options) {
  OrderedSet set;
  set.used.id = order;
  if (order == reorder::OrderId::natural) return set;
  const auto start = std::chrono::steady_clock::now();
  std::optional<std::vector<reorder::GraphOrder>> orders = reorder::reorder_graphs(
      graphs, reorder::find_order(order), {options.order_seed, options.reorder_threads, options.on_reorder});
  if (!orders) throw Interrupted();
  set.graphs.reserve(graphs.size());
  set.orders.reserve(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    reorder::GraphOrder& its_order = (*orders)[g];
    set.graphs.push_back(graphs[g].reordered(its_order.order));
    set.orders.push_back(std::move(its_order.order));
    set.used.natural_tiles += its_order.natural.tiles;
    set.used.tiles += its_order.reordered.tiles;
  }
  set.used.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return set;
}

}  // namespace octile
