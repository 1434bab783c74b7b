// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <octile/gram.hpp>

#include "verify/budget.hpp"

namespace octile::app {

/// Seconds that a unit of work is taken to need where nothing is measured yet: an iterating solver's at most on one CPU
/// core, where a unit is a product of two elements in each of some 30 iterations (measured: 1e-8 to 3e-7).
inline constexpr double seconds_a_unit = 5e-7;

/// Solves pairs, of which the first is the least work and the last the most, as long as the next of them are predicted to
/// end within the budget: by what the last ones took and by the work of each, in a unit of any kind. Work must be above
/// 0. With endless time all are solved at once. Returns how many pairs were solved: those from the first on. Throws
/// `Interrupted` where the thread is asked to stop.
std::size_t solve_within(const Budget& budget, PairSolver& solver, std::span<const Pair> pairs,
                         std::span<const double> work, std::span<PairResult> results);

/// The solver that `prepare` makes, which may take the budget; null where that does not suffice.
std::unique_ptr<PairSolver> prepared_within(const Budget& budget,
                                            const std::function<std::unique_ptr<PairSolver>()>& prepare);

}  // namespace octile::app
