// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/solver.cuh>

#include <cstddef>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  const double rate = plan.lowered.edge.program[0].parameter;
  const double middle = plan.lowered.middle_edge_number();
  return make_by_primitive<float>(setup, plan, FastSquareExponential{},
                                  [&plan, rate, middle](std::size_t g, std::size_t e) {
                                    return FastSquareExponential::stored(plan.lowered.edge_number(g, e) - middle, rate);
                                  });
}

}  // namespace octile::cuda
