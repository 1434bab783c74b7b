// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solver_setup.hpp>

#include <cstdint>
#include <memory>

// The native CUDA backend. Its kernels are a translation unit for each kind of edge kernel, and one for factored ones.
namespace octile::cuda {

using octile::plan::LoweringPlan;

/// The native solver for a setup; null where there is none for its precision, its primitive or its kernels.
std::unique_ptr<PairSolver> make_native(const SolverSetup& setup);

std::unique_ptr<PairSolver> make_constant_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_table_solver(const SolverSetup& setup, const LoweringPlan& plan);
std::unique_ptr<PairSolver> make_square_exponential_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// By spectra that are formed on the device, in double whatever the precision; there in a build with cuSOLVER. For graphs
/// of up to `closed_form_limit` vertices.
std::unique_ptr<PairSolver> make_closed_form_solver(const SolverSetup& setup, const LoweringPlan& plan);

/// So many sums of columns, in double, fit the shared memory of a multiprocessor.
inline constexpr std::int32_t closed_form_limit = 16384;

/// By the plan's factors, which are dense.
std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan);

}  // namespace octile::cuda
