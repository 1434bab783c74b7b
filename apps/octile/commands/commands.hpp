// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/exit_codes.hpp"

namespace CLI {
class App;
}

namespace octile::app {

// Each function adds one subcommand. A chosen subcommand does its work while the command line
// is parsed, and sets `exit_code`.

void add_audit_command(CLI::App& program, ExitCode& exit_code);
void add_backends_command(CLI::App& program, ExitCode& exit_code);
void add_convert_command(CLI::App& program, ExitCode& exit_code);
void add_gram_command(CLI::App& program, ExitCode& exit_code);
void add_info_command(CLI::App& program, ExitCode& exit_code);
void add_kernels_command(CLI::App& program, ExitCode& exit_code);
void add_merge_command(CLI::App& program, ExitCode& exit_code);
void add_nodes_command(CLI::App& program, ExitCode& exit_code);
void add_reorder_command(CLI::App& program, ExitCode& exit_code);
void add_verify_command(CLI::App& program, ExitCode& exit_code);

}  // namespace octile::app
