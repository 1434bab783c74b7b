// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/sameness.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace octile {
namespace {

/// The one value of each attribute in a graph.
using Values = std::vector<LabelValue>;

/// What all walks of a graph see.
using Sight = std::tuple<Values, Values, bool, float>;

/// Nothing where an attribute is missing or has several values.
std::optional<Values> only_values(const LabelColumns& columns, const std::set<std::string>& attributes) {
  Values values;
  for (const std::string& attribute : attributes) {
    const auto found = columns.find(attribute);
    if (found == columns.end()) return std::nullopt;
    const bool same = std::visit(
        [](const auto& all) {
          return std::ranges::all_of(all, [&](const auto& value) { return value == all.front(); });
        },
        found->second);
    if (!same) return std::nullopt;
    if (column_size(found->second) > 0) values.push_back(column_value(found->second, 0));
  }
  return values;
}

std::optional<Sight> only_sight(const Graph& graph, StoppingMeaning meaning, const std::set<std::string>& of_vertices,
                                const std::set<std::string>& of_edges) {
  const auto vertex = only_values(graph.vertex_labels(), of_vertices);
  if (!vertex) return std::nullopt;
  const bool walks = graph.edge_count() > 0;
  const auto edge = walks ? only_values(graph.edge_labels(), of_edges) : Values();
  if (!edge) return std::nullopt;
  const std::vector<double> degrees = graph.weighted_degrees();
  // Sums of the same weights in another order differ in their last digits.
  const auto degree = static_cast<float>(degrees.front());
  const bool alike = meaning == StoppingMeaning::weight
                         ? std::ranges::all_of(degrees, [&](double each) { return static_cast<float>(each) == degree; })
                         : !walks || std::ranges::all_of(degrees, [](double each) { return each > 0; });
  if (!alike) return std::nullopt;
  return Sight(*vertex, *edge, walks, meaning == StoppingMeaning::weight ? degree : 0);
}

}  // namespace

std::size_t graphs_alike(std::span<const Graph* const> graphs, const KernelSpec& kernel) {
  const std::set<std::string> of_vertices = kernel.vertex.attributes();
  const std::set<std::string> of_edges = kernel.edge.attributes();
  std::map<Sight, std::size_t> counts;
  std::size_t most = 0;
  for (const Graph* graph : graphs) {
    const auto sight = only_sight(*graph, kernel.stopping.meaning(), of_vertices, of_edges);
    if (sight) most = std::max(most, ++counts[*sight]);
  }
  return most > 1 ? most : 0;
}

std::string sameness_warning(std::span<const Graph* const> graphs, const KernelSpec& kernel) {
  const std::size_t alike = graphs_alike(graphs, kernel);
  if (alike == 0 || 2 * alike < graphs.size()) return {};
  const bool weight = kernel.stopping.meaning() == StoppingMeaning::weight;
  return fmt::format(
      "{} of {} graphs are the same to this kernel, which has one value for every pair of them: it compares no labels "
      "that differ in "
      "them, and {}",
      alike, graphs.size(),
      weight ? "all their vertices have one weighted degree; compare labels that differ"
             : "with a stopping probability walks see nothing else; compare labels, such as degree, or take a stopping "
               "weight");
}

}  // namespace octile
