// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/instances/solvers.hpp>
#include <octile/cuda/typed/solver.cuh>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  const double rate = plan.lowered.edge.program[0].parameter;
  // Only differences of labels matter. Labels are stored as distances from the middle of their range, the smallest possible.
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t g = 0; g < setup.graphs.size(); ++g) {
    for (std::size_t e = 0; e < setup.graphs[g].edge_count(); ++e) {
      least = std::min(least, plan.lowered.edge_number(g, e));
      most = std::max(most, plan.lowered.edge_number(g, e));
    }
  }
  const double middle = least <= most ? (least + most) / 2 : 0;
  return make_by_primitive<float>(setup, plan, FastSquareExponential{},
                                  [&plan, rate, middle](std::size_t g, std::size_t e) {
                                    return FastSquareExponential::stored(plan.lowered.edge_number(g, e) - middle, rate);
                                  });
}

}  // namespace octile::cuda
