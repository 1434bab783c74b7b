// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/backends.hpp>

#include "commands.hpp"

namespace octile::app {
namespace {

void print_backends() {
  for (const Backend& backend : backends()) {
    fmt::print("{}{}\n    {}\n    {}; {}; {}\n", backend.name, backend.available ? "" : "  (cannot run here)",
               backend.description, backend.exact ? "exact, no iteration" : "iterates to the tolerance",
               backend.deterministic ? "equal bits from run to run" : "last bits may differ from run to run",
               backend.single_precision ? "float64 and float32" : "float64 only");
  }
  fmt::print("\nportable (the default) is the portable backend on the fastest of these that can run here.\n");
}

}  // namespace

void add_backends_command(CLI::App& program, ExitCode&) {
  program.add_subcommand("backends", "List where pairs can be solved")->callback(print_backends);
}

}  // namespace octile::app
