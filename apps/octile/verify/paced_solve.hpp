// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <octile/gram.hpp>
#include <octile/interruption.hpp>

#include "verify/budget.hpp"

namespace octile::app {

/// Solves some pairs, one result each.
using SolvePairs = std::function<void(std::span<const Pair>, std::span<PairResult>)>;

/// Solves pairs that are sorted by rising work, as long as the next ones are predicted to end within the budget. The
/// prediction comes from the time of the previous ones and the work of each, in any unit; work must be above
/// 0. With unlimited time all are solved at once. Returns how many pairs were solved, from the first on. Throws
/// `Interrupted` if the thread is asked to stop.
std::size_t solve_within(const Budget& budget, const SolvePairs& solve, std::span<const Pair> pairs,
                         std::span<const double> work, std::span<PairResult> results);

/// What `prepare` makes; null if that takes longer than the budget.
template <class Made>
std::unique_ptr<Made> prepared_within(const Budget& budget, const std::function<std::unique_ptr<Made>()>& prepare) {
  const std::function<bool()> in_time = [&budget] { return budget.left() > 0; };
  try {
    const InterruptionScope interruption(in_time);
    // Work that never asks whether to stop is not begun too late.
    stop_if_asked();
    return prepare();
  } catch (const Interrupted&) {
    // The interruption may come from the caller and not from the budget.
    stop_if_asked();
    return nullptr;
  }
}

}  // namespace octile::app
