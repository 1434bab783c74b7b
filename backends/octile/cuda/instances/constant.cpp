// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/solver.cuh>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_constant_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  return make_by_primitive<NoLabel>(setup, plan, FastConstant{static_cast<float>(plan.lowered.edge_constant())},
                                    [](std::size_t, std::size_t) { return NoLabel{}; });
}

}  // namespace octile::cuda
