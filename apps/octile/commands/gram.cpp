// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/gradient.hpp>
#include <octile/gram.hpp>
#include <octile/parameters.hpp>
#include <octile/prepared_set.hpp>

#include "commands/commands.hpp"
#include "commands/load.hpp"
#include "commands/read_arguments.hpp"
#include "commands/result_memory.hpp"
#include "commands/selection.hpp"
#include "commands/solve_arguments.hpp"
#include "commands/warnings.hpp"
#include "kokkos_scope.hpp"
#include "output/failures.hpp"
#include "output/npy.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/summary.hpp"
#include "output/table.hpp"
#include "output/target_table.hpp"
#include "readers/structure_attributes.hpp"
#include "readers/text.hpp"
#include "readers/unify_labels.hpp"

namespace octile::app {
namespace {

struct GramArguments {
  std::vector<std::string> inputs;
  ReadArguments reading;
  SolveArguments solve;
  std::string out;
  std::string errors;
  std::string gradient;
  std::string summary;
  std::string labels;
  SelectionArguments selection;
  bool normalize = false;
  bool table = false;
  bool skip_invalid = false;
};

/// Refuses outputs that cannot be written before the long work begins.
void check_outputs(const GramArguments& arguments) {
  for (const auto& [option, output] : {std::pair("--out", arguments.out), std::pair("--errors", arguments.errors),
                                       std::pair("--gradient", arguments.gradient)}) {
    if (output.empty() || output.ends_with(".npy")) continue;
    throw UsageError(fmt::format("{} {}: allowed is a name that ends in .npy", option, output));
  }
  if (!arguments.summary.empty() && !arguments.summary.ends_with(".json")) {
    throw UsageError(fmt::format("--summary {}: allowed is a name that ends in .json", arguments.summary));
  }
  if (!arguments.labels.empty() && !arguments.labels.ends_with(".npy")) {
    throw UsageError(fmt::format("--labels {}: allowed is a name that ends in .npy", arguments.labels));
  }
  check_distinct({{"--out", arguments.out},
                  {"--errors", arguments.errors},
                  {"--gradient", arguments.gradient},
                  {"--labels", arguments.labels},
                  {"--summary", arguments.summary}});
  for (const std::string& output :
       {arguments.out, arguments.errors, arguments.gradient, arguments.summary, arguments.labels}) {
    if (!output.empty()) check_output(output);
  }
}

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

/// What was solved, as it is written.
struct Solved {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  std::vector<double> errors;       ///< if they are asked for
  std::vector<double> derivatives;  ///< of the shape and by every parameter, if they are asked for
  std::vector<Parameter> parameters;
  Summary summary;
};

Solved solve_all(const GramArguments& arguments, std::span<const Graph> graphs, const KernelSpec& kernel,
                 const GramOptions& options) {
  Solved solved;
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
  if (!arguments.errors.empty()) solved.errors = error_bounds(gradient.gram, arguments.normalize);
  solved.values = std::move(gradient.gram.values);
  return solved;
}

Solved solve_some(const GramArguments& arguments, std::span<const Graph> graphs, const Selection& selection,
                  const KernelSpec& kernel, const GramOptions& options) {
  const PreparedSet set(graphs, options);
  SetRequest request;
  request.pairs = selection.pairs;
  request.normalize = arguments.normalize;
  if (!arguments.gradient.empty()) request.derivatives = Derivatives::each;
  SetAnswer answer = set.solve(kernel, request);
  Solved solved;
  solved.shape = selection.shape;
  solved.summary = summarize(answer.results, selection.pairs, answer.error_bounds,
                             {graphs.size(), answer.refined, set.order(), answer.setup_seconds, answer.solve_seconds,
                              std::move(answer.description)});
  solved.values = std::move(answer.values);
  if (!arguments.errors.empty()) solved.errors = std::move(answer.error_bounds);
  solved.derivatives = std::move(answer.derivatives);
  solved.parameters = std::move(answer.parameters);
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

void print_matrix(const Solved& solved, const std::vector<std::string>& names, bool normalized) {
  if (is_small(solved.shape)) {
    print_table(solved.values, names, names, {normalized, normalized ? 2 : 4, 1});
  } else {
    fmt::print("{} graphs are too many for a table (at most {})\n", names.size(), largest_table);
  }
  fmt::print("\n");
  print_extreme_pairs(solved.values, names, 5);
  fmt::print("\n");
}

void print_selection(const Solved& solved, const Selection& selection, const std::vector<std::string>& names,
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

/// Writes all files that are asked for, or none.
void write_files(const GramArguments& arguments, const Solved& solved, const TargetTable& targets, std::size_t graphs,
                 const std::function<std::string()>& summary) {
  Outputs outputs;
  const auto add_npy = [&outputs](const std::string& path, std::span<const double> values,
                                  const std::vector<std::size_t>& shape) {
    if (path.empty()) return;
    outputs.add(path, [&](std::ostream& file) { write_npy(file, values, shape); });
  };
  add_npy(arguments.out, solved.values, solved.shape);
  add_npy(arguments.errors, solved.errors, solved.shape);
  std::vector<std::size_t> with_parameters = solved.shape;
  with_parameters.push_back(solved.parameters.size());
  add_npy(arguments.gradient, solved.derivatives, with_parameters);
  add_npy(arguments.labels, targets.values, {graphs, targets.names.size()});
  if (!arguments.summary.empty()) outputs.add(arguments.summary, [&](std::ostream& file) { file << summary(); });
  outputs.commit();
}

/// The graphs of INPUT, and behind them those of --columns.
struct LoadedSet {
  GraphFile file;
  std::size_t rows = 0;
};

LoadedSet load_set(const GramArguments& arguments, const ReadOptions& reading) {
  LoadedSet set{load_graphs(arguments.inputs, reading, arguments.solve.quiet)};
  set.rows = set.file.graphs.size();
  if (arguments.selection.columns.empty()) return set;
  GraphFile columns = load_graphs(arguments.selection.columns, reading, arguments.solve.quiet);
  std::ranges::move(columns.graphs, std::back_inserter(set.file.graphs));
  std::ranges::move(columns.skipped, std::back_inserter(set.file.skipped));
  unify_labels(set.file.graphs);
  return set;
}

ExitCode run_gram(const GramArguments& arguments) {
  const KernelSpec kernel = arguments.solve.kernel();
  GramOptions options = arguments.solve.gram_options();
  const Start start = arguments.solve.start_rule();
  const bool all = arguments.selection.all();
  check_outputs(arguments);
  std::vector<std::string> inputs = arguments.inputs;
  std::ranges::copy(arguments.selection.columns, std::back_inserter(inputs));
  const std::optional<SpatialRule> rule = arguments.reading.rule_for(inputs);
  const ReadOptions reading = arguments.reading.options_for(inputs, arguments.skip_invalid);
  const KokkosScope kokkos(arguments.solve.threads);
  LoadedSet loaded = load_set(arguments, reading);
  std::vector<Graph>& graphs = loaded.file.graphs;
  Selection selection;
  if (!all) selection = arguments.selection.select(graphs, loaded.rows);
  const std::vector<std::size_t> shape = all ? std::vector{graphs.size(), graphs.size()} : selection.shape;
  check_table(arguments, shape);
  const TargetTable targets = target_table(graphs);
  if (!arguments.labels.empty() && targets.names.empty()) {
    throw Error(fmt::format("--labels {}: none of the {} has a target; docs/formats.md says which formats give them",
                            arguments.labels, counted(graphs.size(), "graph")));
  }
  add_structure_attributes(graphs, kernel.vertex);
  if (!arguments.solve.quiet) warn(sameness_warning(graphs, kernel, start, arguments.normalize));
  start.apply_to(graphs, kernel.stopping);

  const ResultKinds kinds{!arguments.errors.empty(), arguments.gradient.empty() ? 0 : parameters(kernel).size()};
  const std::size_t memory = options.memory;
  options.memory = all ? memory_beside_results(graphs.size(), kinds, memory)
                       : memory_beside_pairs(selection.pairs.size(), kinds, memory);
  check_largest_pair(graphs, kernel, options.memory);
  options.normalize = arguments.normalize;
  const Solved solved = [&] {
    const ShownProgress progress(arguments.solve.quiet, options);
    return all ? solve_all(arguments, graphs, kernel, options)
               : solve_some(arguments, graphs, selection, kernel, options);
  }();

  options.memory = memory;
  std::vector<std::string> names(graphs.size());
  std::ranges::transform(graphs, names.begin(), &Graph::name);
  // Files come first: if stdout is a pipe that closes early, they must be complete by then.
  write_files(arguments, solved, targets, graphs.size(), [&] {
    return summary_json(
        solved.summary, names, loaded.file.skipped,
        {inputs, rule, &kernel, &options, &targets, start.to_string(), solved.parameters, all ? nullptr : &selection,
         any_takes(inputs, reading.format, Takes::molecules) ? &reading.molecules : nullptr});
  });
  if (arguments.table || arguments.out.empty()) {
    all ? print_matrix(solved, names, arguments.normalize)
        : print_selection(solved, selection, names, arguments.normalize);
  }
  const bool converged = solved.summary.unconverged.empty();
  if (!arguments.solve.quiet || !converged) print_summary(solved.summary, names, loaded.file.skipped);
  if (!arguments.gradient.empty() && !arguments.solve.quiet) print_parameters(solved.parameters);
  if (!arguments.out.empty() && !arguments.solve.quiet) fmt::print("wrote {}\n", printable(arguments.out));
  return converged ? exit_success : exit_unconverged;
}

}  // namespace

void add_gram_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("gram", "Compute the Gram matrix of a set of graphs");
  const auto arguments = std::make_shared<GramArguments>();
  command->add_option("INPUT", arguments->inputs, input_help())->required();
  arguments->solve.add_to(*command);
  arguments->reading.add_to(*command);
  arguments->reading.add_format_to(*command);
  arguments->selection.add_to(*command);
  command->add_flag("--normalize", arguments->normalize, "Divide K_ij by the root of K_ii K_jj");
  command->add_option("--out", arguments->out, "Write the matrix (float64); without it, small ones are printed")
      ->type_name("FILE.npy");
  command
      ->add_option("--errors", arguments->errors,
                   "Write a bound of the relative error of each value (float64), inf where nothing is certain")
      ->type_name("FILE.npy");
  command
      ->add_option("--gradient", arguments->gradient,
                   "Write the derivatives of each value by every parameter of the kernel: N x N x parameters (float64)")
      ->type_name("FILE.npy");
  command
      ->add_option("--labels", arguments->labels,
                   "Write the targets of the graphs (float64), a row for each graph; NaN for one that has none")
      ->type_name("FILE.npy");
  command->add_option("--summary", arguments->summary, "Write names, options and statistics")->type_name("FILE.json");
  command->add_flag(
      "--table", arguments->table,
      fmt::format("Print the matrix (up to {} graphs) and the most and least similar pairs", largest_table));
  command->add_flag("--skip-invalid", arguments->skip_invalid, "Pass over graphs that are refused, and list them");
  command->callback([arguments, &exit_code] { exit_code = run_gram(*arguments); });
}

}  // namespace octile::app
