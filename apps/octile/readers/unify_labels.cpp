// SPDX-License-Identifier: BSD-3-Clause
#include "readers/unify_labels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "readers/exact_integer.hpp"

namespace octile::app {
namespace {

bool only_empty_lists(const LabelColumn& column) {
  const auto* lists = std::get_if<std::vector<RealList>>(&column);
  return lists != nullptr && std::ranges::all_of(*lists, [](const RealList& list) { return list.empty(); });
}

LabelColumn empty_like(const LabelColumn& column) {
  return std::visit([](const auto& values) { return LabelColumn(std::decay_t<decltype(values)>{}); }, column);
}

/// For each attribute, an empty column of the type for the whole set.
using Types = std::map<std::string, LabelColumn, std::less<>>;

void add_types(const LabelColumns& columns, Types& types) {
  for (const auto& [attribute, column] : columns) {
    const auto [known, first] = types.try_emplace(attribute, empty_like(column));
    if (first || known->second.index() == column.index()) continue;
    const bool widens = std::holds_alternative<std::vector<std::int64_t>>(known->second) &&
                        std::holds_alternative<std::vector<double>>(column);
    const bool was_unknown = std::holds_alternative<std::vector<RealList>>(known->second) &&
                             std::holds_alternative<std::vector<TextList>>(column);
    if (widens || was_unknown) known->second = empty_like(column);
  }
}

bool is_exact(std::int64_t integer) { return std::abs(static_cast<double>(integer)) < first_inexact_integer; }

/// The column converted to the wanted type if that loses nothing, else unchanged.
LabelColumn converted(const LabelColumn& column, const LabelColumn& wanted) {
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&column);
  if (integers != nullptr && std::holds_alternative<std::vector<double>>(wanted) &&
      std::ranges::all_of(*integers, is_exact)) {
    return std::vector<double>(integers->begin(), integers->end());
  }
  if (only_empty_lists(column) && std::holds_alternative<std::vector<TextList>>(wanted)) {
    return std::vector<TextList>(column_size(column));
  }
  return column;
}

bool needs_work(const LabelColumns& columns, const Types& types) {
  return std::ranges::any_of(
      columns, [&types](const auto& entry) { return entry.second.index() != types.find(entry.first)->second.index(); });
}

LabelColumns converted(const LabelColumns& columns, const Types& types) {
  LabelColumns result;
  for (const auto& [attribute, column] : columns) {
    result.emplace(attribute, converted(column, types.find(attribute)->second));
  }
  return result;
}

}  // namespace

void unify_labels(std::vector<Graph>& graphs) {
  Types vertex_types;
  Types edge_types;
  for (const Graph& graph : graphs) {
    add_types(graph.vertex_labels(), vertex_types);
    add_types(graph.edge_labels(), edge_types);
  }
  for (Graph& graph : graphs) {
    const bool lacks_columns = graph.edge_count() == 0 && graph.edge_labels().size() < edge_types.size();
    if (!lacks_columns && !needs_work(graph.vertex_labels(), vertex_types) &&
        !needs_work(graph.edge_labels(), edge_types)) {
      continue;
    }
    LabelColumns edge_labels = converted(graph.edge_labels(), edge_types);
    if (lacks_columns) edge_labels.insert(edge_types.begin(), edge_types.end());
    Graph unified = Graph::from_edges(graph.name(), graph.vertex_count(), graph.edges(),
                                      converted(graph.vertex_labels(), vertex_types), edge_labels);
    unified.set_targets(graph.targets());
    graph = std::move(unified);
  }
}

}  // namespace octile::app
