// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/instances/spaces.hpp>
#include <octile/portable/typed/naive.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_naive_serial(const SolverSetup& setup) {
  return make_naive_solver<Kokkos::Serial>(setup);
}

}  // namespace octile::portable
