// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/reference/solver.hpp>

#include "commands/backend_list.hpp"
#include "commands/commands.hpp"
#include "commands/kokkos_scope.hpp"
#include "commands/list_option.hpp"
#include "commands/load.hpp"
#include "commands/order_arguments.hpp"
#include "commands/read_arguments.hpp"
#include "commands/setting_choice.hpp"
#include "commands/solve_arguments.hpp"
#include "output/failures.hpp"
#include "output/progress.hpp"
#include "readers/structure_attributes.hpp"
#include "readers/text.hpp"
#include "verify/budget.hpp"
#include "verify/left_out.hpp"
#include "verify/pair_sample.hpp"
#include "verify/pieces.hpp"
#include "verify/table.hpp"
#include "verify/verification.hpp"

namespace octile::app {
namespace {

/// The default budget in seconds. It leaves room for a last pair that takes longer than predicted, so that a
/// verification ends within a minute.
constexpr double default_budget = 45;

/// The share of the time for the row of `octile gram`, and the share of the rest for reference values.
constexpr double share_of_gram = 0.4;
constexpr double share_of_judging = 0.4;

/// A row may take this many times an equal share of the remaining time, since most rows need far less.
constexpr double equal_parts = 3;

struct VerifyArguments {
  std::vector<std::string> inputs;
  ReadArguments reading;
  SolveArguments solve;
  SettingNames settings;
  RandomPairs random;
  double budget = default_budget;
  bool thorough = false;

  Budget time() const {
    // Written so that NaN is refused too.
    if (!(budget >= 0)) throw UsageError(fmt::format("--budget {}: allowed is a number of seconds from 0 on", budget));
    return thorough ? Budget() : Budget(budget);
  }
};

/// What is verified: a set, followed by pieces of its graphs if it has too few small pairs, and pairs of both.
struct Sample {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;  ///< cheapest first
  std::string text;         ///< what they are, in words
};

Sample sample_of(std::vector<Graph> graphs, const RandomPairs& random) {
  const std::size_t count = graphs.size();
  const PairSample drawn = sample_pairs(graphs, random);
  Sample sample{std::move(graphs), drawn.pairs, {}};
  sample.text = fmt::format(
      "{} of {}, each once: the costliest, the cheapest, the largest and the smallest self-pair, {} at random (seed "
      "{})",
      counted(drawn.pairs.size(), "pair"), counted(count, "graph"), drawn.at_random, random.seed);
  if (needs_pieces(sample.graphs, sample.pairs)) {
    const Pieces pieces = pieces_of(sample.graphs, sample.pairs);
    std::ranges::copy(pieces.graphs, std::back_inserter(sample.graphs));
    const auto first = static_cast<std::int32_t>(count);
    for (const Pair& pair : pieces.pairs) sample.pairs.push_back({first + pair.first, first + pair.second});
    sample.text += fmt::format("\nand {} of pieces of its graphs, put into the set as few of its pairs are small",
                               counted(pieces.pairs.size(), "pair"));
  }
  sample.pairs = cheapest_first(sample.graphs, std::move(sample.pairs));
  return sample;
}

Judgements judge_with_progress(const VerifyTask& task, std::span<const Pair> pairs, const VerifyArguments& arguments,
                               const Budget& budget) {
  ProgressLine line(arguments.solve.quiet);
  const auto on_pair = [&line](std::size_t done, std::size_t total) { line.judging(done, total); };
  return judge(task, pairs, arguments.random.most_unknowns, on_pair, budget);
}

/// What the rows solve: the pairs with reference values; `numbers` are these pairs by numbers of the task's graphs.
struct RowTask {
  VerifyTask task;
  std::vector<Pair> numbers;
  Judgements judgements;
};

/// Solves and prints row after row, each within a share of the remaining time.
void verify_rows(const RowTask& rest, std::span<const Setting> settings, const Budget& budget,
                 const VerificationTable& table, std::vector<VerifiedSetting>& rows, LeftOut& left_out) {
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const Budget part = budget.share(std::min(0.25, equal_parts / static_cast<double>(settings.size() - k)));
    const Solved solved = solve(rest.task, settings[k], rest.numbers, part);
    const Verdict verdict = hold(solved, *rest.task.kernel, settings[k], rest.judgements);
    if (verdict.refusal.empty() && verdict.pairs < rest.numbers.size()) {
      (verdict.pairs == 0 ? left_out.rows : left_out.shorter).push_back(settings[k].name());
    }
    if (verdict.refusal.empty() && verdict.pairs == 0) continue;
    rows.push_back({settings[k], verdict});
    table.print_row(rows.back());
  }
}

[[noreturn]] void throw_for_time(double seconds) {
  throw Error(fmt::format("no value could be compared within {:g} s; give more by --budget, or --thorough", seconds));
}

/// Pairs that were left out are no failure, but it is an error if nothing was compared.
ExitCode how_it_ended_in_time(std::span<const VerifiedSetting> rows, const Judgements& judgements,
                              const LeftOut& left_out, double seconds) {
  const ExitCode ending = how_it_ended(rows, judgements);
  const auto compared = [](const VerifiedSetting& row) { return row.verdict.compared > 0; };
  if (ending == exit_success && left_out.any() && std::ranges::none_of(rows, compared)) {
    throw_for_time(seconds);
  }
  return ending;
}

ExitCode run_verify(const VerifyArguments& arguments) {
  const Budget budget = arguments.time();
  const KernelSpec kernel = arguments.solve.kernel();
  const GramOptions options = arguments.solve.gram_options();
  const Start start = arguments.solve.start_rule();
  const Settings settings = chosen_settings(arguments.settings, arguments.solve.lowering);
  const std::size_t limit = arguments.random.most_unknowns;
  if (limit > reference::Solver::most_unknowns) {
    throw UsageError(fmt::format("--reference-limit {}: allowed is 0 to {}", limit, reference::Solver::most_unknowns));
  }
  const Setting gram = gram_setting(options);
  if (gram.backend->exact) throw UsageError(fmt::format("--backend {}: it judges the others", gram.backend->name));
  const ReadOptions reading = arguments.reading.options_for(arguments.inputs);
  const KokkosScope kokkos(arguments.solve.threads);
  GraphFile set = load_graphs(arguments.inputs, reading, arguments.solve.quiet);

  add_structure_attributes(set.graphs, kernel.vertex);
  start.apply_to(set.graphs, kernel.stopping);
  const Sample sample = sample_of(std::move(set.graphs), arguments.random);
  const std::vector<Pair>& pairs = sample.pairs;
  const VerifyTask task{sample.graphs, &kernel, options.solve.max_iterations, options.memory};
  bool whole = true;
  Solved by_gram = solve_as_gram(task, options, pairs, budget.share(share_of_gram));
  if (by_gram.refusal.empty() && by_gram.results.empty()) {
    // Preparing the whole set may take all of the time. Preparing only the graphs of these pairs takes no longer than the pairs.
    whole = false;
    const Subset subset = subset_of(sample.graphs, pairs);
    VerifyTask part = task;
    part.graphs = subset.graphs;
    by_gram = solve_as_gram(part, options, subset.pairs, budget.share(share_of_gram));
    if (by_gram.refusal.empty() && by_gram.results.empty()) throw_for_time(arguments.budget);
  }
  const std::size_t solved = by_gram.refusal.empty() ? by_gram.results.size() : pairs.size();
  const Judgements judgements =
      judge_with_progress(task, std::span(pairs).first(solved), arguments, budget.share(share_of_judging));
  LeftOut left_out{{pairs.begin() + static_cast<std::ptrdiff_t>(solved), pairs.end()}, judgements.left_out(), !whole};
  fmt::print("{}\n", sample.text);
  const VerificationTable table(settings.available);
  table.print_head(judgements, limit, gram, by_gram.description);
  std::vector<VerifiedSetting> rows{{gram, hold(by_gram, kernel, gram, judgements)}};
  table.print_row(rows.back());
  table.print_others(judgements, settings.unavailable);

  RowTask rest{task, {}, {}};
  for (const Judgement& judgement : judgements.pairs) {
    if (judgement.left_out) continue;
    rest.numbers.push_back(judgement.pair);
    rest.judgements.pairs.push_back(judgement);
  }
  Subset subset;
  if (!arguments.thorough) {
    // Only the graphs of these pairs are prepared, which is fast for a set of any size.
    subset = subset_of(sample.graphs, rest.numbers);
    rest.task.graphs = subset.graphs;
    rest.numbers = subset.pairs;
  }
  verify_rows(rest, settings.available, budget, table, rows, left_out);
  print_findings(rows, judgements, sample.graphs);
  print_left_out(left_out, sample.graphs, arguments.budget);
  return how_it_ended_in_time(rows, judgements, left_out, arguments.budget);
}

// A CLI11 validator: it returns what is wrong with an option's text.

}  // namespace

