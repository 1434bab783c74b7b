// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include <octile/block_solver.hpp>
#include <octile/error.hpp>
#include <octile/prepared_set.hpp>

#include "verify/paced_solve.hpp"
#include "verify/verification.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

/// What `octile gram` solves with.
struct PreparedGram {
  PreparedGram(const VerifyTask& task, const GramOptions& options)
      : set(task.graphs, options), solver(set, *task.kernel) {}

  PreparedSet set;
  BlockSolver solver;
};

}  // namespace

Solved solve_as_gram(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
                     const Budget& budget) {
  Solved solved;
  solved.results.resize(pairs.size());
  try {
    const std::unique_ptr<PreparedGram> prepared =
        prepared_within<PreparedGram>(budget, [&] { return std::make_unique<PreparedGram>(task, options); });
    if (!prepared) return {};
    BlockSolver& solver = prepared->solver;
    solved.description = solver.description();
    std::vector<double> work;
    std::ranges::transform(pairs, std::back_inserter(work), [&](Pair pair) { return prepared->set.cost()(pair); });
    const SolvePairs solve = [&solver](std::span<const Pair> some, std::span<PairResult> results) {
      solver.expect(some);
      solver.solve(some, results);
    };
    const Clock::time_point start = Clock::now();
    solved.results.resize(solve_within(budget, solve, pairs, work, solved.results));
    solved.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  } catch (const Error& error) {
    return {error.what()};
  }
  return solved;
}

}  // namespace octile::app
