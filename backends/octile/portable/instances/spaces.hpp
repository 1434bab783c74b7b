// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solvers/setup.hpp>

#include <memory>

// The portable backend on each execution space that Kokkos was built with. Solvers by octiles, by the naive primitive
// and by the paper's dense ones have a translation unit each, since each is compiled for many kernel types. The dense
// ones exist in builds with OCTILE_PAPER only, the naive one in builds with OCTILE_WITH_KOKKOS_KERNELS and on the fastest
// space only.
namespace octile::portable {

std::unique_ptr<PairSolver> make_octile_serial(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_octile_openmp(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_octile_cuda(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_naive_serial(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_naive_openmp(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_naive_cuda(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_serial(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_openmp(const SolverSetup& setup);
std::unique_ptr<PairSolver> make_dense_cuda(const SolverSetup& setup);

}  // namespace octile::portable
