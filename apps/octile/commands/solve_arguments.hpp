// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octile/gram.hpp>
#include <octile/start.hpp>

namespace CLI {
class App;
}

namespace octile::app {

/// The options of every command that solves pairs, as given on the command line.
struct PairArguments {
  std::string preset;  ///< what is taken where the next three are not given
  std::string vertex;
  std::string edge;
  std::string stopping;
  std::string memory = "8GiB";
  std::int32_t max_iterations = SolveOptions{}.max_iterations;
  int threads = 0;
  bool quiet = false;

  void add_kernel_to(CLI::App& command);
  void add_limits_to(CLI::App& command);

  /// The kernel. Throws `UsageError`. Call it before any file is read.
  KernelSpec kernel() const;
  /// The default options, with the given memory and most iterations. Throws `UsageError`.
  GramOptions limited_options() const;
};

/// The options that `octile gram` and `octile nodes` share.
struct SolveArguments : PairArguments {
  std::string backend = "auto";
  std::string primitive = "auto";
  std::string lowering = "auto";
  std::string order = "auto";
  std::string start = "uniform";
  std::string accuracy;
  std::string precision = "auto";
  int lmin = 0;
  std::optional<double> tolerance;
  bool no_refine = false;

  void add_to(CLI::App& command);

  /// The kernel, with its shortest walk. Throws `UsageError`.
  KernelSpec kernel() const;
  /// Where walks start. Throws `UsageError`.
  Start start_rule() const;
  /// All options but `normalize` and the callbacks. Throws `UsageError`.
  GramOptions gram_options() const;
};

}  // namespace octile::app
