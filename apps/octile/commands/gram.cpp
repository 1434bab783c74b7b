// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <octile/batch_runner.hpp>
#include <octile/gradient.hpp>
#include <octile/gram.hpp>
#include <octile/parameters.hpp>
#include <octile/prepared_set.hpp>

#include "commands/commands.hpp"
#include "commands/dry_run.hpp"
#include "commands/gram_arguments.hpp"
#include "commands/gram_outputs.hpp"
#include "commands/gram_tiles.hpp"
#include "commands/gram_top.hpp"
#include "commands/kokkos_scope.hpp"
#include "commands/load.hpp"
#include "commands/warnings.hpp"
#include "output/failures.hpp"
#include "output/file.hpp"
#include "output/matrix_names.hpp"
#include "output/progress.hpp"
#include "output/summary.hpp"
#include "output/table.hpp"
#include "output/target_table.hpp"
#include "readers/structure_attributes.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"
#include "readers/unify_labels.hpp"
#include "tiles/neighbour_list.hpp"
#include "tiles/request.hpp"
#include "tiles/result_memory.hpp"
#include "tiles/shared_cores.hpp"

namespace octile::app {
namespace {

/// Whether what has this shape is small enough to be printed.
bool is_small(std::span<const std::size_t> shape) {
  return std::ranges::all_of(shape, [](std::size_t count) { return count <= largest_table; });
}

void check_table(const GramArguments& arguments, std::span<const std::size_t> shape) {
  if (!arguments.out.empty() || arguments.table || is_small(shape)) return;
  throw UsageError(
      fmt::format("the matrix of {} graphs is too large to print: give --out FILE.npy (or --table, which "
                  "prints the extreme pairs only, above {} graphs)",
                  *std::ranges::max_element(shape), largest_table));
}

/// The derivatives of all pairs, N×N×parameters.
std::vector<double> square_of(const GramGradient& gradient, std::size_t size) {
  const std::size_t count = gradient.parameters.size();
  std::vector<double> square(size * size * count);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t place = pair_index(std::min(i, j), std::max(i, j), size) * count;
      std::copy_n(gradient.derivatives.begin() + static_cast<std::ptrdiff_t>(place), count,
                  square.begin() + static_cast<std::ptrdiff_t>((i * size + j) * count));
    }
  }
  return square;
}

void print_parameters(const std::vector<Parameter>& parameters) {
  fmt::print("derivatives by");
  for (const Parameter& parameter : parameters) fmt::print(" {} = {}", parameter.name, parameter.value);
  fmt::print("\n");
}

/// Says of pairs that did not converge though their values are exact enough that it is their derivatives.
void print_inexact_derivatives(const std::vector<Unconverged>& unconverged, double accuracy) {
  const auto exact = [accuracy](const Unconverged& pair) { return pair.result.error_bound <= accuracy; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(unconverged, exact));
  if (count > 0)
    fmt::print("{} whose values are proven, but whose derivatives are less exact\n", counted(count, "pair"));
}

SolvedMatrix solve_all(const GramArguments& arguments, std::span<const Graph> graphs, const KernelSpec& kernel,
                       const GramOptions& options) {
  SolvedMatrix solved;
  solved.shape = {graphs.size(), graphs.size()};
  GramGradient gradient;
  if (arguments.gradient.empty()) {
    gradient.gram = gram(graphs, kernel, options);
  } else {
    gradient = gram_gradient(graphs, kernel, options);
    solved.derivatives = square_of(gradient, graphs.size());
    solved.parameters = std::move(gradient.parameters);
  }
  solved.summary = summarize(gradient.gram, arguments.normalize);
  if (arguments.bounds()) solved.errors = error_bounds(gradient.gram, arguments.normalize);
  solved.values = std::move(gradient.gram.values);
  return solved;
}

