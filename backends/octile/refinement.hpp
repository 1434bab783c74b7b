// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/gram.hpp>
#include <octile/pair_solver.hpp>

#include <memory>
#include <optional>
#include <span>

namespace octile {

// How `gram` solves once more, in float64, what rounding stopped.

/// Whether a solve in a higher precision, or by iteration, may do better.
constexpr bool rounding_stopped(const PairResult& result) {
  return result.status == Status::stagnated || result.status == Status::breakdown;
}

/// How pairs that rounding stopped are solved once more; none where that would be the same again, or is not asked for.
std::optional<Lowering> finer_lowering(const PairSolver& solver, const GramOptions& options);

/// For what rounding stopped: in float64, by the same primitive if that is there. It takes all of the memory, so the first
/// solver must be gone.
std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options, Lowering lowering, const CostModel& cost);

}  // namespace octile
