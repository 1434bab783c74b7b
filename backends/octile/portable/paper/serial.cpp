// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/instances/spaces.hpp>
#include <octile/portable/paper/dense.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_dense_serial(const SolverSetup& setup) {
  return make_dense_solver<Kokkos::Serial>(setup);
}

}  // namespace octile::portable