SolvedMatrix solve_some(const GramArguments& arguments, std::span<const Graph> graphs, const Selection& selection,
                        const KernelSpec& kernel, const GramOptions& options) {
  const PreparedSet set(graphs, options);
  SetRequest request;
  request.pairs = selection.pairs;
  request.normalize = arguments.normalize;
  if (!arguments.gradient.empty()) request.derivatives = Derivatives::each;
  SetAnswer answer = set.solve(kernel, request);
  SolvedMatrix solved;
  solved.shape = selection.shape;
  solved.summary = summarize(answer.results, selection.pairs, answer.error_bounds,
                             {graphs.size(), answer.refined, set.order(), answer.setup_seconds, answer.solve_seconds,
                              std::move(answer.description)});
  for (const auto& [graph, result] : answer.own) {
    const auto number = static_cast<std::size_t>(graph);
    if (result.status != Status::converged) solved.summary.unconverged.push_back({number, number, result});
  }
  std::ranges::sort(solved.summary.unconverged, {},
                    [](const Unconverged& pair) { return std::pair(pair.first, pair.second); });
  solved.values = std::move(answer.values);
  if (arguments.bounds()) solved.errors = std::move(answer.error_bounds);
  solved.derivatives = std::move(answer.derivatives);
  solved.parameters = std::move(answer.parameters);
  return solved;
}

SolvedMatrix solve_tiled(const GramArguments& arguments, const MatrixRequest& request, Outputs& outputs, Ranks* ranks,
                         const std::function<std::string(const SolveFacts&)>& names) {
  SolvedMatrix solved;
  if (!arguments.tiles.empty()) {
    solved.summary = solve_part(arguments, request, outputs, names);
    solved.is_part = true;
    return solved;
  }
  if (arguments.top > 0) {
    TopOfRows top = solve_top(arguments, request, outputs);
    solved.summary = std::move(top.summary);
    solved.nearest = std::move(top.nearest);
    return solved;
  }
  TiledMatrixFiles matrix = solve_in_tiles(arguments, request, outputs, *ranks);
  solved.summary = std::move(matrix.summary);
  solved.tiled = std::move(matrix.files);
  return solved;
}

/// Prints the progress of a solve as long as this lives.
class ShownProgress {
 public:
  ShownProgress(bool quiet, GramOptions& options) : line_(quiet) {
    options.on_reorder = [this](std::size_t done, std::size_t total) {
      line_.ordering(done, total);
      return true;
    };
    options.on_start = [this](const std::string& solver) { line_.starting(solver); };
    options.on_progress = [this](const Progress& progress) {
      line_.solving(progress);
      return true;
    };
  }

 private:
  ProgressLine line_;
};

void print_matrix(const SolvedMatrix& solved, const std::vector<std::string>& names, bool normalized) {
  if (is_small(solved.shape)) {
    print_table(solved.values, names, names, {normalized, normalized ? 2 : 4, 1});
  } else {
    fmt::print("{} graphs are too many for a table (at most {})\n", names.size(), largest_table);
  }
  fmt::print("\n");
  print_extreme_pairs(solved.values, names, 5);
  fmt::print("\n");
}

void print_selection(const SolvedMatrix& solved, const Selection& selection, const std::vector<std::string>& names,
                     bool normalized) {
  if (!is_small(solved.shape)) {
    fmt::print("{} are too many to print (at most {} rows and columns)\n", counted(solved.values.size(), "value"),
               largest_table);
    return;
  }
  if (selection.kind == Selection::Kind::rectangle) {
    const auto middle = names.begin() + static_cast<std::ptrdiff_t>(selection.shape[0]);
    print_table(solved.values, {names.begin(), middle}, {middle, names.end()}, {normalized, normalized ? 2 : 4, 1});
  } else {
    for (std::size_t k = 0; k < selection.pairs.size(); ++k) {
      const auto [first, second] = selection.pairs[k];
      fmt::print("{:<12.6g} {} - {}\n", solved.values[k], printable(names[static_cast<std::size_t>(first)]),
                 printable(names[static_cast<std::size_t>(second)]));
    }
  }
  fmt::print("\n");
}

/// The graphs of INPUT, and behind them those of --columns.
struct LoadedSet {
  GraphFile file;
  std::size_t rows = 0;
};

LoadedSet load_set(const GramArguments& arguments, const ReadOptions& reading, bool warns) {
  LoadedSet set;
  set.file = load_graphs(arguments.inputs, reading, arguments.solve.quiet, warns);
  set.rows = set.file.graphs.size();
  if (arguments.selection.columns.empty()) return set;
  GraphFile columns = load_graphs(arguments.selection.columns, reading, arguments.solve.quiet, warns);
  std::ranges::move(columns.graphs, std::back_inserter(set.file.graphs));
  std::ranges::move(columns.sources, std::back_inserter(set.file.sources));
  std::ranges::move(columns.skipped, std::back_inserter(set.file.skipped));
  unify_labels(set.file.graphs);
  return set;
}

