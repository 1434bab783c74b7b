// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/setup.hpp>

#include <memory>

// The iterating solvers of the native CUDA backend. There is a translation unit for each kind of edge kernel, and one for factors.
namespace octile::cuda {

using octile::plan::LoweringPlan;

std::unique_ptr<PairSolver> make_constant_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_table_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan);
/// κe must be an `exponential_sum`.
std::unique_ptr<PairSolver> make_exponential_sum_solver(const SolverSetup& setup, const LoweringPlan& plan);
/// Any κe. It is evaluated step by step, which takes longer than by the others.
std::unique_ptr<PairSolver> make_program_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// The solver by the plan's factors, which must be dense.
std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan);

}  // namespace octile::cuda
