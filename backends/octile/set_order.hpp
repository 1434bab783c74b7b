// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/orders.hpp>
#include <octile/vertex_order.hpp>

#include <span>
#include <vector>

namespace octile {

/// What reordering a set costs, and what it saves of the solves, as predicted: seconds of one CPU core, or of a GPU's
/// host and of the GPU.
struct OrderCosts {
  double reordering = 0;
  double saved = 0;
};

/// The prediction for all pairs of a set, by prices that were measured (docs/reordering.md): the search takes a time
/// for each vertex; a solve, so many iterations over elements and vectors, of which it saves a fraction.
OrderCosts order_costs(const CostModel& set, bool on_gpu);

/// The order that a set is solved in: `options.order`, and for `automatic` what pays: `swaps` where the primitive works octile by octile (dense-dense, dense-sparse, sparse-sparse, adaptive, and a
/// backend's choice where it is told to look κe up or to evaluate it) and `order_costs` says that the set's solves save
/// more than the search takes; else `natural`. Dense primitives read whole matrices, rows and slices walk edges, and so do
/// the lowerings that have a product of their own, which are what is chosen for most sets where neither primitive nor
/// lowering is chosen. Throws `Error` for a backend that this build has not.
reorder::OrderId order_for(const CostModel& set, const GramOptions& options);

/// A set of graphs in another order of their vertices.
struct OrderedSet {
  std::vector<Graph> graphs;        ///< empty where all stay as they are
  std::vector<VertexOrder> orders;  ///< of each graph; empty where all stay as they are
  UsedOrder used;
};

/// The set in that order. Throws `Error` as the order does, and `Interrupted` where `options.on_reorder`
/// asked for it.
OrderedSet order_set(std::span<const Graph> graphs, reorder::OrderId order, const GramOptions& options);

}  // namespace octile
