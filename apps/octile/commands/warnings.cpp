// SPDX-License-Identifier: BSD-3-Clause
#include "commands/warnings.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <octile/pairs/sameness.hpp>

#include "output/message.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// The distance of each atom's nearest neighbour, of those that have one.
void add_nearest(const Graph& graph, std::vector<double>& all) {
  const auto found = graph.edge_labels().find("length");
  if (found == graph.edge_labels().end()) return;
  const auto* const lengths = std::get_if<std::vector<double>>(&found->second);
  if (lengths == nullptr) return;
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> nearest(static_cast<std::size_t>(graph.vertex_count()), none);
  for (std::size_t k = 0; k < lengths->size(); ++k) {
    for (const std::int32_t end : {graph.edges()[k].i, graph.edges()[k].j}) {
      double& least = nearest[static_cast<std::size_t>(end)];
      least = std::min(least, (*lengths)[k]);
    }
  }
  std::ranges::copy_if(nearest, std::back_inserter(all), [](double length) { return length < none; });
}

}  // namespace

std::string unit_warning(std::span<const Graph> graphs, const SpatialRule& rule) {
  // No two atoms are nearer, whatever they are: 0.74 Å is the bond of hydrogen.
  constexpr double least_distance = 0.5;
  std::vector<double> nearest;
  std::size_t larger = 0;
  for (const Graph& graph : graphs) {
    add_nearest(graph, nearest);
    larger += graph.vertex_count() > 1 ? 1 : 0;
  }
  if (nearest.empty()) {
    if (larger == 0) return {};
    return fmt::format("no two atoms are joined in {}, by --cutoff {}; are their coordinates in Å?",
                       counted(graphs.size(), "graph"), rule.cutoff_text());
  }
  const auto small =
      std::ranges::count_if(nearest, [](double length) { return length > 0 && length < least_distance; });
  if (2 * static_cast<std::size_t>(small) <= nearest.size()) return {};
  return fmt::format("{} of {} have their nearest neighbour below {:g} Å; are their coordinates in Å?",
                     with_commas(static_cast<std::size_t>(small)), counted(nearest.size(), "joined atom"),
                     least_distance);
}

void PositionsLeftOut::add(const std::string& path, std::size_t atoms) {
  if (files_++ == 0) first_ = path;
  atoms_ += atoms;
}

std::string PositionsLeftOut::warning() const {
  if (files_ == 0) return {};
  const std::string others = files_ == 1 ? "" : fmt::format(" and {}", counted(files_ - 1, "other file"));
  return fmt::format(
      "{}{}: {} left out; of alternative positions of an atom the first is taken", shown(first_), others,
      atoms_ == 1 ? "1 position of an atom is" : fmt::format("{} positions of atoms are", with_commas(atoms_)));
}

std::string sameness_warning(std::span<const Graph> graphs, const KernelSpec& kernel, const Start& start,
                             bool normalized) {
  const bool by_size = start.kind == Start::Kind::attribute || start.kind == Start::Kind::ones;
  if (by_size && !normalized) return {};
  std::vector<const Graph*> all;
  all.reserve(graphs.size());
  for (const Graph& graph : graphs) all.push_back(&graph);
  return octile::sameness_warning(all, kernel);
}

void warn(const std::string& warning) {
  if (!warning.empty()) say(fmt::format("octile: warning: {}\n", warning));
}

}  // namespace octile::app
