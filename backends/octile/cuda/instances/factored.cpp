// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/typed/solver.cuh>
#include <octile/plan/truncated.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace octile::cuda {
namespace {

using octile::plan::TruncatedSolver;

template <int Chunk, bool ConstantWeights>
std::unique_ptr<PairSolver> make(const SolverSetup& setup, const LoweringPlan& plan) {
  SolverSetup iterating = setup;
  iterating.options = plan.options_left(setup.options);
  Layout layout;
  layout.factored = {&*plan.factors, Chunk, Chunk > 1 || ConstantWeights, Chunk == 1};
  const auto record = [&plan](std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; };
  using Edges = FactoredEdges<Chunk, ConstantWeights>;
  auto solver =
      make_typed_solver<Product::factored, std::uint32_t>(iterating, plan, Edges{}, layout, plan.report, record);
  return std::make_unique<TruncatedSolver>(std::move(solver), plan, setup.options);
}

}  // namespace

std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  if (plan.factors->rank != 1) return make<3, false>(setup, plan);
  return has_constant_edges(setup.graphs, plan.lowered) ? make<1, true>(setup, plan) : make<1, false>(setup, plan);
}

}  // namespace octile::cuda
