// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <octile/gram.hpp>

#include "commands/commands.hpp"
#include "commands/graph_choice.hpp"
#include "commands/kokkos_scope.hpp"
#include "commands/read_arguments.hpp"
#include "commands/solve_arguments.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/npy.hpp"
#include "output/table.hpp"
#include "readers/structure_attributes.hpp"
#include "readers/text.hpp"
#include "readers/unify_labels.hpp"
#include "tiles/result_memory.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_listed = 10;

struct NodesArguments {
  std::string first;
  std::string second;
  SolveArguments solve;
  ReadArguments reading;
  std::string out;
  std::string errors;
};

/// The attributes that vertices are shown by: where an atom stands in its structure, if both graphs say so, and what the kernel reads.
std::vector<std::string> shown_attributes(const std::vector<Graph>& graphs, const Expression& kernel) {
  constexpr std::array<const char*, 4> places{"chain", "residue", "residue_number", "atom"};
  std::vector<std::string> shown;
  for (const char* place : places) {
    const auto has = [place](const Graph& graph) { return graph.vertex_labels().contains(place); };
    if (std::ranges::all_of(graphs, has)) shown.emplace_back(place);
  }
  for (const std::string& attribute : kernel.attributes()) {
    if (std::ranges::find(shown, attribute) == shown.end()) shown.push_back(attribute);
  }
  return shown;
}

/// Each vertex by its labels: "C 2", or nothing where none is shown.
std::vector<std::string> vertex_names(const Graph& graph, const std::vector<std::string>& shown) {
  std::vector<std::string> names;
  for (std::int32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
    std::string name;
    for (const std::string& attribute : shown) {
      const auto column = graph.vertex_labels().find(attribute);
      if (column == graph.vertex_labels().end()) continue;
      const LabelValue value = column_value(column->second, static_cast<std::size_t>(vertex));
      const std::string* text = std::get_if<std::string>(&value);
      name += fmt::format("{}{}", name.empty() ? "" : " ", text != nullptr ? *text : to_string(value));
    }
    names.push_back(std::move(name));
  }
  return names;
}

void print_most_similar(const std::vector<double>& similarity, const std::vector<std::string>& first,
                        const std::vector<std::string>& second) {
  std::vector<std::size_t> order(similarity.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(most_listed, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                            [&similarity](std::size_t a, std::size_t b) {
                              // Equal values are sorted by position, so that the output is stable.
                              return std::pair(-similarity[a], a) < std::pair(-similarity[b], b);
                            });
  const auto shown = [](const std::vector<std::string>& names, std::size_t vertex) {
    return names[vertex].empty() ? fmt::format("{}", vertex) : fmt::format("{} ({})", vertex, printable(names[vertex]));
  };
  fmt::print("most similar vertices\n");
  for (std::size_t k = 0; k < count; ++k) {
    fmt::print("  {:<11.6g}  {} - {}\n", similarity[order[k]], shown(first, order[k] / second.size()),
               shown(second, order[k] % second.size()));
  }
}

ExitCode run_nodes(const NodesArguments& arguments) {
  const KernelSpec kernel = arguments.solve.kernel();
  GramOptions options = arguments.solve.gram_options();
  const Start start = arguments.solve.start_rule();
  for (const auto& [option, file] : {std::pair("--out", &arguments.out), std::pair("--errors", &arguments.errors)}) {
    if (file->empty()) continue;
    if (!file->ends_with(".npy")) {
      throw UsageError(fmt::format("{} {}: allowed is a name that ends in .npy", option, *file));
    }
    check_output(*file);
  }
  const bool proven = options.accuracy && options.accuracy->kind == Accuracy::Kind::certified;
  if (!arguments.errors.empty() && !proven) {
    throw UsageError(
        "--errors without a proven accuracy, with which alone errors have bounds; allowed is --accuracy A");
  }
  const ReadOptions reading =
      arguments.reading.options_for({chosen_file(arguments.first), chosen_file(arguments.second)});
  const KokkosScope kokkos(arguments.solve.threads);
  std::vector<Graph> graphs = {choose_graph(arguments.first, arguments.solve.quiet, reading),
                               choose_graph(arguments.second, arguments.solve.quiet, reading)};
  unify_labels(graphs);
  add_structure_attributes(graphs, kernel.vertex);
  start.apply_to(graphs, kernel.stopping);
  check_pair(graphs[0], graphs[1], kernel, options.memory);
  const NodewiseResult result = nodewise(graphs[0], graphs[1], kernel, options);

  const std::vector<std::string> attributes = shown_attributes(graphs, kernel.vertex);
  const std::vector<std::string> rows = vertex_names(graphs[0], attributes);
  const std::vector<std::string> columns = vertex_names(graphs[1], attributes);
  if (!arguments.out.empty()) {
    write_output(arguments.out, [&](std::ostream& file) {
      write_npy(file, result.similarity, {rows.size(), columns.size()});
    });
  }
  if (!arguments.errors.empty()) {
    write_output(arguments.errors, [&](std::ostream& file) {
      write_npy(file, result.errors, {rows.size(), columns.size()});
    });
  }
  fmt::print("rows: {} of {}; columns: {} of {}; by number from 0{}{}\n", counted(rows.size(), "vertex", "vertices"),
             printable(graphs[0].name()), counted(columns.size(), "vertex", "vertices"), printable(graphs[1].name()),
             attributes.empty() ? "" : " and ", fmt::join(attributes, ", "));
  if (rows.size() <= largest_table && columns.size() <= largest_table) {
    print_table(result.similarity, rows, columns, {false, 3, 0});
  } else if (arguments.out.empty()) {
    fmt::print("too large to print as a table (at most {} vertices each): --out FILE.npy writes it\n", largest_table);
  }
  fmt::print("\n");
  print_most_similar(result.similarity, rows, columns);
  fmt::print("\nK = {:.12g}: {} after {}, relative residual {:.1e}, relative error at most {:.1e}\n", result.pair.value,
             status_name(result.pair.status), counted(static_cast<std::size_t>(result.pair.iterations), "iteration"),
             result.pair.residual, result.pair.error_bound);
  for (const std::string& file : {arguments.out, arguments.errors}) {
    if (!file.empty() && !arguments.solve.quiet) fmt::print("wrote {}\n", printable(file));
  }
  return result.pair.status == Status::converged ? exit_success : exit_unconverged;
}

}  // namespace

void add_nodes_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("nodes", "Compute the node-wise similarity of two graphs");
  const auto arguments = std::make_shared<NodesArguments>();
  const std::string choice =
      fmt::format("A graph: FILE:NAME, or FILE:#K for the K-th of the file; files: {}", input_suffixes());
  command->add_option("A", arguments->first, choice)->required();
  command->add_option("B", arguments->second, choice)->required();
  arguments->solve.add_to(*command);
  arguments->reading.add_to(*command);
  command->add_option("--out", arguments->out, "Write the similarities (float64), a row for each vertex of A")
      ->type_name("FILE.npy");
  command
      ->add_option("--errors", arguments->errors,
                   "Write a bound of the error of each similarity (float64): |value - exact| <= bound")
      ->type_name("FILE.npy");
  command->callback([arguments, &exit_code] { exit_code = run_nodes(*arguments); });
}

}  // namespace octile::app
