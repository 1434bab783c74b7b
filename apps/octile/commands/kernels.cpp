// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/kernels/leaf_table.hpp>

#include "commands/commands.hpp"
#include "readers/attributes.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// What `Expression::parse` reads.
constexpr std::string_view grammar_text = R"(    sum       := product { '+' product }
    product   := factor { '*' factor }
    factor    := NUMBER | '(' sum ')' | call
    call      := LEAF '(' attribute { ',' parameter } ')'
               | 'normalize' '(' sum ')'                    k(x, y) / sqrt(k(x, x) k(y, y)): for sums with any weights
               | 'power' '(' sum ',' exponent ')'           k(x, y)^exponent; a whole number, or any for products of
                                                            delta, gaussian, rational, periodic, matern with nu = 0.5
               | 'convolution' '(' attribute ',' sum ')'    the mean of a kernel of the attribute _ over all pairs of
                                                            elements of two lists
    attribute := letters, digits, '_', '-' and '.', or any text in double quotes
)";

void print_line(std::string_view what, std::string_view text) { fmt::print("    {:<9} {}\n", what, text); }

/// What the rows of both tables have.
void print_leaf(const auto& leaf, std::string_view usage, std::string_view reads) {
  fmt::print("{}\n", usage);
  print_line("value", leaf.equation);
  print_line("range", leaf.values);
  print_line("definite", leaf.definite);
  print_line("reads", reads);
}

void print_leaf(const LeafRow& leaf) {
  print_leaf(leaf, leaf.usage(), leaf.reads == LeafReads::equality ? "numbers or texts" : "numbers");
  for (const LeafParameter& parameter : leaf.parameters) {
    print_line(parameter.name, parameter.standard
                                   ? fmt::format("{}; {} unless given", parameter.allowed(), *parameter.standard)
                                   : parameter.allowed());
  }
}

void print_leaf(const ListLeafRow& leaf) {
  print_leaf(leaf, fmt::format("{}(attribute)", leaf.name),
             leaf.reads == ListReads::sets ? "lists of numbers or texts, as sets"
                                           : "lists of numbers, as vectors of one length");
}

void print_format_attributes(const FormatAttributes& formats) {
  fmt::print("attributes of {}\n", formats.formats);
  if (formats.attributes.empty()) fmt::print("  those of the file, by their names\n");
  for (const AttributeInfo& attribute : formats.attributes) {
    fmt::print("  {}\n", trimmed(fmt::format("{:<7}{:<16} {:<14} {}{}", attribute.of_edges ? "edge" : "vertex",
                                             attribute.name, attribute.type, attribute.values,
                                             attribute.only_if_asked ? "; with --features" : "")));
  }
}

void print_kernels() {
  fmt::print("grammar of --vertex and --edge\n{}\nleaf kernels\n", grammar_text);
  for (const LeafRow& leaf : leaf_table()) print_leaf(leaf);
  for (const ListLeafRow& leaf : list_leaf_table()) print_leaf(leaf);
  for (const FormatAttributes& formats : attributes_by_format()) {
    fmt::print("\n");
    print_format_attributes(formats);
  }
}

}  // namespace

void add_kernels_command(CLI::App& program, ExitCode&) {
  program
      .add_subcommand(
          "kernels",
          "Print the grammar of kernels, the kernels of one attribute that they are composed of, and the attributes")
      ->callback(print_kernels);
}

}  // namespace octile::app
