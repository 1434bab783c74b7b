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

struct ReorderOptions {
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: as many as there are cores
  /// Called some times a second, from the thread that called, with how many graphs are done and how many there are;
  /// returning false stops the work.
  std::function<bool(std::size_t, std::size_t)> on_progress{};
};

/// The order of a graph, and its octiles in it and in the natural one.
struct GraphOrder {
  VertexOrder order;
  TileCounts natural;
  TileCounts reordered;
};

/// Orders many graphs side by side on the cores of this machine; result k belongs to graph k. Each depends on its graph
/// and the seed alone, not on the others or on the threads. Nothing where `on_progress` asked to stop. Throws what the
/// order throws, of several the first graph's.
std::optional<std::vector<GraphOrder>> reorder_graphs(std::span<const Graph> graphs, const Order& order,
                                                      const ReorderOptions& options = {});

}  // namespace octile::reorder
