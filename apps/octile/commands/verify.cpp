// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/reference/solver.hpp>

#include "commands/backend_list.hpp"
#include "commands/commands.hpp"
#include "commands/load.hpp"
#include "commands/order_arguments.hpp"
#include "commands/setting_choice.hpp"
#include "commands/solve_arguments.hpp"
#include "commands/spatial_arguments.hpp"
#include "interrupt.hpp"
#include "kokkos_scope.hpp"
#include "output/failures.hpp"
#include "output/progress.hpp"
#include "readers/text.hpp"
#include "verify/pair_sample.hpp"
#include "verify/table.hpp"
#include "verify/verification.hpp"

namespace octile::app {
namespace {

struct VerifyArguments {
  std::vector<std::string> inputs;
  SpatialArguments spatial;
  PairArguments pairs;
  SettingNames settings;
  RandomPairs random;
  bool skip_invalid = false;
};

Judgements judge_with_progress(const VerifyTask& task, const std::vector<Pair>& pairs,
                               const VerifyArguments& arguments) {
  ProgressLine line(arguments.pairs.quiet);
  return judge(task, pairs, arguments.random.most_unknowns, [&line](std::size_t done, std::size_t total) {
    throw_if_interrupted();
    line.judging(done, total);
  });
}

ExitCode run_verify(const VerifyArguments& arguments) {
  const KernelSpec kernel = arguments.pairs.kernel();
  const GramOptions options = arguments.pairs.limited_options();
  const Settings settings = chosen_settings(arguments.settings);
  const std::size_t limit = arguments.random.most_unknowns;
  if (limit > reference::Solver::most_unknowns) {
    throw UsageError(fmt::format("--reference-limit {}: allowed is 0 to {}", limit, reference::Solver::most_unknowns));
  }
  const std::optional<SpatialRule> rule = arguments.spatial.rule_for(arguments.inputs);
  const KokkosScope kokkos(arguments.pairs.threads);
  catch_interrupts();
  const GraphFile set =
      load_graphs(arguments.inputs, arguments.skip_invalid, arguments.pairs.quiet, rule.value_or(SpatialRule{}));

  const PairSample sample = sample_pairs(set.graphs, arguments.random);
  const VerifyTask task{set.graphs, &kernel, options.solve.max_iterations, options.memory};
  const Judgements judgements = judge_with_progress(task, sample.pairs, arguments);
  fmt::print(
      "{} of {}, each once: the costliest, the cheapest, the largest and the smallest self-pair, {} at random (seed "
      "{})\n",
      counted(sample.pairs.size(), "pair"), counted(set.graphs.size(), "graph"), sample.at_random,
      arguments.random.seed);
  const VerificationTable table(settings.available);
  table.print_head(judgements, limit);
  table.print_others(judgements, settings.unavailable);
  std::vector<VerifiedSetting> rows;
  for (const Setting& setting : settings.available) {
    throw_if_interrupted();
    rows.push_back({setting, verify(task, setting, judgements)});
    table.print_row(rows.back());
  }
  print_findings(rows, judgements, set.graphs);
  return how_it_ended(rows, judgements);
}

// What is wrong with an option's text, as CLI11 asks it.

/// An empty list of names would be taken for all.
std::string not_empty(const std::string& names) { return names.empty() ? "names are missing" : ""; }

void list_and_end() {
  print_backends_with_primitives();
  throw CLI::Success();
}

}  // namespace

void add_verify_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command =
      program.add_subcommand("verify", "Hold every backend and primitive to the reference on a sample of pairs");
  const auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("INPUT", arguments->inputs, input_help())->required();
  // Needs no input: it ends the program while the command line is parsed, as --help does.
  command->add_flag_callback("--list", list_and_end, "List all backends and their primitives, and end")
      ->trigger_on_parse();
  arguments->pairs.add_kernel_to(*command);
  command->add_option("--backends", arguments->settings.backends, "Backends to verify [all]")
      ->type_name("NAME,...")
      ->check(not_empty);
  CLI::Option* primitives = command->add_option("--primitives", arguments->settings.primitives,
                                                "Primitives to verify [all, the dense ones with t = r = 8]");
  primitives->type_name("NAME,...")->check(not_empty);
  command->add_flag("--all", arguments->settings.all, "Verify dense primitives with every t and r")
      ->excludes(primitives);
  command
      ->add_option("--lowering", arguments->settings.lowering,
                   "Lowering of the edge kernel to verify, as of octile gram")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--pairs", arguments->random.count, "Random pairs")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  command->add_option("--seed", arguments->random.seed, "Seed of the random pairs")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  command
      ->add_option(
          "--reference-limit", arguments->random.most_unknowns,
          "Largest n m of a pair for the reference, whose work is (n m)^3/3; a backend that iterates in float64 "
          "judges larger pairs")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  arguments->spatial.add_to(*command);
  arguments->pairs.add_limits_to(*command);
  command->add_flag("--skip-invalid", arguments->skip_invalid, "Pass over graphs that are refused");
  command->add_flag("--quiet", arguments->pairs.quiet, "No progress");
  command->callback([arguments, &exit_code] { exit_code = run_verify(*arguments); });
}

}  // namespace octile::app
