// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/leaf_table.hpp>

#include "commands/commands.hpp"

namespace octile::app {
namespace {

void print_leaf(const LeafRow& leaf) {
  const auto line = [](std::string_view what, std::string_view text) { fmt::print("    {:<9} {}\n", what, text); };
  fmt::print("{}\n", leaf.usage());
  line("value", leaf.equation);
  line("range", leaf.values);
  line("definite", leaf.definite);
  line("reads", leaf.reads == LeafReads::equality ? "numbers or texts" : "numbers");
  for (const LeafParameter& parameter : leaf.parameters) {
    line(parameter.name, parameter.standard
                             ? fmt::format("{}; {} unless given", parameter.allowed(), *parameter.standard)
                             : parameter.allowed());
  }
}

void print_kernels() {
  for (const LeafRow& leaf : leaf_table()) print_leaf(leaf);
  fmt::print(
      "\nThey are combined by numbers, '*', '+', parentheses, and convolution(attribute, kernel): the mean of a "
      "kernel\n"
      "of the attribute '_' over all pairs of elements of two lists.\n");
}

}  // namespace

void add_kernels_command(CLI::App& program, ExitCode&) {
  program.add_subcommand("kernels", "List the kernels of one attribute that expressions are composed of")
      ->callback(print_kernels);
}

}  // namespace octile::app
