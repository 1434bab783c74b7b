// SPDX-License-Identifier: BSD-3-Clause
#include "solve_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <octile/backends.hpp>
#include <octile/pair_schedule.hpp>
#include <octile/set_order.hpp>

#include "data_set.hpp"
#include "execution.hpp"

namespace octile::bench {
namespace {

/// What goes with a precision: the residual asked for, and the relative error above which an answer is wrong.
struct Setting {
  std::string_view name;
  double tolerance;
  double error_bound;
};

Setting setting_of(Precision precision) {
  return precision == Precision::float32 ? Setting{"f32", 1e-6, 1e-5} : Setting{"f64", 1e-8, 1e-7};
}

/// `sample` of the entries, or all where that is 0 or more than there are.
template <class Entry>
std::vector<Entry> spread_evenly(std::vector<Entry> entries, std::size_t sample) {
  if (sample == 0 || sample >= entries.size()) return entries;
  std::vector<Entry> chosen;
  chosen.reserve(sample);
  // The middle one of each of `sample` equal parts.
  for (std::size_t k = 0; k < sample; ++k) chosen.push_back(entries[(2 * k + 1) * entries.size() / (2 * sample)]);
  return chosen;
}

double largest_relative_error(PairSolver& solver, const std::vector<ReferenceValue>& references) {
  std::vector<Pair> pairs;
  pairs.reserve(references.size());
  for (const ReferenceValue& reference : references) pairs.push_back(reference.pair);
  std::vector<PairResult> results(pairs.size());
  solver.solve(pairs, results);
  double largest = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double error = std::abs(results[k].value - references[k].value) / references[k].value;
    // Written so that NaN counts as the largest.
    if (!(error <= largest)) largest = error;
    if (std::isnan(largest)) break;
  }
  return largest;
}

}  // namespace

std::string SolveCase::name() const {
  const std::string method = lowering == "auto" ? primitive : fmt::format("{}/lowering:{}", primitive, lowering);
  return fmt::format("solve/backend:{}/primitive:{}/data:{}/kind:{}/q:{}/order:{}/scalar:{}", backend, method, data,
                     kind, q, order, setting_of(precision).name);
}

PreparedCase::PreparedCase(const SolveCase& which, const std::string& folder, std::size_t sample)
    : precision_(which.precision), graphs_(read_set(folder, which.data)) {
  const KernelSpec kernel{Expression::parse(which.vertex), Expression::parse(which.edge),
                          Stopping::parse("probability:" + which.q)};
  SolveOptions options;
  options.tolerance = setting_of(precision_).tolerance;
  GramOptions order;
  order.order = which.order;
  OrderedSet ordered = order_set(graphs_, which.order, order);
  if (!ordered.graphs.empty()) graphs_ = std::move(ordered.graphs);
  solver_ = make_pair_solver(which.backend, graphs_, kernel, precision_, options, which.primitive, default_memory,
                             which.lowering);
  pairs_ = spread_evenly(costliest_first(graphs_.size(), CostModel(graphs_)), sample);
  results_.resize(pairs_.size());

  const std::vector<ReferenceValue> references = read_references(folder, which.data, which.kind, which.q);
  largest_error_ = largest_relative_error(*solver_, spread_evenly(references, sample));
  solver_->solve(pairs_, results_);
  std::vector<std::int32_t> iterations;
  iterations.reserve(results_.size());
  for (const PairResult& result : results_) {
    iterations.push_back(result.iterations);
    if (result.status != Status::converged) ++unconverged_;
    if (result.status != Status::converged && result.status != Status::stagnated) ++failed_;
  }
  std::ranges::sort(iterations);
  median_iterations_ = iterations[iterations.size() / 2];
  most_iterations_ = iterations.back();
}

double PreparedCase::timed_solve() {
  using Clock = std::chrono::steady_clock;
  fence();
  const Clock::time_point start = Clock::now();
  solver_->solve(pairs_, results_);
  fence();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string PreparedCase::fault() const {
  const Setting setting = setting_of(precision_);
  if (!(largest_error_ <= setting.error_bound)) {
    return fmt::format("wrong answer: relative error {:.1e}; allowed is {:.0e}", largest_error_, setting.error_bound);
  }
  if (failed_ > 0) return fmt::format("{} of {} pairs did not converge", failed_, pairs_.size());
  return {};
}

}  // namespace octile::bench
