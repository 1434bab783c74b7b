// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands/commands.hpp"
#include "commands/load.hpp"
#include "commands/own_threads.hpp"
#include "commands/read_arguments.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/node_link_line.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

struct ConvertArguments {
  std::vector<std::string> inputs;
  ReadArguments reading;
  std::string out;
  bool quiet = false;
};

void write_lines(const std::string& path, const std::vector<Graph>& graphs) {
  write_output(path, [&graphs](std::ostream& file) {
    for (const Graph& graph : graphs) file << node_link_line(graph) << '\n';
  });
}

ExitCode run_convert(const ConvertArguments& arguments) {
  if (!arguments.out.ends_with(".jsonl")) {
    throw UsageError(fmt::format("--out {}: allowed is a name that ends in .jsonl", arguments.out));
  }
  check_output(arguments.out);
  const ReadOptions reading = arguments.reading.options_for(arguments.inputs);
  const OwnThreads threads = own_threads(0);
  const GraphFile set = load_graphs(arguments.inputs, reading, arguments.quiet);
  write_lines(arguments.out, set.graphs);
  if (arguments.quiet) return exit_success;
  if (!set.skipped.empty()) fmt::print("skipped: {}\n", with_commas(set.skipped.size()));
  for (const std::string& line : set.skipped) fmt::print("  {}\n", printable(line));
  fmt::print("wrote {}: {}\n", printable(arguments.out), counted(set.graphs.size(), "graph"));
  return exit_success;
}

}  // namespace

void add_convert_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("convert", "Write graphs of any format as node-link JSON");
  const auto arguments = std::make_shared<ConvertArguments>();
  arguments->reading.add_with_inputs_to(*command, arguments->inputs);
  command->add_option("--out", arguments->out, "Write the graphs, one a line, with names, labels and targets")
      ->type_name("FILE.jsonl")
      ->required();
  command->add_flag("--quiet", arguments->quiet, "No progress, and no word on what was written");
  command->callback([arguments, &exit_code] { exit_code = run_convert(*arguments); });
}

}  // namespace octile::app
