// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <octile/graph.hpp>

#include "output/selected_pairs.hpp"

namespace CLI {
class App;
}

namespace octile::app {

/// The options that choose pairs, as given on the command line.
struct SelectionArguments {
  std::vector<std::string> columns;
  std::string pairs;
  bool diagonal = false;

  void add_to(CLI::App& command);

  /// Whether all pairs are asked for. Throws `UsageError` where more than one selection is given.
  bool all() const;

  /// The pairs of these graphs, of which the first `rows` are those of INPUT and the others those of --columns. Throws `Error`
  /// that names file and line for what is no pair of graphs.
  Selection select(std::span<const Graph> graphs, std::size_t rows) const;
};

}  // namespace octile::app
