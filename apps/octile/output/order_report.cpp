// SPDX-License-Identifier: BSD-3-Clause
#include "output/order_report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/gram.hpp>
#include <octile/version.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

using Json = nlohmann::ordered_json;

/// The largest population in each column of the table; a column begins above the previous bound.
constexpr std::array population_bounds{1, 2, 4, 8, 16, 32, octile_area};

std::string per_graph(double seconds, std::size_t graphs) {
  return fmt::format("{:.3g} ms", 1e3 * seconds / static_cast<double>(graphs));
}

void print_line(std::string_view name, const reorder::TileCounts& counts, std::size_t graphs, const std::string& saved,
                const std::string& time) {
  fmt::print("{:<8} {:>12} {:>10.2f} {:>7} {:>6.1f} % {:>12}\n", name,
             with_commas(static_cast<std::size_t>(counts.tiles)),
             static_cast<double>(counts.tiles) / static_cast<double>(graphs), saved, 100 * counts.fill(), time);
}

void print_populations(std::string_view name, const reorder::TileCounts& counts) {
  fmt::print("{:<8}", name);
  std::size_t population = 1;
  for (const int bound : population_bounds) {
    std::int64_t tiles = 0;
    for (; population <= static_cast<std::size_t>(bound); ++population) tiles += counts.of_population[population];
    fmt::print(" {:>11}", with_commas(static_cast<std::size_t>(tiles)));
  }
  fmt::print("\n");
}

Json counts_json(const reorder::TileCounts& counts) {
  return {{"tiles", counts.tiles},
          {"places", counts.places},
          {"elements", counts.elements},
          {"fill", counts.fill()},
          {"tiles_of_population", counts.of_population}};
}

// Names come from files that may not be UTF-8. Invalid bytes are replaced, so that they do not make the whole run fail.
std::string text_of(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

OrderReport report_order(const std::vector<Graph>& graphs, const reorder::Order& order,
                         const reorder::ReorderOptions& options) {
  OrderReport report;
  report.order = order.name;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t core_start = std::clock();
  std::optional<std::vector<reorder::GraphOrder>> orders = reorder::reorder_graphs(graphs, order, options);
  report.core_seconds = static_cast<double>(std::clock() - core_start) / CLOCKS_PER_SEC;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!orders) throw Interrupted();
  report.graphs = std::move(*orders);
  for (const reorder::GraphOrder& graph : report.graphs) {
    report.natural += graph.natural;
    report.reordered += graph.reordered;
  }
  return report;
}

void print_reports(std::size_t graphs, const std::vector<OrderReport>& reports) {
  const reorder::TileCounts& natural = reports.front().natural;
  fmt::print("{}, {} non-zero elements, {} octiles in all\n\n", counted(graphs, "graph"),
             with_commas(static_cast<std::size_t>(natural.elements)),
             with_commas(static_cast<std::size_t>(natural.places)));
  fmt::print("{:<8} {:>12} {:>10} {:>7} {:>8} {:>12}\n", "order", "non-empty", "a graph", "saved", "fill",
             "core, graph");
  print_line("natural", natural, graphs, "", "");
  for (const OrderReport& report : reports) {
    if (report.order == "natural") continue;
    const double part =
        natural.tiles == 0 ? 0 : 1 - static_cast<double>(report.reordered.tiles) / static_cast<double>(natural.tiles);
    print_line(report.order, report.reordered, graphs, fmt::format("{:.1f} %", 100 * part),
               per_graph(report.core_seconds, graphs));
  }
  fmt::print("\n{:<8}", "elements");
  int first = 1;
  for (const int bound : population_bounds) {
    fmt::print(" {:>11}", first == bound ? fmt::format("{}", bound) : fmt::format("{} to {}", first, bound));
    first = bound + 1;
  }
  fmt::print("\n");
  print_populations("natural", natural);
  for (const OrderReport& report : reports) {
    if (report.order != "natural") print_populations(report.order, report.reordered);
  }
  fmt::print("\n");
  for (const OrderReport& report : reports) fmt::print("{} took {}\n", report.order, duration(report.seconds));
}

std::string orders_json(const std::vector<Graph>& graphs, const OrderReport& report, std::uint64_t seed) {
  Json document;
  document["octile"] = OCTILE_VERSION_STRING;
  document["order"] = report.order;
  document["seed"] = seed;
  document["graphs"] = Json::array();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    document["graphs"].push_back({{"name", graphs[g].name()},
                                  {"natural_tiles", report.graphs[g].natural.tiles},
                                  {"tiles", report.graphs[g].reordered.tiles},
                                  {"order", report.graphs[g].order}});
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string reports_json(const GraphFile& set, const std::vector<OrderReport>& reports, const OrderRequest& request) {
  Json document;
  document["octile"] = OCTILE_VERSION_STRING;
  document["inputs"] = request.inputs;
  document["seed"] = request.seed;
  document["natural"] = counts_json(reports.front().natural);
  document["orders"] = Json::array();
  for (const OrderReport& report : reports) {
    Json entry{{"order", report.order}, {"seconds", report.seconds}, {"core_seconds", report.core_seconds}};
    entry.update(counts_json(report.reordered));
    entry["tiles_of_graphs"] = Json::array();
    for (const reorder::GraphOrder& graph : report.graphs) entry["tiles_of_graphs"].push_back(graph.reordered.tiles);
    document["orders"].push_back(std::move(entry));
  }
  document["skipped"] = set.skipped;
  document["graphs"] = Json::array();
  for (const Graph& graph : set.graphs) document["graphs"].push_back(graph.name());
  return text_of(document);
}

}  // namespace octile::app
