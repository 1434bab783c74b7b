// SPDX-License-Identifier: BSD-3-Clause
#include <octile/set_order.hpp>

#include <octile/backends.hpp>
#include <octile/interruption.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/reorder_graphs.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace octile {

OrderCosts order_costs(const CostModel& set, bool on_gpu) {
  const OrderPrices prices = order_prices(on_gpu);
  const PairSums sums = set.sums();
  double vertices = 0;
  for (std::size_t g = 0; g < set.graph_count(); ++g) vertices += set.size(static_cast<std::int32_t>(g)).vertices;
  const double iteration = prices.element_pair * sums.element_pairs + prices.vector * sums.vertex_pairs;
  return {1e-9 * prices.vertex * vertices, 1e-9 * prices.saved * prices.iterations * iteration};
}

reorder::OrderId order_for(const CostModel& set, const GramOptions& options) {
  using reorder::OrderId;
  if (options.order != OrderId::automatic) return options.order;
  const PrimitiveFamily family = options.primitive.family;
  const Lowering lowering = options.lowering;
  const Backend& backend = find_backend(options.backend);
  const bool own_product =
      has_own_product(lowering) || (lowering == Lowering::automatic && family == PrimitiveFamily::automatic);
  if (own_product || !backend.works_by_octiles(family)) return OrderId::natural;
  const OrderCosts costs = order_costs(set, backend.on_gpu);
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
    stop_if_asked();
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
