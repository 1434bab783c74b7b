// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// The targets of a set of graphs.
struct TargetTable {
  std::vector<std::string> names;  ///< sorted; each is a target of one graph or more
  std::vector<double> values;      ///< graphs × names, row major; NaN where a graph lacks the target

  double at(std::size_t graph, std::size_t name) const { return values[graph * names.size() + name]; }
};

TargetTable target_table(std::span<const Graph> graphs);

}  // namespace octile::app
