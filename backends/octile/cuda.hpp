// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/lowering_plan.hpp>
#include <octile/solver_setup.hpp>

#include <memory>

// The native CUDA backend. Its kernels are a translation unit for each kind of edge kernel, and one for factored ones.
namespace octile::cuda {

/// The native solver where it has the setup's precision and kernel of edges; else the portable one on the GPU.
std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup);

std::unique_ptr<PairSolver> make_constant_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_table_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// By the plan's factors, which are dense.
std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan);

}  // namespace octile::cuda
