// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <octile/backends.hpp>
#include <octile/cost_model.hpp>
#include <octile/error.hpp>
#include <octile/set_order.hpp>

#include "verify/paced_solve.hpp"
#include "verify/verification.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

bool rounding_stopped(const PairResult& result) {
  return result.status == Status::stagnated || result.status == Status::breakdown;
}

/// Solves in float64 what rounding stopped in float32, as `gram` refines.
void refine(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
            std::span<const double> work, std::span<PairResult> results, const Budget& budget) {
  std::vector<std::size_t> again;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (rounding_stopped(results[k])) again.push_back(k);
  }
  if (again.empty()) return;
  std::vector<Pair> left;
  std::vector<double> work_left;
  for (const std::size_t k : again) {
    left.push_back(pairs[k]);
    work_left.push_back(work[k]);
  }
  const bool same = find_backend(options.backend).has(parse_primitive(options.primitive), Precision::float64);
  const std::unique_ptr<PairSolver> finer =
      make_pair_solver(options.backend, task.graphs, *task.kernel, Precision::float64, options.solve,
                       same ? options.primitive : "auto", options.memory, options.lowering);
  std::vector<PairResult> refined(left.size());
  const std::size_t done = solve_within(budget, *finer, left, work_left, refined, task.on_batch);
  for (std::size_t k = 0; k < done; ++k) results[again[k]] = refined[k];
}

}  // namespace

Solved solve_as_gram(const VerifyTask& task, const GramOptions& options, std::span<const Pair> pairs,
                     const Budget& budget) {
  Solved solved;
  solved.results.resize(pairs.size());
  try {
    const OrderedSet ordered = order_set(task.graphs, order_for(task.graphs, options), options);
    VerifyTask in_order = task;
    if (!ordered.graphs.empty()) in_order.graphs = ordered.graphs;
    const std::unique_ptr<PairSolver> solver =
        make_pair_solver(options.backend, in_order.graphs, *task.kernel, options.precision, options.solve,
                         options.primitive, options.memory, options.lowering);
    solved.description = solver->description();
    const CostModel cost(in_order.graphs);
    std::vector<double> work;
    std::ranges::transform(pairs, std::back_inserter(work), [&cost](Pair pair) { return cost(pair); });
    const Clock::time_point start = Clock::now();
    solved.results.resize(solve_within(budget, *solver, pairs, work, solved.results, task.on_batch));
    // The closed form is in double already.
    const bool refines = options.refine && parse_lowering(options.lowering) != Lowering::closed_form;
    if (options.precision == Precision::float32 && refines) {
      refine(in_order, options, pairs, work, solved.results, budget);
    }
    solved.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  } catch (const Error& error) {
    return {error.what()};
  }
  return solved;
}

}  // namespace octile::app
