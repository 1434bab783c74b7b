// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/orders.hpp>
#include <octile/pairs/cost_model.hpp>

#include <span>
#include <vector>

namespace octile {

/// The predicted cost of reordering a set and the time that it saves in the solves: seconds of one CPU core, or of a
/// GPU's host and of the GPU.
struct OrderCosts {
  double reordering = 0;
  double saved = 0;
};

/// The prediction for all pairs of a set, by measured prices (docs/reordering.md). The search has a price a vertex. A
/// solve has prices for elements and vectors, times a number of iterations; reordering saves a fraction of it.
OrderCosts order_costs(const CostModel& set, bool on_gpu);

/// The order that a set is solved in: `options.order`, if it is not `automatic`. `automatic` is `swaps` if the primitive works octile
/// by octile and `order_costs` predicts that the solves save more than the search takes; else `natural`. Octile by octile work
/// dense-dense, dense-sparse, sparse-sparse, adaptive, and an automatic primitive if the lowering is `table` or `on_the_fly`.
/// Dense primitives read whole matrices; rows, slices and lowerings with a product of their own walk edges. With neither primitive nor
/// lowering given, most sets get such a lowering. Throws `Error` for a backend that this build lacks.
reorder::OrderId order_for(const CostModel& set, const GramOptions& options);

/// A set of graphs with their vertices in another order.
struct OrderedSet {
  std::vector<Graph> graphs;        ///< empty if no graph is reordered
  std::vector<VertexOrder> orders;  ///< of each graph; empty if no graph is reordered
  UsedOrder used;
};

/// The set in the given order. Throws `Error` as the order does, and `Interrupted` if `options.on_reorder`
/// returns false.
OrderedSet order_set(std::span<const Graph> graphs, reorder::OrderId order, const GramOptions& options);

}  // namespace octile
