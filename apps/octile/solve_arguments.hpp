// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octile/gram.hpp>

namespace CLI {
class App;
}

namespace octile::app {

/// The options that `octile gram` and `octile nodes` share, as they stand on the command line.
struct SolveArguments {
  std::string vertex;
  std::string edge;
  std::string stopping;
  std::string backend = GramOptions{}.backend;
  std::string primitive = GramOptions{}.primitive;
  std::string memory = "8GiB";
  std::string precision = "float64";
  std::optional<double> tolerance;
  std::int32_t max_iterations = SolveOptions{}.max_iterations;
  int threads = 0;
  bool no_refine = false;
  bool quiet = false;

  void add_to(CLI::App& command);

  /// The kernel; throws `UsageError`. To be called before any file is read.
  KernelSpec kernel() const;
  /// Everything but `normalize` and `on_progress`; throws `UsageError`.
  GramOptions gram_options() const;
};

}  // namespace octile::app
