// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/instances/spaces.hpp>
#include <octile/portable/typed/octiles.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_octile_cuda(const SolverSetup& setup) {
  return make_octile_solver<Kokkos::Cuda>(setup);
}

}  // namespace octile::portable
