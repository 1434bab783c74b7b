// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "readers/spatial_adjacency.hpp"

namespace CLI {
class App;
}

namespace octile::app {

/// The options that join atoms in space, as given on the command line.
struct SpatialArguments {
  std::optional<double> cutoff;
  std::optional<double> decay;

  void add_to(CLI::App& command);

  /// The rule for these inputs; nothing if no input has a format with coordinates. Throws `UsageError` for a value
  /// that is not allowed, and for an option if no input has coordinates.
  std::optional<SpatialRule> rule_for(const std::vector<std::string>& inputs) const;
};

/// The suffixes of the formats that can be read, for the help.
std::string input_suffixes();

/// The help for INPUT.
std::string input_help();

}  // namespace octile::app
