// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>
#include <octile/cuda_solver.cuh>
#include <octile/truncated_solver.hpp>

#include <utility>

namespace octile::cuda {
namespace {

template <int Chunk>
std::unique_ptr<PairSolver> make(const SolverSetup& setup, const LoweringPlan& plan) {
  SolverSetup iterating = setup;
  iterating.options.tolerance -= plan.relative_error;
  Layout layout;
  layout.factored = {&*plan.factors, Chunk, Chunk > 1};
  const auto record = [&plan](std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; };
  auto solver = std::make_unique<Solver<Product::factored, std::uint32_t, FactoredEdges<Chunk>>>(
      Kokkos::Cuda(), iterating, plan.lowered, FactoredEdges<Chunk>{}, layout, plan.report, record);
  return std::make_unique<TruncatedSolver>(std::move(solver), plan.relative_error);
}

}  // namespace

std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  return plan.factors->rank == 1 ? make<1>(setup, plan) : make<3>(setup, plan);
}

}  // namespace octile::cuda
