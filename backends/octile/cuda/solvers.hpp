// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solver_setup.hpp>

#include <cstdint>
#include <memory>

// The solvers of the native CUDA backend. There is a translation unit for each kind of edge kernel, and one for factors.
namespace octile::cuda {

using octile::plan::LoweringPlan;

/// The native solver for a setup; null if there is none for its precision, its primitive or its kernels.
std::unique_ptr<PairSolver> make_native(const SolverSetup& setup);

std::unique_ptr<PairSolver> make_constant_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_table_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan);
/// Any κe. It is evaluated step by step, which takes longer than by the others.
std::unique_ptr<PairSolver> make_program_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// The closed form, with spectra formed on the device, in double for either precision. Exists in builds with cuSOLVER
/// only. Takes graphs of up to `closed_form_limit` vertices.
std::unique_ptr<PairSolver> make_closed_form_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// The most vertices for which the sums of a pair's columns, in double, fit the shared memory of a block.
inline constexpr std::int32_t closed_form_limit = 16384;

/// The solver by the plan's factors, which must be dense.
std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan);

}  // namespace octile::cuda
