// SPDX-License-Identifier: BSD-3-Clause
#include "commands/solve_arguments.hpp"

#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <octile/backends.hpp>
#include <octile/base/bytes.hpp>

#include "commands/order_arguments.hpp"
#include "commands/presets.hpp"
#include "output/failures.hpp"

namespace octile::app {
namespace {

std::string lowering_help() {
  std::string help = "How the edge kernel is brought to the solver";
  for (const LoweringInfo& entry : lowerings()) {
    help += fmt::format("{} {}: {}", help.ends_with("solver") ? ":" : ";", entry.name, entry.description);
  }
  return help;
}

std::string preset_help() {
  std::string help = "Kernel for a kind of graphs; --vertex, --edge and --stopping take the place of its parts:";
  for (const Preset& preset : presets) {
    help += fmt::format("{} {} ({}): --vertex '{}' --edge '{}' --stopping {}", help.ends_with(':') ? "" : ";",
                        preset.name, preset.graphs, preset.vertex, preset.edge, preset.stopping);
  }
  return help;
}

}  // namespace

void PairArguments::add_kernel_to(CLI::App& command) {
  command
      .add_option(
          "--vertex", vertex,
          "Kernel between vertices, such as delta(element,0.5)*delta(charge,0.8); 1 for unlabelled; octile kernels "
          "lists what there is")
      ->type_name("EXPR");
  command.add_option("--edge", edge, "Kernel between edges, such as gaussian(length,0.1); 1 for unlabelled")
      ->type_name("EXPR");
  command
      .add_option("--stopping", stopping,
                  "Stopping parameter of every vertex: weight:Q adds Q to its degree, probability:Q stops the walk "
                  "with probability Q a step")
      ->type_name("MEANING:Q");
  command.add_option("--preset", preset, preset_help())->type_name("NAME");
}

void PairArguments::add_limits_to(CLI::App& command) {
  command.add_option("--memory", memory, "Most memory for the set and the work space")
      ->type_name("SIZE")
      ->capture_default_str();
  add_number(command, "--max-iterations", max_iterations, "Most iterations for a pair", positive_number);
  command.add_option("--threads", threads, "Host threads [all cores]")->type_name("N")->check(whole_number);
}

KernelSpec PairArguments::kernel() const {
  const Preset* const chosen = preset.empty() ? nullptr : &find_preset(preset);
  const auto given = [chosen](std::string_view option, const std::string& text, std::string_view Preset::*part) {
    if (!text.empty()) return text;
    if (chosen != nullptr) return std::string(chosen->*part);
    throw UsageError(fmt::format("{} is required, unless --preset says what is taken: {}", option, preset_names()));
  };
  return as_usage([&] {
    KernelSpec spec{Expression::parse(given("--vertex", vertex, &Preset::vertex)),
                    Expression::parse(given("--edge", edge, &Preset::edge)),
                    Stopping::parse(given("--stopping", stopping, &Preset::stopping))};
    spec.vertex.require_vertex_kernel();
    spec.edge.require_edge_kernel();
    return spec;
  });
}

GramOptions PairArguments::limited_options() const {
  GramOptions options;
  if (max_iterations < 1) throw UsageError(fmt::format("--max-iterations {}: allowed is 1 or more", max_iterations));
  check_threads(threads);
  options.reorder_threads = threads;
  options.solve.max_iterations = max_iterations;
  options.memory = as_usage([this] { return parse_bytes(memory); });
  return options;
}

void SolveArguments::add_to(CLI::App& command) {
  add_kernel_to(command);
  command.add_option("--backend", backend, "Where to solve; `octile backends` lists the names")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--primitive", primitive,
                  "How the product of an iteration is formed, such as sparse-sparse or tiling-blocking:8,8; "
                  "`octile verify --list` lists them")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--lowering", lowering, lowering_help())->type_name("NAME")->capture_default_str();
  command
      .add_option(
          "--order", order,
          "Order of the vertices while pairs are solved; `octile reorder --list` lists them, auto takes what pays")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option(
          "--accuracy", accuracy,
          fmt::format("How wrong a value may be: |K - exact| <= A exact, proven for every pair, from {:g} to {:g}; "
                      "estimated:A stops on an estimate, which is faster and not proven [{:g}]",
                      Accuracy::least, Accuracy::most, Accuracy::standard))
      ->type_name("A");
  command
      .add_option("--tolerance", tolerance,
                  "Instead of an accuracy, the paper's rule: the relative residual at which a pair is solved")
      ->type_name("TOL");
  command
      .add_option(
          "--precision", precision,
          "float64 or float32; auto takes float64 with --tolerance, and else what is fastest: float32 first, and "
          "float64 for pairs that need it")
      ->type_name("TYPE")
      ->capture_default_str();
  command
      .add_option(
          "--start", start,
          "Weights of the vertices where walks start: uniform (1/n), ones (1 each: K grows with the graphs), degree "
          "(a certified value then takes one solve instead of two), or attribute:NAME")
      ->type_name("RULE")
      ->capture_default_str();
  add_number(command, "--lmin", lmin, "Steps of the shortest walks that count: 0 or 1");
  command.add_flag("--no-refine", no_refine,
                   "With --precision float32: leave pairs that float32 cannot solve unconverged, instead of "
                   "solving them again in float64");
  add_limits_to(command);
  command.add_flag("--quiet", quiet, "No progress, no summary");
}

