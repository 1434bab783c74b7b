// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>

#include "commands/backend_list.hpp"
#include "commands/commands.hpp"

namespace octile::app {

void add_backends_command(CLI::App& program, ExitCode&) {
  program.add_subcommand("backends", "List where pairs can be solved")->callback(print_backends);
}

}  // namespace octile::app
