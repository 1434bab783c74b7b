// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/orders.hpp>

#include "commands/commands.hpp"
#include "commands/list_option.hpp"
#include "commands/load.hpp"
#include "commands/order_arguments.hpp"
#include "commands/own_threads.hpp"
#include "commands/read_arguments.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/order_report.hpp"
#include "output/progress.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

struct ReorderArguments {
  std::vector<std::string> inputs;
  std::vector<std::string> orders{"auto"};
  std::uint64_t seed = reorder::ReorderOptions{}.seed;
  int threads = 0;
  std::string out;
  std::string summary;
  ReadArguments reading;
  bool quiet = false;
};

/// Refuses wrong arguments before the long work begins.
void check_arguments(const ReorderArguments& arguments) {
  for (const std::string& order : arguments.orders) check_order(order);
  check_threads(arguments.threads);
  if (!arguments.out.empty() && arguments.orders.size() != 1) {
    throw UsageError(
        fmt::format("--out {}: allowed is one order, and --order names {}", arguments.out, arguments.orders.size()));
  }
  check_distinct({{"--out", arguments.out}, {"--summary", arguments.summary}});
  for (const auto& [option, path] : {std::pair("--out", &arguments.out), std::pair("--summary", &arguments.summary)}) {
    if (path->empty()) continue;
    if (!path->ends_with(".json")) {
      throw UsageError(fmt::format("{} {}: allowed is a name that ends in .json", option, *path));
    }
    check_output(*path);
  }
}

ExitCode run_reorder(const ReorderArguments& arguments) {
  check_arguments(arguments);
  const OwnThreads threads = own_threads(arguments.threads);
  const GraphFile set = load_graphs(arguments.inputs, arguments.reading.options_for(arguments.inputs), arguments.quiet);
  std::vector<OrderReport> reports;
  for (const std::string& order : arguments.orders) {
    ProgressLine line(arguments.quiet);
    reports.push_back(report_order(set.graphs, reorder::find_order(reorder::parse_order(order)),
                                   {arguments.seed, arguments.threads, [&line](std::size_t done, std::size_t total) {
                                      line.ordering(done, total);
                                      return true;
                                    }}));
  }
  Outputs outputs;
  if (!arguments.out.empty()) {
    outputs.add(arguments.out,
                [&](std::ostream& file) { file << orders_json(set.graphs, reports.front(), arguments.seed); });
  }
  if (!arguments.summary.empty()) {
    outputs.add(arguments.summary, [&](std::ostream& file) {
      file << reports_json(set, reports, {arguments.inputs, arguments.seed});
    });
  }
  outputs.commit();
  print_reports(set.graphs.size(), reports);
  if (!set.skipped.empty()) fmt::print("skipped lines: {}\n", with_commas(set.skipped.size()));
  for (const std::string& line : set.skipped) fmt::print("  {}\n", printable(line));
  if (!arguments.out.empty() && !arguments.quiet) fmt::print("wrote {}\n", printable(arguments.out));
  return exit_success;
}

void print_orders() {
  for (const reorder::Order& order : reorder::orders()) fmt::print("{:<8} {}\n", order.name, order.description);
}

}  // namespace

void add_reorder_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command =
      program.add_subcommand("reorder", "Order the vertices of graphs for fewer octiles, and say how many that leaves");
  const auto arguments = std::make_shared<ReorderArguments>();
  arguments->reading.add_with_inputs_to(*command, arguments->inputs);
  add_list_option(*command, print_orders, "List all orders, and end");
  command->add_option("--order", arguments->orders, "Orders to compare; --list lists them")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->capture_default_str();
  add_number(*command, "--seed", arguments->seed, "Seed of the orders that search; equal seeds give equal orders");
  command->add_option("--out", arguments->out, "Write the order of every graph (of one --order)")
      ->type_name("FILE.json");
  command->add_option("--summary", arguments->summary, "Write tiles, fill, populations and times")
      ->type_name("FILE.json");
  command->add_option("--threads", arguments->threads, "Host threads [all cores]")->type_name("N")->check(whole_number);
  command->add_flag("--quiet", arguments->quiet, "No progress");
  command->callback([arguments, &exit_code] { exit_code = run_reorder(*arguments); });
}

}  // namespace octile::app
