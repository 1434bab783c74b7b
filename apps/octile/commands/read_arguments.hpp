// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commands/spatial_arguments.hpp"
#include "readers/read.hpp"

namespace octile::app {

/// The options that say how files of graphs are read, as given on the command line.
struct ReadArguments {
  SpatialArguments spatial;
  Columns columns;
  MoleculeOptions molecules;
  std::string format;
  std::size_t max_atoms = default_max_vertices;
  bool skip_invalid = false;

  /// Adds all options but `--format` and `--skip-invalid`.
  void add_to(CLI::App& command);
  /// Adds the files that a command reads, and all options.
  void add_with_inputs_to(CLI::App& command, std::vector<std::string>& inputs);

  /// The options that were given, as a command line has them; each begins with a blank.
  std::string text() const;

  /// The rule that joins atoms of these inputs; nothing if no input has any. Throws as `options_for` does.
  std::optional<SpatialRule> rule_for(const std::vector<std::string>& inputs) const;

  /// The options for these inputs. Throws `UsageError` for an option that none of them has a use for, and for a value that is not
  /// allowed.
  ReadOptions options_for(const std::vector<std::string>& inputs) const;
};

}  // namespace octile::app
