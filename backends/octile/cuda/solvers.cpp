// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/solvers.hpp>

#include <octile/cuda/closed_form/solver.hpp>
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/plan/choice.hpp>
#include <octile/plan/pairwise_solver.hpp>

#include <algorithm>

namespace octile::cuda {
namespace {

using octile::plan::LoweredSet;
using octile::plan::make_pairwise_solver;

/// Whether this build has eigendecompositions on the device.
#ifdef OCTILE_HAS_CUSOLVER
constexpr bool decomposes = true;
#else
constexpr bool decomposes = false;
#endif

std::unique_ptr<PairSolver> make_closed_form(const SolverSetup& setup, const LoweringPlan& plan) {
  if constexpr (decomposes) {
    const auto fits = [](const Graph& graph) { return graph.vertex_count() <= closed_form_limit; };
    if (std::ranges::all_of(setup.graphs, fits)) return make_closed_form_solver(setup, plan);
  }
  return {};
}

/// The solver that evaluates the set's edge kernel for each pair of edges.
std::unique_ptr<PairSolver> make_by_element(const SolverSetup& setup, const LoweringPlan& plan) {
  const LoweredSet& lowered = plan.lowered;
  if (lowered.constant_edges()) return make_constant_solver(setup, plan);
  if (lowered.edge.delta() && setup.lowering != Lowering::table) return make_delta_solver(setup, plan);
  if (lowered.edge.tabulated()) return make_table_solver(setup, plan);
  if (lowered.edge.square_exponential() && lowered.float_tells_apart(lowered.edge.program[0].parameter)) {
    return make_square_exponential_solver(setup, plan);
  }
  if (lowered.exponential_sum()) return make_exponential_sum_solver(setup, plan);
  return make_program_solver(setup, plan);
}

}  // namespace

std::unique_ptr<PairSolver> make_native(const SolverSetup& setup) {
  const bool iterates = setup.precision == Precision::float32;
  if (!is_native(setup.primitive) || (!iterates && !may_be_closed(setup))) return {};
  const LoweringPlan plan = plan_native(setup, decomposes);
  if (plan.lowering == Lowering::closed_form) return make_closed_form(setup, plan);
  if (!iterates) return {};
  const auto by_factors = [&plan](const SolverSetup& part) { return make_factored_solver(part, plan); };
  const auto by_element = [&plan](const SolverSetup& part) { return make_by_element(part, plan); };
  // No native product takes sparse factors. The choice avoids them, but the user may ask for them.
  if (plan.takes_factors) return make_pairwise_solver(setup, plan.takes_factors, by_factors, by_element);
  if (plan.lowering != Lowering::factored) return by_element(setup);
  return plan.factors->sparse() ? std::unique_ptr<PairSolver>() : by_factors(setup);
}

}  // namespace octile::cuda
