// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solver_setup.hpp>

#include <memory>

// The portable backend on each execution space that Kokkos was built with. Solvers over octiles and by dense
// primitives are a translation unit each, since one is compiled for many kernel types.
namespace octile::portable {

std::unique_ptr<PairSolver> make_octile_serial(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_octile_openmp(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_octile_cuda(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_serial(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_openmp(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_cuda(const SolverSetup& setup);

}  // namespace octile::portable
