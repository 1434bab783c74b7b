// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/lowered_edges.cuh>
#include <octile/cuda/typed/solver.cuh>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_program_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  const FastProgram<Kokkos::Cuda::memory_space> kernel(Kokkos::Cuda(), plan.lowered.edge);
  return make_by_primitive<std::uint32_t>(
      setup, plan, kernel, [&plan](std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; });
}

}  // namespace octile::cuda
