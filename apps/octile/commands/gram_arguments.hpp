// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <octile/precision.hpp>

#include "commands/read_arguments.hpp"
#include "commands/selection.hpp"
#include "commands/solve_arguments.hpp"

namespace CLI {
class App;
}

namespace octile::app {

/// The options of `octile gram`, as given on the command line.
struct GramArguments {
  std::vector<std::string> inputs;
  ReadArguments reading;
  SolveArguments solve;
  std::string out;
  std::string out_precision = std::string(scalar_name(Precision::float64));
  std::string errors;
  std::string gradient;
  std::string summary;
  std::string labels;
  SelectionArguments selection;
  bool normalize = false;
  bool table = false;
  bool resume = false;
  std::size_t tile_size = 0;
  std::size_t top = 0;
  std::string tiles;
  std::string extend;
  bool dry_run = false;
  std::string devices;

  void add_to(CLI::App& command);

  /// Refuses outputs that cannot be written before the long work begins. Throws `UsageError` and `OutputError`.
  void check_outputs() const;

  /// The precision of the values in --out. Throws `UsageError` for float32 where that is no matrix in a .npy file.
  Precision written() const;

  /// --tiles A:B as two numbers, A < B. Throws `UsageError`.
  std::pair<std::size_t, std::size_t> tile_range() const;

  /// Whether bounds of the values are asked for: by --errors, or since a file of HDF5 has them.
  bool bounds() const;
  /// Where the names of the matrix are written: beside --out, if that is a .npy file. Empty if they are not.
  std::string names() const;
  /// Whether the summary is written there, which has the names, too.
  bool summary_has_names() const;

  /// Whether the matrix is solved in tiles because an option asks for it. Throws `UsageError` where another option forbids that.
  bool tiles_asked() const;
  /// How many processes of this machine --devices asks for; 1 without it. Throws `UsageError`. To be called before there are threads.
  std::size_t processes() const;
  /// Gives each of so many processes its part of the cores, if nothing else says how many threads there are.
  void share_cores(std::size_t processes);
  /// Refuses what several ranks cannot solve together. Throws `UsageError`.
  void check_ranks() const;
  /// Whether it may be: all that is asked for can be written tile by tile.
  bool tiles_possible() const;
};

}  // namespace octile::app
