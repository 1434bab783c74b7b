// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/naive.hpp>
#include <octile/portable/spaces.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_naive_cuda(const SolverSetup& setup) { return make_naive_solver<Kokkos::Cuda>(setup); }

}  // namespace octile::portable
