// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/typed/factored.hpp>

namespace octile::portable {

template std::unique_ptr<PairSolver> make_factored(const Kokkos::Cuda&, const SolverSetup&, const plan::LoweringPlan&);

}  // namespace octile::portable
