// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include <octile/backends.hpp>
#include <octile/cost_model.hpp>
#include <octile/error.hpp>
#include <octile/refinement.hpp>
#include <octile/set_order.hpp>

#include "verify/paced_solve.hpp"
#include "verify/verification.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Solves pairs that rounding stopped once more with the given lowering, as `gram` does.
void refine(const VerifyTask& task, const GramOptions& options, Lowering lowering, const CostModel& cost,
            std::span<const Pair> pairs, std::span<PairResult> results, const Budget& budget) {
  std::vector<std::size_t> again;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (rounding_stopped(results[k])) again.push_back(k);
  }
  if (again.empty()) return;
  std::vector<Pair> left;
  std::vector<double> work;
  for (const std::size_t k : again) {
    left.push_back(pairs[k]);
    work.push_back(cost(pairs[k]));
  }
  const std::unique_ptr<PairSolver> finer =
      prepared_within(budget, [&] { return make_finer_solver(task.graphs, *task.kernel, options, lowering, cost); });
  if (!finer) return;
  std::vector<PairResult> refined(left.size());
  const std::size_t done = solve_within(budget, *finer, left, work, refined);
  for (std::size_t k = 0; k < done; ++k) results[again[k]] = refined[k];
}

}  // namespace

Solved solve_as_gram(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
                     const Budget& budget) {
  Solved solved;
  solved.results.resize(pairs.size());
  try {
    const CostModel cost(task.graphs);
    OrderedSet ordered;
    VerifyTask in_order = task;
    std::unique_ptr<PairSolver> solver = prepared_within(budget, [&] {
      ordered = order_set(task.graphs, order_for(cost, options), options);
      if (!ordered.graphs.empty()) in_order.graphs = ordered.graphs;
      return make_gram_solver(in_order.graphs, *task.kernel, options, cost);
    });
    if (!solver) return {};
    solved.description = solver->description();
    std::vector<double> work;
    std::ranges::transform(pairs, std::back_inserter(work), [&cost](Pair pair) { return cost(pair); });
    const Clock::time_point start = Clock::now();
    solved.results.resize(solve_within(budget, *solver, pairs, work, solved.results));
    if (const std::optional<Lowering> finer = finer_lowering(*solver, options)) {
      solver.reset();  // the next solver may take all of the memory
      refine(in_order, options, *finer, cost, pairs, solved.results, budget);
    }
    solved.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  } catch (const Error& error) {
    return {error.what()};
  }
  return solved;
}

}  // namespace octile::app