/// Whether the graphs may be copied in another order of their vertices. `auto` leaves them as they are where nothing else is chosen.
bool may_reorder(const GramOptions& options) {
  if (options.order == reorder::OrderId::natural) return false;
  return options.order != reorder::OrderId::automatic || options.lowering != Lowering::automatic ||
         options.primitive.family != PrimitiveFamily::automatic;
}

/// Whether the matrix is so large that it is not kept as a whole.
bool is_large(const LoadedSet& set, const ResultKinds& kinds, std::size_t memory) {
  const std::size_t graphs = set.file.graphs.size();
  const std::size_t columns = set.rows == graphs ? graphs : graphs - set.rows;
  const std::size_t pairs = set.rows * columns;
  constexpr std::size_t small = 4096;
  if (pairs <= small) return false;
  return !results_are_small(graphs, set.rows == graphs ? std::nullopt : std::optional(pairs), kinds, memory);
}

/// Refuses derivatives that would not be those of the values.
void check_derivatives(const GramArguments& arguments, const KernelSpec& kernel, const Start& start,
                       const GramOptions& options) {
  if (arguments.gradient.empty()) return;
  if (!options.accuracy || options.accuracy->kind == Accuracy::Kind::estimated) {
    throw UsageError("--gradient: allowed with a proven --accuracy only");
  }
  if (start.kind == Start::Kind::degree && kernel.stopping.meaning() == StoppingMeaning::weight) {
    throw UsageError(
        "--gradient, --start degree and a stopping weight: starting weights change with q, and no derivative has that; "
        "allowed is a stopping probability, or another start");
  }
}

