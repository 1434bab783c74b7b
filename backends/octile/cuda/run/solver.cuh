// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/run/set_kernels.cuh>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>

#include <memory>
#include <string>

namespace octile::cuda {

using octile::plan::LoweringPlan;

/// The native solver of a set, in float32, with κv of the plan by a table over vertex ids, or evaluated once a pair. `method` names the
/// product for the description. Throws `Error` where the set does not fit the memory of the setup.
std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup, const LoweringPlan& plan, const std::string& method,
                                        SetOnHost set);

}  // namespace octile::cuda
