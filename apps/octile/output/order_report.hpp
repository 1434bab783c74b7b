// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <octile/reorder_graphs.hpp>

#include "readers/read.hpp"

namespace octile::app {

/// The effect of an order on a set.
struct OrderReport {
  std::string_view order;
  std::vector<reorder::GraphOrder> graphs;
  reorder::TileCounts natural;    ///< of all graphs together
  reorder::TileCounts reordered;  ///< likewise
  double seconds = 0;             ///< wall time
  double core_seconds = 0;        ///< of all threads together
};

/// Orders a set and counts its tiles. Throws what the order throws, and `Interrupted`.
OrderReport report_order(const std::vector<Graph>& graphs, const reorder::Order& order,
                         const reorder::ReorderOptions& options);

/// Prints a line for each order with tiles, fill and time, and below the tiles by population.
void print_reports(std::size_t graphs, const std::vector<OrderReport>& reports);

/// The request, for the machine-readable summary.
struct OrderRequest {
  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
};

/// The orders of all graphs as JSON: new vertex k is old vertex `order[k]`.
std::string orders_json(const std::vector<Graph>& graphs, const OrderReport& report, std::uint64_t seed);

/// Tiles, fill, tiles by population and times of each order as JSON, for the set and, in tiles, for each graph.
std::string reports_json(const GraphFile& set, const std::vector<OrderReport>& reports, const OrderRequest& request);

}  // namespace octile::app
