// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/naive.hpp>
#include <octile/portable/spaces.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_naive_serial(const SolverSetup& setup) {
  return make_naive_solver<Kokkos::Serial>(setup);
}

}  // namespace octile::portable
