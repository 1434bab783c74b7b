// SPDX-License-Identifier: BSD-3-Clause
#include "molecules.hpp"

#include <utility>

#include "readers/read.hpp"

std::vector<octile::Graph> read_molecules(const std::string& path, const std::string& target, std::size_t most) {
  octile::app::ReadOptions options;
  options.columns.targets = {target};
  std::vector<octile::Graph> known;
  for (octile::Graph& graph : octile::app::read_graph_file(path, options).graphs) {
    if (known.size() < most && graph.targets().contains(target)) known.push_back(std::move(graph));
  }
  return known;
}
