// SPDX-License-Identifier: BSD-3-Clause
#include <octile/set_order.hpp>

#include <octile/backends.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/reorder_graphs.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace octile {

std::string_view order_for(std::size_t graphs, const GramOptions& options) {
  if (options.order != "auto") return reorder::find_order(options.order).name;
  const PrimitiveFamily family = parse_primitive(options.primitive).family;
  const Lowering lowering = parse_lowering(options.lowering);
  const bool own_product =
      has_own_product(lowering) || (lowering == Lowering::automatic && family == PrimitiveFamily::automatic);
  const bool worth_it = graphs >= fewest_graphs_worth_reordering && !own_product &&
                        find_backend(options.backend).works_by_octiles(family);
  return reorder::find_order(worth_it ? "swaps" : "natural").name;
}

OrderedSet order_set(std::span<const Graph> graphs, std::string_view order, const GramOptions& options) {
  OrderedSet set;
  set.used.name = order;
  if (order == "natural") return set;
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
