// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/gram.hpp>

#include "commands/commands.hpp"
#include "commands/load.hpp"
#include "commands/solve_arguments.hpp"
#include "commands/spatial_arguments.hpp"
#include "interrupt.hpp"
#include "kokkos_scope.hpp"
#include "output/failures.hpp"
#include "output/npy.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/summary.hpp"
#include "output/table.hpp"

namespace octile::app {
namespace {

struct GramArguments {
  std::vector<std::string> inputs;
  SpatialArguments spatial;
  SolveArguments solve;
  std::string out;
  std::string summary;
  bool normalize = false;
  bool table = false;
  bool skip_invalid = false;
};

/// Refuses outputs that cannot be written before the long work begins.
void check_outputs(const GramArguments& arguments) {
  if (!arguments.out.empty() && !arguments.out.ends_with(".npy")) {
    throw UsageError(fmt::format("--out {}: allowed is a name that ends in .npy", arguments.out));
  }
  if (!arguments.summary.empty() && !arguments.summary.ends_with(".json")) {
    throw UsageError(fmt::format("--summary {}: allowed is a name that ends in .json", arguments.summary));
  }
  for (const std::string& output : {arguments.out, arguments.summary}) {
    if (!output.empty()) check_output(output);
  }
}

void check_table(const GramArguments& arguments, std::size_t graphs) {
  if (!arguments.out.empty() || arguments.table || graphs <= largest_table) return;
  throw UsageError(
      fmt::format("the matrix of {} graphs is too large to print: give --out FILE.npy (or --table, which "
                  "prints the extreme pairs only, above {} graphs)",
                  graphs, largest_table));
}

void print_matrix(const GramResult& result, const std::vector<std::string>& names, bool normalized) {
  if (result.size <= largest_table) {
    print_table(result.values, names, names, {normalized, normalized ? 2 : 4, 1});
  } else {
    fmt::print("{} graphs are too many for a table (at most {})\n", result.size, largest_table);
  }
  fmt::print("\n");
  print_extreme_pairs(result.values, names, 5);
  fmt::print("\n");
}

ExitCode run_gram(const GramArguments& arguments) {
  const KernelSpec kernel = arguments.solve.kernel();
  GramOptions options = arguments.solve.gram_options();
  check_outputs(arguments);
  const std::optional<SpatialRule> rule = arguments.spatial.rule_for(arguments.inputs);
  const KokkosScope kokkos(arguments.solve.threads);
  catch_interrupts();
  const GraphFile set =
      load_graphs(arguments.inputs, arguments.skip_invalid, arguments.solve.quiet, rule.value_or(SpatialRule{}));
  check_table(arguments, set.graphs.size());

  options.normalize = arguments.normalize;
  const GramResult result = [&] {
    ProgressLine line(arguments.solve.quiet);
    options.on_reorder = [&line](std::size_t done, std::size_t total) {
      line.ordering(done, total);
      return !interrupted();
    };
    options.on_prepare = [] { return !interrupted(); };
    options.on_start = [&line](const std::string& solver) { line.starting(solver); };
    options.on_progress = [&line](const Progress& progress) {
      line.solving(progress);
      return !interrupted();
    };
    return gram(set.graphs, kernel, options);
  }();

  std::vector<std::string> names;
  for (const Graph& graph : set.graphs) names.push_back(graph.name());
  const Summary summary = summarize(result);
  // Files come first: if stdout is a pipe that closes early, they must be complete by then.
  if (!arguments.out.empty()) write_npy(arguments.out, result.values, result.size, result.size);
  if (!arguments.summary.empty()) {
    write_text(arguments.summary,
               summary_json(summary, result, names, set.skipped, {arguments.inputs, rule, &kernel, &options}));
  }
  if (arguments.table || arguments.out.empty()) print_matrix(result, names, arguments.normalize);
  if (!arguments.solve.quiet || !summary.unconverged.empty()) print_summary(summary, result, names, set.skipped);
  if (!arguments.out.empty() && !arguments.solve.quiet) fmt::print("wrote {}\n", arguments.out);
  return summary.unconverged.empty() ? exit_success : exit_unconverged;
}

}  // namespace

void add_gram_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("gram", "Compute the Gram matrix of a set of graphs");
  const auto arguments = std::make_shared<GramArguments>();
  command->add_option("INPUT", arguments->inputs, input_help())->required();
  arguments->solve.add_to(*command);
  arguments->spatial.add_to(*command);
  command->add_flag("--normalize", arguments->normalize, "Divide K_ij by the root of K_ii K_jj");
  command->add_option("--out", arguments->out, "Write the matrix (float64); without it, small ones are printed")
      ->type_name("FILE.npy");
  command->add_option("--summary", arguments->summary, "Write names, options and statistics")->type_name("FILE.json");
  command->add_flag(
      "--table", arguments->table,
      fmt::format("Print the matrix (up to {} graphs) and the most and least similar pairs", largest_table));
  command->add_flag("--skip-invalid", arguments->skip_invalid, "Pass over graphs that are refused, and list them");
  command->callback([arguments, &exit_code] { exit_code = run_gram(*arguments); });
}

}  // namespace octile::app