void add_verify_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command =
      program.add_subcommand("verify", "Hold every backend and primitive to the reference on a sample of pairs");
  const auto arguments = std::make_shared<VerifyArguments>();
  add_list_option(*command, print_backends_with_primitives, "List all backends and their primitives, and end");
  arguments->solve.add_to(*command);
  command->add_option("--backends", arguments->settings.backends, "Backends to verify [all]")->type_name("NAME,...");
  CLI::Option* primitives = command->add_option("--primitives", arguments->settings.primitives,
                                                "Primitives to verify [all, the dense ones with t = r = 8]");
  primitives->type_name("NAME,...");
  command->add_flag("--all", arguments->settings.all, "Verify dense primitives with every t and r")
      ->excludes(primitives);
  CLI::Option* budget = command
                            ->add_option("--budget", arguments->budget,
                                         "Most time: pairs and rows that would take longer are left out, and named")
                            ->type_name("SECONDS")
                            ->capture_default_str();
  command->add_flag("--thorough", arguments->thorough, "Leave out nothing, however long it takes")->excludes(budget);
  add_number(*command, "--pairs", arguments->random.count, "Random pairs");
  add_number(*command, "--seed", arguments->random.seed, "Seed of the random pairs");
  add_number(*command, "--reference-limit", arguments->random.most_unknowns,
             "Largest n m of a pair for the reference, whose work is (n m)^3/3; a backend that iterates in float64 "
             "judges larger pairs");
  arguments->reading.add_with_inputs_to(*command, arguments->inputs);
  command->callback([arguments, &exit_code] { exit_code = run_verify(*arguments); });
}

}  // namespace octile::app
