// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graphs/numbers.hpp>

#include <octile/error.hpp>
#include <octile/graphs/rows.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace octile::detail {

JoinedRows::JoinedRows(std::span<const Graph> graphs) {
  for (const Graph& graph : graphs) {
    if (graph.stopping_scale() != 1) {
      throw Error(fmt::format(
          "graph '{}' was scaled with its stopping weight by {}, which a batch does not keep; scale its weights alone",
          graph.name(), graph.stopping_scale()));
    }
    const std::int64_t first = graph_offsets.back();
    for (const std::vector<RowElement>& row : rows_of(graph)) {
      for (const RowElement& element : row) {
        columns.push_back(first + element.column);
        weights.push_back(graph.edges()[element.edge].weight);
        edges.push_back(element.edge);
      }
      row_offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    graph_offsets.push_back(first + graph.vertex_count());
  }
}

NumberColumn::NumberColumn(const Graph& graph, bool of_vertices, std::string_view name,
                           const std::map<std::string, std::int64_t, std::less<>>& of_texts)
    : graph_(graph), of_vertices_(of_vertices), name_(name), column_(&read_) {
  const LabelColumns& columns = of_vertices ? graph.vertex_labels() : graph.edge_labels();
  const std::string_view site = of_vertices ? "vertex" : "edge";
  const auto found = columns.find(name);
  if (found == columns.end()) {
    std::string known;
    for (const auto& [other, column] : columns) known += (known.empty() ? "" : ", ") + other;
    throw Error(fmt::format("graph '{}' has no {} attribute '{}' for a label; it has: {}", graph.name(), site, name,
                            known.empty() ? "none" : known));
  }
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&found->second)) {
    std::vector<std::int64_t> numbers;
    for (const std::string& text : *texts) {
      const auto number = of_texts.find(text);
      if (number == of_texts.end()) {
        throw Error(fmt::format("{} is '{}', a text for which no number is given", place(numbers.size()), text));
      }
      numbers.push_back(number->second);
    }
    read_ = std::move(numbers);
    return;
  }
  column_ = &found->second;
  if (!std::holds_alternative<std::vector<std::int64_t>>(*column_) &&
      !std::holds_alternative<std::vector<double>>(*column_)) {
    throw Error(
        fmt::format("graph '{}': {} attribute '{}' is a {}; allowed in a label are numbers, and texts with "
                    "numbers",
                    graph.name(), site, name, column_type_name(*column_)));
  }
}

std::int64_t NumberColumn::whole(std::size_t k) const {
  if (const auto* const numbers = std::get_if<std::vector<std::int64_t>>(column_)) return (*numbers)[k];
  throw Error(fmt::format("{} is {}; allowed in a label's member of a whole type are whole numbers", place(k),
                          to_string(column_value(*column_, k))));
}

double NumberColumn::real(std::size_t k) const {
  if (const auto* const numbers = std::get_if<std::vector<std::int64_t>>(column_))
    return static_cast<double>((*numbers)[k]);
  return std::get<std::vector<double>>(*column_)[k];
}

void NumberColumn::refuse(std::size_t k, std::int64_t least, std::uint64_t most) const {
  throw Error(fmt::format("{} is {}; its type in the label holds {} to {}", place(k),
                          to_string(column_value(*column_, k)), least, most));
}

void NumberColumn::refuse(std::size_t k, double most) const {
  throw Error(fmt::format("{} is {}; its type in the label holds {:.3g} to {:.3g}", place(k),
                          to_string(column_value(*column_, k)), -most, most));
}

std::string NumberColumn::place(std::size_t k) const {
  const std::string at = of_vertices_ ? fmt::format("vertex {}", k)
                                      : fmt::format("the edge from {} to {}", graph_.edges()[k].i, graph_.edges()[k].j);
  return fmt::format("graph '{}': '{}' of {}", graph_.name(), name_, at);
}

}  // namespace octile::detail
