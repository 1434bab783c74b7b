// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/pair_solver.hpp>
#include <octile/problem.hpp>

#include <memory>
#include <optional>
#include <span>

namespace octile {

/// Whether rounding, and not the iterations allowed, kept a pair from converging.
bool rounding_stopped(const PairResult& result);

/// By which lowering `gram` solves pairs once more that rounding stopped: those of a solver in float32 by the one asked for, those
/// of the closed form, chosen by itself, on the fly. None where `options.refine` is off, or where it would be the same again.
std::optional<Lowering> finer_lowering(const PairSolver& solver, const GramOptions& options);

/// A solver in float64 for such pairs, by the primitive of the options if that is there. It may take all of the memory that the
/// options allow, so the first solver must be gone. `cost` is of the graphs. Throws as `make_pair_solver` does.
std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options, Lowering lowering, const CostModel& cost);

}  // namespace octile
