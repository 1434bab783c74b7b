// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solvers/setup.hpp>

#include <memory>

// The native CUDA backend.
namespace octile::cuda {

/// The native solver for a setup; null if there is none for its precision, its primitive or its kernels.
std::unique_ptr<PairSolver> make_native(const SolverSetup& setup);

}  // namespace octile::cuda
