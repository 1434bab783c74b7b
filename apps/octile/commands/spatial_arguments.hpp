// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "readers/read.hpp"

namespace CLI {
class App;
}

namespace octile::app {

/// The options that choose atoms of structures and join atoms in space, as given on the command line.
struct SpatialArguments {
  std::optional<std::string> cutoff;
  std::optional<double> decay;
  std::optional<std::string> adjacency;
  std::optional<std::string> images;
  std::optional<std::string> chain;
  std::optional<std::string> residues;
  std::optional<std::string> atoms;
  std::optional<std::string> model;

  void add_to(CLI::App& command);

  /// The rule for these inputs, of which standard input has the suffix `format`; nothing if no input has a format with coordinates. Throws `UsageError` for a value
  /// that is not allowed, and for an option if no input has coordinates.
  std::optional<SpatialRule> rule_for(const std::vector<std::string>& inputs, const std::string& format) const;

  /// Which atoms of structures are taken. Throws `UsageError` as `rule_for` does.
  AtomChoice choice_for(const std::vector<std::string>& inputs, const std::string& format) const;
};

/// The suffixes of the formats that take a kind of options, for messages.
std::string suffixes_that_take(Takes what);

/// Whether one of the files of these inputs has a format that takes them; `format` is that of standard input. Throws `Error` for an input of an unknown format.
bool any_takes(const std::vector<std::string>& inputs, const std::string& format, Takes what);

/// The suffixes of the formats that can be read, for the help.
std::string input_suffixes();

/// The help for INPUT.
std::string input_help();

}  // namespace octile::app
