// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/solver.cuh>

#include <cstddef>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_exponential_sum_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  const auto sum = plan.lowered.exponential_sum();
  if (!sum) return {};
  const double middle = plan.lowered.middle_edge_number();
  return make_by_primitive<float>(setup, plan, FastExponentialSum(*sum), [&plan, middle](std::size_t g, std::size_t e) {
    return static_cast<float>(plan.lowered.edge_number(g, e) - middle);
  });
}

}  // namespace octile::cuda
