// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/solver.cuh>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  return make_by_primitive<std::uint32_t>(
      setup, plan, FastDelta{static_cast<float>(plan.lowered.edge.program[0].parameter)},
      [&plan](std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; });
}

}  // namespace octile::cuda
