// SPDX-License-Identifier: BSD-3-Clause
#include <octile/refinement.hpp>

#include <octile/backends.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>

#include <algorithm>
#include <limits>

namespace octile {
namespace {

/// The finest estimated accuracy that float32 is taken for.
constexpr double float32_accuracy = 1e-6;

/// What pairs that are solved again in float64 are solved to, at least: the usual tolerance there.
constexpr double float64_tolerance = SolveOptions{}.tolerance;

bool starts_evenly(const Graph& graph) {
  const std::span<const double> starting = graph.starting_probability();
  return std::ranges::all_of(starting, [&](double p) { return p == starting[0]; });
}

/// How even the degrees of all graphs are: 1 where none has one above `even` times another of its own, and less as they differ by more. Isolated
/// vertices are left out: their rows weigh little.
double evenness_of(std::span<const Graph> graphs) {
  constexpr double even = 16;
  double most = 1;
  for (const Graph& graph : graphs) {
    double least = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const double degree : graph.weighted_degrees()) {
      if (!(degree > 0)) continue;
      least = std::min(least, degree);
      largest = std::max(largest, degree);
    }
    if (largest > 0) most = std::max(most, largest / least);
  }
  return std::min(even / most, 1.0);
}

/// Solves to a residual, which is A for an estimated accuracy A.
SolveOptions to_residual(const GramOptions& options) {
  SolveOptions solve = options.solve;
  solve.estimated_error = 0;
  if (options.accuracy) solve.tolerance = options.accuracy->value;
  return solve;
}

/// An estimated accuracy A is a residual of A, or with even starting probabilities an estimated error of A. It is A / 2 where values are
/// normalised, since those of graphs with themselves are off, too.
SolveOptions solve_options(std::span<const Graph> graphs, const GramOptions& options) {
  SolveOptions solve = to_residual(options);
  if (options.accuracy && std::ranges::all_of(graphs, starts_evenly)) {
    solve.estimated_error = static_cast<float>(options.accuracy->value / (options.normalize ? 2 : 1));
    solve.evenness = static_cast<float>(evenness_of(graphs));
  }
  return solve;
}

}  // namespace

bool is_certified(const GramOptions& options) {
  return options.accuracy && options.accuracy->kind == Accuracy::Kind::certified;
}

std::unique_ptr<PairSolver> make_gram_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                             const GramOptions& options, const CostModel& cost, Purpose purpose,
                                             SharedTables* vertex_tables) {
  if (options.accuracy && purpose != Purpose::rough) options.accuracy->require_allowed();
  if (is_certified(options)) return std::make_unique<CertifiedSolver>(graphs, kernel, options, cost, purpose);
  if (kernel.shortest_walk != 0) {
    throw Error("walks of no step are left out with a certified accuracy only; allowed is to set one");
  }
  const bool single =
      options.accuracy && options.accuracy->value >= float32_accuracy && find_backend(options.backend).single_precision;
  const Precision precision = options.precision.value_or(single ? Precision::float32 : Precision::float64);
  return make_pair_solver(options.backend, graphs, kernel, precision, solve_options(graphs, options), options.primitive,
                          options.memory, options.lowering, &cost, vertex_tables);
}

std::optional<Lowering> finer_lowering(const PairSolver& solver, const GramOptions& options) {
  // With an accuracy the solver has its own rounds.
  if (!options.refine || is_certified(options)) return {};
  if (solver.precision() == Precision::float32) return options.lowering;
  // An automatically chosen closed form, whose error bound exceeds the tolerance.
  if (!solver.iterates() && options.lowering == Lowering::automatic) return Lowering::on_the_fly;
  return {};
}

std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options, Lowering lowering, const CostModel& cost,
                                              SharedTables* vertex_tables) {
  const bool same = find_backend(options.backend).has(options.primitive, Precision::float64);
  SolveOptions solve = to_residual(options);
  solve.tolerance = std::min(solve.tolerance, float64_tolerance);
  return make_pair_solver(options.backend, graphs, kernel, Precision::float64, solve,
                          same ? options.primitive : Primitive{}, options.memory, lowering, &cost, vertex_tables);
}

}  // namespace octile
