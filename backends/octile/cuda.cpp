// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>

#include <octile/portable_spaces.hpp>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  if (setup.precision == Precision::float64) return portable::make_octile_cuda(setup);
  const LoweredSet lowered(setup);
  if (!lowered.vertex.constant() && !lowered.vertex.tabulated()) return portable::make_octile_cuda(setup);
  if (lowered.constant_edges()) return make_constant_solver(setup, lowered);
  if (lowered.edge.delta()) return make_delta_solver(setup, lowered);
  if (lowered.edge.tabulated()) return make_table_solver(setup, lowered);
  if (lowered.edge.square_exponential()) return make_square_exponential_solver(setup, lowered);
  return portable::make_octile_cuda(setup);
}

}  // namespace octile::cuda
