// SPDX-License-Identifier: BSD-3-Clause
#include "verify/verification.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <octile/agreement.hpp>
#include <octile/error.hpp>

#include "readers/text.hpp"
#include "verify/pair_sample.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::unique_ptr<PairSolver> make_solver(const VerifyTask& task, const Setting& setting) {
  const SolveOptions options{agreement::solve_tolerance(setting.precision), task.max_iterations};
  return make_pair_solver(setting.backend->id, task.graphs, *task.kernel, setting.precision, options, setting.primitive,
                          task.memory, setting.lowering);
}

/// Whether rounding alone keeps the value from being K.
bool usable(const PairResult& result) {
  return result.status == Status::converged || result.status == Status::stagnated;
}

/// |K − expected| / expected; no number is infinitely wrong.
double relative_difference(double value, double expected) {
  const double difference = std::abs(value - expected) / expected;
  return std::isnan(difference) ? HUGE_VAL : difference;
}

/// Judges the pairs that the reference leaves, by the first backend that has room for them.
void judge_by_iteration(const VerifyTask& task, std::vector<Judgement*>& left) {
  std::vector<Pair> pairs;
  pairs.reserve(left.size());
  for (const Judgement* judgement : left) pairs.push_back(judgement->pair);
  std::vector<PairResult> results(pairs.size());
  for (const Backend& backend : backends()) {
    if (pairs.empty() || backend.exact || !backend.available) continue;
    try {
      make_solver(task, {&backend, {}, Precision::float64})->solve(pairs, results);
    } catch (const Error&) {
      continue;  // its memory does not suffice; its own rows tell of it
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (usable(results[k])) *left[k] = {pairs[k], &backend, results[k].value};
    }
    return;
  }
}

}  // namespace

std::string_view precision_name(Precision precision) { return precision == Precision::float32 ? "float32" : "float64"; }

std::string Setting::name() const {
  const bool asked = lowering != Lowering::automatic;
  return fmt::format("{} {} {}{}{}", backend->name, primitive.name(), precision_name(precision), asked ? " " : "",
                     asked ? lowering_name(lowering) : "");
}

std::size_t Judgements::judged_by(const Backend* judge) const {
  return static_cast<std::size_t>(std::ranges::count(pairs, judge, &Judgement::judge));
}

Judgements judge(const VerifyTask& task, std::span<const Pair> pairs, std::size_t reference_limit,
                 const std::function<void(std::size_t, std::size_t)>& on_pair) {
  Judgements judgements;
  for (const Pair& pair : pairs) judgements.pairs.push_back({pair, nullptr, 0});
  const Backend& reference = backends().front();
  // Made even where it has no pair to judge: it finds what is wrong with the labels.
  const std::unique_ptr<PairSolver> solver = make_solver(task, {&reference, {}, Precision::float64});
  std::vector<Judgement*> left;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    on_pair(k, pairs.size());
    Judgement& judgement = judgements.pairs[k];
    if (unknowns(task.graphs, judgement.pair) > reference_limit) {
      left.push_back(&judgement);
      continue;
    }
    PairResult result;
    const Clock::time_point start = Clock::now();
    solver->solve({&judgement.pair, 1}, {&result, 1});
    judgements.reference_milliseconds += milliseconds_since(start);
    if (usable(result)) judgement = {judgement.pair, &reference, result.value};
  }
  judge_by_iteration(task, left);
  return judgements;
}

Verdict verify(const VerifyTask& task, const Setting& setting, const Judgements& judgements) {
  std::vector<Pair> pairs;
  for (const Judgement& judgement : judgements.pairs) pairs.push_back(judgement.pair);
  std::vector<PairResult> results(pairs.size());
  Verdict verdict;
  try {
    const std::unique_ptr<PairSolver> solver = make_solver(task, setting);
    const Clock::time_point start = Clock::now();
    solver->solve(pairs, results);
    verdict.milliseconds = milliseconds_since(start);
  } catch (const Error& error) {
    verdict.refusal = error.what();
    return verdict;
  }
  verdict.pairs = pairs.size();

  const bool in_double = setting.precision == Precision::float64;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Judgement& judgement = judgements.pairs[k];
    const PairResult& result = results[k];
    const double difference = relative_difference(result.value, judgement.value);
    const Finding finding{&judgement, result, difference,
                          agreement::allowed_difference(setting.precision, judgement.value, task.kernel->stopping,
                                                        judgement.judge != nullptr && judgement.judge->exact)};
    if (result.status != Status::converged) verdict.unconverged.push_back(finding);
    if (judgement.judge == nullptr || (in_double && judgement.judge == setting.backend)) continue;
    if (in_double ? !usable(result) : result.status != Status::converged) continue;
    ++verdict.compared;
    verdict.largest_difference = std::max(verdict.largest_difference, difference);
    if (difference > finding.allowed) verdict.differing.push_back(finding);
  }
  std::vector<std::int32_t> iterations;
  iterations.reserve(results.size());
  for (const PairResult& result : results) iterations.push_back(result.iterations);
  std::ranges::sort(iterations);
  verdict.median_iterations = iterations[iterations.size() / 2];
  verdict.most_iterations = iterations.back();
  return verdict;
}

ExitCode how_it_ended(std::span<const VerifiedSetting> rows, const Judgements& judgements) {
  const auto differs = [](const VerifiedSetting& row) { return !row.verdict.differing.empty(); };
  if (std::ranges::any_of(rows, differs)) return exit_disagreement;
  const auto refused = [](const VerifiedSetting& row) { return !row.verdict.refusal.empty(); };
  if (const auto first = std::ranges::find_if(rows, refused); first != rows.end()) {
    throw Error(fmt::format("{} of {} could not be solved; the first is {}: {}", std::ranges::count_if(rows, refused),
                            counted(rows.size(), "row"), first->setting.name(), first->verdict.refusal));
  }
  const auto unconverged = [](const VerifiedSetting& row) {
    return row.setting.precision == Precision::float64 && !row.verdict.unconverged.empty();
  };
  const bool all_judged = judgements.judged_by(nullptr) == 0;
  return std::ranges::any_of(rows, unconverged) || !all_judged ? exit_unconverged : exit_success;
}

}  // namespace octile::app