KernelSpec SolveArguments::kernel() const {
  KernelSpec spec = PairArguments::kernel();
  if (lmin != 0 && lmin != 1) throw UsageError(fmt::format("--lmin {}: allowed is 0 or 1", lmin));
  if (lmin == 1 && (tolerance || accuracy.starts_with("estimated"))) {
    throw UsageError("--lmin 1: allowed with a proven --accuracy only");
  }
  spec.shortest_walk = lmin;
  return spec;
}

Start SolveArguments::start_rule() const {
  return as_usage([this] { return Start::parse(start); });
}

GramOptions SolveArguments::gram_options() const {
  GramOptions options = limited_options();
  options.backend = as_usage([this] { return parse_backend(backend); });
  if (precision == "float32" || precision == "float") {
    options.precision = Precision::float32;
  } else if (precision == "float64" || precision == "double") {
    options.precision = Precision::float64;
  } else if (precision != "auto") {
    throw UsageError(fmt::format("--precision {}: allowed is auto, float64 or float32", precision));
  }
  if (tolerance) {
    if (!accuracy.empty()) throw UsageError("--accuracy and --tolerance: allowed is one of the two");
    // Written so that NaN is refused too.
    if (!(*tolerance > 0 && *tolerance < 1)) {
      throw UsageError(fmt::format("--tolerance {}: allowed is a number between 0 and 1", *tolerance));
    }
    options.solve.tolerance = *tolerance;
  } else {
    options.accuracy = as_usage([this] { return accuracy.empty() ? Accuracy{} : Accuracy::parse(accuracy); });
  }
  options.refine = !no_refine;
  options.order = as_usage([this] { return reorder::parse_order(order); });
  options.primitive = as_usage([this] { return parse_primitive(primitive); });
  options.lowering = as_usage([this] { return parse_lowering(lowering); });
  const Backend& chosen = find_backend(options.backend);
  if (!chosen.available) throw UsageError(fmt::format("backend '{}' cannot run on this machine", chosen.name));
  if (options.precision == Precision::float32 && !chosen.single_precision) {
    throw UsageError(fmt::format("backend '{}' has no float32; allowed is float64", chosen.name));
  }
  if (!chosen.has(options.lowering)) {
    throw UsageError(fmt::format("backend '{}' has no lowering '{}'; allowed is auto there", chosen.name, lowering));
  }
  const Precision in = options.precision.value_or(
      chosen.has(options.primitive, Precision::float64) ? Precision::float64 : Precision::float32);
  if (!chosen.has(options.primitive, in)) {
    throw UsageError(fmt::format("backend '{}' has no primitive '{}' in {}; `octile verify --list` lists those it has",
                                 chosen.name, primitive, scalar_name(in)));
  }
  return options;
}

}  // namespace octile::app