ExitCode run_gram(GramArguments arguments) {
  const std::size_t processes = arguments.processes();
  arguments.share_cores(processes);
  const KernelSpec kernel = arguments.solve.kernel();
  GramOptions options = arguments.solve.gram_options();
  const Start start = arguments.solve.start_rule();
  check_derivatives(arguments, kernel, start, options);
  const bool all = arguments.selection.all();
  const Precision written = arguments.written();
  const Clock::time_point began = Clock::now();
  const bool tiles_asked = arguments.tiles_asked();
  // Jobs that solve tiles of their own have nothing to do with each other.
  std::optional<Ranks> joined;
  if (arguments.tiles.empty()) joined.emplace(processes);
  const bool together = joined && joined->size() > 1;
  const bool first = !joined || joined->first();
  if (together) {
    arguments.check_ranks();
    // Processes that --devices began have their share of the cores already.
    if (processes == 1) arguments.share_cores(ranks_on_these_cores(*joined));
  }
  if (first && !arguments.dry_run) {
    arguments.check_outputs();
  }
  if (!first) arguments.solve.quiet = true;
  std::vector<std::string> inputs = arguments.inputs;
  std::ranges::copy(arguments.selection.columns, std::back_inserter(inputs));
  const std::optional<SpatialRule> rule = arguments.reading.rule_for(inputs);
  const ReadOptions reading = arguments.reading.options_for(inputs);
  const KokkosScope kokkos(arguments.solve.threads);
  LoadedSet loaded = load_set(arguments, reading, first);
  std::vector<Graph>& graphs = loaded.file.graphs;
  const TargetTable targets = target_table(graphs);
  if (!arguments.labels.empty() && targets.names.empty()) {
    throw Error(fmt::format("--labels {}: none of the {} has a target; docs/formats.md says which formats give them",
                            arguments.labels, counted(graphs.size(), "graph")));
  }
  add_structure_attributes(graphs, kernel.vertex);
  const std::string sameness = first ? sameness_warning(graphs, kernel, start, arguments.normalize) : std::string();
  start.apply_to(graphs, kernel.stopping);
  const std::size_t memory = memory_beside_graphs(graphs, may_reorder(options), options.memory);
  const ResultKinds kinds{arguments.bounds(), arguments.gradient.empty() ? 0 : parameters(kernel).size()};
  const bool in_tiles = tiles_asked || together || (arguments.tiles_possible() && is_large(loaded, kinds, memory));
  Selection selection;
  if (in_tiles && !all) {
    selection = {Selection::Kind::rectangle, {}, {loaded.rows, graphs.size() - loaded.rows}};
  } else if (!all) {
    selection = arguments.selection.select(graphs, loaded.rows);
  }
  const std::vector<std::size_t> shape = all ? std::vector{graphs.size(), graphs.size()} : selection.shape;
  if (arguments.top == 0 && !arguments.dry_run) check_table(arguments, shape);
  // What is refused is one line.
  warn(sameness);

  options.normalize = arguments.normalize || arguments.top > 0;
  const MoleculeOptions* const molecules =
      any_takes(inputs, reading.format, Takes::molecules) ? &reading.molecules : nullptr;
  const Request request{
      inputs,    rule,          &kernel, &options, &targets, start.to_string(), {}, all ? nullptr : &selection,
      molecules, &reading.atoms};
  MatrixRequest asked{graphs,  all ? graphs.size() : loaded.rows,
                      &kernel, start.to_string(),
                      options, kinds.errors,
                      written, seconds_since(began)};
  asked.options.memory = memory;
  if (arguments.dry_run) {
    print_dry_run(arguments, asked, selection, in_tiles, joined ? &*joined : nullptr);
    return exit_success;
  }
  MatrixNames matrix{file_name(arguments.out), shape, graphs, loaded.rows, loaded.file.sources, &targets};
  if (all || !arguments.selection.columns.empty()) {
    matrix.identity = [&](const SolveFacts& facts) {
      nlohmann::json identity = identity_of(asked);
      identity[choice_key] = choice_of(facts);
      return identity;
    };
  }
  Outputs outputs;
  SolvedMatrix solved = [&] {
    GramOptions shown = asked.options;
    const ShownProgress progress(arguments.solve.quiet, shown);
    if (in_tiles) {
      MatrixRequest tiled_request = asked;
      tiled_request.options = shown;
      SolvedMatrix tiled = solve_tiled(arguments, tiled_request, outputs, joined ? &*joined : nullptr,
                                       [&](const SolveFacts& facts) { return names_json(request, facts, matrix); });
      tiled.shape = shape;
      return tiled;
    }
    shown.memory = all ? memory_beside_results(graphs.size(), kinds, memory)
                       : memory_beside_pairs(selection.pairs.size(), kinds, memory);
    check_largest_pair(graphs, kernel, shown.memory);
    SolvedMatrix whole =
        all ? solve_all(arguments, graphs, kernel, shown) : solve_some(arguments, graphs, selection, kernel, shown);
    round_values(whole, written);
    whole.summary.facts.read_seconds = asked.read_seconds;
    return whole;
  }();
  if (!first) return exit_success;

  if (!arguments.out.empty()) matrix.written = written_matrix(arguments, solved);
  std::vector<std::string> names(graphs.size());
  std::ranges::transform(graphs, names.begin(), &Graph::name);
  // Files come first: if stdout is a pipe that closes early, they must be complete by then.
  Request answered = request;
  answered.parameters = solved.parameters;
  const Clock::time_point solved_at = Clock::now();
  write_files(outputs, arguments, solved, answered, graphs.size(),
              {[&] {
                 if (!in_tiles) solved.summary.facts.write_seconds = seconds_since(solved_at);
                 return summary_json(solved.summary, names, loaded.file.skipped, answered,
                                     arguments.summary_has_names() ? &matrix : nullptr);
               },
               [&] { return names_json(answered, solved.summary.facts, matrix); },
               [&](std::ostream& file) { write_neighbours(file, *solved.nearest, names, all ? 0 : loaded.rows); }});
  if (solved.nearest) {
    std::ostringstream text;
    if (arguments.out.empty()) write_neighbours(text, *solved.nearest, names, all ? 0 : loaded.rows);
    fmt::print("{}", text.str());
  } else if (arguments.table || arguments.out.empty()) {
    all ? print_matrix(solved, names, arguments.normalize)
        : print_selection(solved, selection, names, arguments.normalize);
  }
  const bool converged = solved.summary.unconverged.empty() && solved.summary.unlisted == 0;
  if (!arguments.solve.quiet || !converged) print_summary(solved.summary, names, loaded.file.skipped);
  if (!arguments.gradient.empty()) {
    print_inexact_derivatives(solved.summary.unconverged, options.accuracy ? options.accuracy->value : 0);
    if (!arguments.solve.quiet) print_parameters(solved.parameters);
  }
  if (!arguments.out.empty() && !arguments.solve.quiet) fmt::print("wrote {}\n", printable(arguments.out));
  return converged ? exit_success : exit_unconverged;
}

}  // namespace

void add_gram_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("gram", "Compute the Gram matrix of a set of graphs");
  const auto arguments = std::make_shared<GramArguments>();
  arguments->add_to(*command);
  command->callback([arguments, &exit_code] { exit_code = run_gram(*arguments); });
}

}  // namespace octile::app
