// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/instances/spaces.hpp>
#include <octile/portable/typed/octiles.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_octile_serial(const SolverSetup& setup) {
  return make_octile_solver<Kokkos::Serial>(setup);
}

}  // namespace octile::portable
