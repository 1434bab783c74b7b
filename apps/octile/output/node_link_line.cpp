// SPDX-License-Identifier: BSD-3-Clause
#include "output/node_link_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

namespace octile::app {
namespace {

using nlohmann::ordered_json;

void check_names(const Graph& graph, const LabelColumns& columns, std::string_view what,
                 std::initializer_list<std::string_view> reserved) {
  for (const auto& [attribute, column] : columns) {
    if (std::ranges::find(reserved, attribute) == reserved.end()) continue;
    throw Error(
        fmt::format("graph '{}': the {} attribute '{}' has a name that node-link JSON has for itself; allowed is "
                    "any but {}",
                    graph.name(), what, attribute, fmt::join(reserved, ", ")));
  }
}

void add_labels(ordered_json& element, const LabelColumns& columns, std::size_t index) {
  for (const auto& [attribute, column] : columns) {
    std::visit([&, &name = attribute](const auto& values) { element[name] = values[index]; }, column);
  }
}

}  // namespace

std::string node_link_line(const Graph& graph) {
  check_names(graph, graph.vertex_labels(), "vertex", {"id"});
  check_names(graph, graph.edge_labels(), "edge", {"source", "target", "weight"});
  ordered_json document;
  document["directed"] = false;
  document["multigraph"] = false;
  document["graph"] = {{"name", graph.name()}};
  for (const auto& [target, value] : graph.targets()) document["graph"]["targets"][target] = value;
  document["nodes"] = ordered_json::array();
  for (std::int32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
    ordered_json node = {{"id", vertex}};
    add_labels(node, graph.vertex_labels(), static_cast<std::size_t>(vertex));
    document["nodes"].push_back(std::move(node));
  }
  document["edges"] = ordered_json::array();
  const bool weighted = std::ranges::any_of(graph.edges(), [](const Edge& edge) { return edge.weight != 1; });
  for (std::size_t k = 0; k < graph.edge_count(); ++k) {
    const Edge& edge = graph.edges()[k];
    ordered_json link = {{"source", edge.i}, {"target", edge.j}};
    if (weighted) link["weight"] = edge.weight;
    add_labels(link, graph.edge_labels(), k);
    document["edges"].push_back(std::move(link));
  }
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace octile::app
