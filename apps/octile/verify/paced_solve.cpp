// SPDX-License-Identifier: BSD-3-Clause
#include "verify/paced_solve.hpp"

#include <algorithm>
#include <chrono>

#include <octile/interruption.hpp>
#include <octile/pairs/prices.hpp>

namespace octile::app {
namespace {

/// A call that takes less does not measure its pairs: it may have waited for a thread.
constexpr double least_meaningful_seconds = 0.1;

/// Solves the pairs; returns the seconds that it took.
double timed(const SolvePairs& solve, std::span<const Pair> pairs, std::span<PairResult> results) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  solve(pairs, results);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double rate_of(double seconds, double work) {
  const double measured = seconds / work;
  return seconds < least_meaningful_seconds ? std::min(measured, seconds_a_unit) : measured;
}

}  // namespace

std::size_t solve_within(const Budget& budget, const SolvePairs& solve, std::span<const Pair> pairs,
                         std::span<const double> work, std::span<PairResult> results) {
  double rate = budget.endless() ? 0 : seconds_a_unit;
  // Only the first pair is solved with an assumed rate instead of a measured one.
  std::size_t most = budget.endless() ? pairs.size() : 1;
  std::size_t done = 0;
  while (done < pairs.size()) {
    const double left = budget.left();
    std::size_t end = done;
    for (double predicted = 0; end < pairs.size() && end - done < most; ++end) {
      predicted += work[end] * rate;
      if (predicted > left) break;
    }
    if (end == done || left <= 0) break;
    stop_if_asked();
    const std::span<const Pair> batch = pairs.subspan(done, end - done);
    const std::span<PairResult> solved = results.subspan(done, end - done);
    double seconds = timed(solve, batch, solved);
    // The first call includes work that is done once, such as loading a GPU's code. A second call measures the rate.
    if (done == 0 && rate_of(seconds, work[0]) > seconds_a_unit && seconds < budget.left() / 4) {
      seconds = timed(solve, batch, solved);
    }
    // Pairs of a batch may be solved concurrently, so one pair alone may take as long as the batch.
    rate = rate_of(seconds, work[end - 1]);
    done = end;
    most = pairs.size();
  }
  return done;
}

}  // namespace octile::app
