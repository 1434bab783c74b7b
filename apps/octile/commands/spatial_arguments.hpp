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

/// The options that join atoms in space, as they stand on the command line.
struct SpatialArguments {
  std::optional<double> cutoff;
  std::optional<double> decay;

  void add_to(CLI::App& command);

  /// The rule for these inputs; none where no input is of a format with coordinates. Throws `UsageError` for a value
  /// that is not allowed, and for an option given where there are no coordinates.
  std::optional<SpatialRule> rule_for(const std::vector<std::string>& inputs) const;
};

/// The suffixes of what is read, as the help names them.
std::string input_suffixes();

/// What the help says of INPUT.
std::string input_help();

}  // namespace octile::app
