// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/factored.hpp>
#include <octile/portable/lowerings.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_factored(const Kokkos::Cuda& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan) {
  return make_factored_solver(space, setup, plan);
}

}  // namespace octile::portable
