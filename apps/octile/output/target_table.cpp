// SPDX-License-Identifier: BSD-3-Clause
#include "output/target_table.hpp"

#include <limits>
#include <set>

namespace octile::app {

TargetTable target_table(std::span<const Graph> graphs) {
  std::set<std::string> names;
  for (const Graph& graph : graphs) {
    for (const auto& [name, value] : graph.targets()) names.insert(name);
  }
  TargetTable table{{names.begin(), names.end()}, {}};
  for (const Graph& graph : graphs) {
    for (const std::string& name : table.names) {
      const auto found = graph.targets().find(name);
      table.values.push_back(found != graph.targets().end() ? found->second : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return table;
}

}  // namespace octile::app
