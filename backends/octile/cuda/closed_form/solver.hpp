// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/setup.hpp>

#include <cstdint>
#include <memory>

namespace octile::cuda {

using octile::plan::LoweringPlan;

/// The closed form, with spectra formed on the device, in double for either precision. Exists in builds with cuSOLVER
/// only. Takes graphs of up to `closed_form_limit` vertices.
std::unique_ptr<PairSolver> make_closed_form_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// The most vertices for which the sums of a pair's columns, in double, fit the shared memory of a block.
inline constexpr std::int32_t closed_form_limit = 16384;

}  // namespace octile::cuda
