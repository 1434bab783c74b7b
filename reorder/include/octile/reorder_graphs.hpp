// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/orders.hpp>
#include <octile/tile_objective.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace octile::reorder {

/// How graphs are ordered.
struct ReorderOptions {
  std::uint64_t seed = 1;  ///< of the random choices; equal seeds give equal orders
  int threads = 0;         ///< 0: one a core
  /// Called some times a second, from the calling thread, with the number of graphs that are done and of all. If it
  /// returns false, the work stops.
  std::function<bool(std::size_t, std::size_t)> on_progress{};
};

/// The order of a graph, and the counts of octiles in the natural order and in this one.
struct GraphOrder {
  VertexOrder order;     ///< new vertex k is old vertex `order[k]`
  TileCounts natural;    ///< as the graph is given
  TileCounts reordered;  ///< in this order
};

/// Orders many graphs in parallel on the cores of this machine; result k belongs to graph k. Each depends only on its
/// graph and the seed, not on other graphs or the threads. Returns nothing if `on_progress` stopped the work. Throws
/// what the order throws; of several exceptions that of the first graph.
std::optional<std::vector<GraphOrder>> reorder_graphs(std::span<const Graph> graphs, const Order& order,
                                                      const ReorderOptions& options = {});

}  // namespace octile::reorder
