// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace octile::app {

/// Adds `--list`, which prints and ends the program while the command line is parsed, as `--help` does: it needs no input.
inline void add_list_option(CLI::App& command, void (*print)(), const std::string& help) {
  const auto print_and_end = [print] {
    print();
    throw CLI::Success();
  };
  command.add_flag_callback("--list", print_and_end, help)->trigger_on_parse();
}

}  // namespace octile::app
