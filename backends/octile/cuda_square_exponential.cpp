// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>
#include <octile/cuda_solver.cuh>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  const double rate = plan.lowered.edge.program[0].parameter;
  return make_native<float>(setup, plan, FastSquareExponential{}, [&plan, rate](std::size_t g, std::size_t e) {
    return FastSquareExponential::stored(plan.lowered.edge_number(g, e), rate);
  });
}

}  // namespace octile::cuda
