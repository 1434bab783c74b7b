// SPDX-License-Identifier: BSD-3-Clause
#include "verify/verification.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/pairs/agreement.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/prices.hpp>

#include "readers/text.hpp"
#include "verify/paced_solve.hpp"
#include "verify/pair_sample.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The largest relative error of K, as a multiple of the solve's tolerance. `agreement` has the same for its own tolerance.
constexpr double errors_a_tolerance = 10;

/// The reference's share of the budget for judging. The rest is for the pairs that it leaves.
constexpr double share_of_reference = 0.5;

std::unique_ptr<PairSolver> make_solver(const VerifyTask& task, const Setting& setting) {
  const SolveOptions options{agreement::solve_tolerance(setting.precision), task.max_iterations};
  return make_pair_solver(setting.backend->id, task.graphs, *task.kernel, setting.precision, options, setting.primitive,
                          task.memory, setting.lowering);
}

/// Whether the value differs from K by rounding at most.
bool usable(const PairResult& result) {
  return result.status == Status::converged || result.status == Status::stagnated;
}

/// |K − expected| / expected; infinite if that is NaN.
double relative_difference(double value, double expected) {
  const double difference = std::abs(value - expected) / expected;
  return std::isnan(difference) ? HUGE_VAL : difference;
}

/// Operations of the reference, which forms and factorizes a matrix of (n m)^2.
double reference_work(std::span<const Graph> graphs, Pair pair) {
  const auto size = static_cast<double>(unknowns(graphs, pair));
  return size * size * (size / 3 + 30);
}

/// The elements that a primitive multiplies for a pair. Dense matrices include the zeros; dense octiles have at most as
/// many elements.
double elements(PrimitiveFamily family, double vertices, double cost) {
  if (family == PrimitiveFamily::automatic) return cost;
  const double dense = vertices * vertices;
  if (primitive_info(family).dense || family == PrimitiveFamily::dense_dense) return dense;
  return family == PrimitiveFamily::dense_sparse ? std::sqrt(dense * cost) : cost;
}

std::vector<double> work_of(std::span<const Graph> graphs, std::span<const Pair> pairs, PrimitiveFamily family) {
  const CostModel cost(graphs);
  std::vector<double> work;
  work.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    work.push_back(elements(family, static_cast<double>(unknowns(graphs, pair)), cost(pair)));
  }
  return work;
}

/// The largest relative difference of K allowed in a setting. `octile gram` has to reach the caller's accuracy or tolerance
/// only; what it proves is held to the proof.
double allowed_difference(const Setting& setting, const Judgement& judgement, const PairResult& result,
                          const Stopping& stopping) {
  const double usual = agreement::allowed_difference(setting.precision, judgement.value, stopping,
                                                     judgement.judge != nullptr && judgement.judge->exact);
  if (setting.gram_accuracy) {
    const bool proven = setting.gram_accuracy->kind == Accuracy::Kind::certified;
    return usual + (proven ? result.error_bound : errors_a_tolerance * setting.gram_accuracy->value);
  }
  const double more =
      errors_a_tolerance * setting.gram_tolerance.value_or(0) - agreement::value_tolerance(setting.precision);
  return usual + std::max(more, 0.0);
}

/// Judges the pairs that the reference leaves: each backend in turn takes those for which it has memory and time.
void judge_by_iteration(const VerifyTask& task, std::vector<Judgement*> left, const Budget& budget) {
  bool late = false;
  for (const Backend& backend : backends()) {
    if (left.empty() || backend.exact || !backend.available) continue;
    // Evaluated in every product, since factors or a table might themselves be wrong.
    const Setting setting{&backend,
                          {},
                          Precision::float64,
                          backend.has(Lowering::on_the_fly) ? Lowering::on_the_fly : Lowering::automatic};
    std::vector<Pair> pairs;
    pairs.reserve(left.size());
    for (const Judgement* judgement : left) pairs.push_back(judgement->pair);
    // Preparing these graphs alone takes no longer than the pairs, whatever the set.
    const Subset subset = subset_of(task.graphs, pairs);
    VerifyTask part = task;
    part.graphs = subset.graphs;
    const Solved solved = solve(part, setting, subset.pairs, budget.share(0.5));
    if (!solved.refusal.empty()) continue;  // it has too little memory; its own rows report that
    for (std::size_t k = 0; k < solved.results.size(); ++k) {
      if (usable(solved.results[k])) *left[k] = {pairs[k], &backend, solved.results[k].value};
    }
    late = solved.results.size() < left.size();
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(solved.results.size()));
  }
  for (Judgement* judgement : left) judgement->left_out = late;
}

}  // namespace

std::string Setting::name() const {
  const bool asked = lowering != Lowering::automatic;
  return fmt::format("{}{} {} {}{}{}", is_gram() ? "octile gram: " : "", backend->name, primitive.name(),
                     precision_text(), asked ? " " : "", asked ? lowering_name(lowering) : "");
}

std::string Setting::precision_text() const {
  return gram_accuracy ? fmt::format("to {}", gram_accuracy->to_string()) : std::string(scalar_name(precision));
}

Setting gram_setting(const GramOptions& options) {
  Setting setting{&find_backend(options.backend), options.primitive, options.precision.value_or(Precision::float64),
                  options.lowering};
  setting.gram_accuracy = options.accuracy;
  if (!options.accuracy) setting.gram_tolerance = options.solve.tolerance;
  return setting;
}

std::size_t Judgements::judged_by(const Backend* judge) const {
  const auto by = [judge](const Judgement& judgement) { return judgement.judge == judge && !judgement.left_out; };
  return static_cast<std::size_t>(std::ranges::count_if(pairs, by));
}

std::size_t Judgements::left_out() const {
  return static_cast<std::size_t>(std::ranges::count(pairs, true, &Judgement::left_out));
}

std::vector<Pair> cheapest_first(std::span<const Graph> graphs, std::vector<Pair> pairs) {
  std::ranges::stable_sort(pairs, {}, CostModel(graphs));
  return pairs;
}

Judgements judge(const VerifyTask& task, std::span<const Pair> pairs, std::size_t reference_limit,
                 const std::function<void(std::size_t, std::size_t)>& on_pair, const Budget& budget) {
  Judgements judgements;
  for (const Pair& pair : pairs) judgements.pairs.push_back({pair, nullptr, 0});
  const Backend& reference = backends().front();
  // Made even if it has no pair to judge, since it checks the labels.
  const std::unique_ptr<PairSolver> solver = make_solver(task, {&reference, {}, Precision::float64});
  const Budget own = budget.share(share_of_reference);
  double rate = seconds_of_reference;
  std::vector<Judgement*> left;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    on_pair(k, pairs.size());
    Judgement& judgement = judgements.pairs[k];
    const double work = reference_work(task.graphs, judgement.pair);
    if (unknowns(task.graphs, judgement.pair) > reference_limit || work * rate > own.left()) {
      left.push_back(&judgement);
      continue;
    }
    PairResult result;
    const Clock::time_point start = Clock::now();
    solver->solve({&judgement.pair, 1}, {&result, 1});
    const double milliseconds = milliseconds_since(start);
    rate = milliseconds / 1000 / work;
    judgements.reference_milliseconds += milliseconds;
    if (usable(result)) judgement = {judgement.pair, &reference, result.value};
  }
  judge_by_iteration(task, left, budget);
  return judgements;
}

Solved solve(const VerifyTask& task, const Setting& setting, std::span<const Pair> pairs, const Budget& budget) {
  Solved solved;
  if (budget.left() <= 0) return solved;
  solved.results.resize(pairs.size());
  try {
    const std::vector<double> work = work_of(task.graphs, pairs, setting.primitive.family);
    const std::unique_ptr<PairSolver> solver =
        prepared_within<PairSolver>(budget, [&] { return make_solver(task, setting); });
    if (!solver) return {};
    solved.description = solver->description();
    const Clock::time_point start = Clock::now();
    const SolvePairs by_solver = [&solver](std::span<const Pair> some, std::span<PairResult> results) {
      solver->solve(some, results);
    };
    solved.results.resize(solve_within(budget, by_solver, pairs, work, solved.results));
    solved.milliseconds = milliseconds_since(start);
  } catch (const Error& error) {
    return {error.what()};
  }
  return solved;
}

Verdict hold(const Solved& solved, const KernelSpec& kernel, const Setting& setting, const Judgements& judgements) {
  Verdict verdict;
  verdict.refusal = solved.refusal;
  if (!solved.refusal.empty() || solved.results.empty()) return verdict;
  verdict.pairs = solved.results.size();
  verdict.milliseconds = solved.milliseconds;
  const bool in_double = setting.precision == Precision::float64;
  for (std::size_t k = 0; k < solved.results.size(); ++k) {
    const Judgement& judgement = judgements.pairs[k];
    const PairResult& result = solved.results[k];
    const double difference = relative_difference(result.value, judgement.value);
    const Finding finding{&judgement, result, difference,
                          allowed_difference(setting, judgement, result, kernel.stopping)};
    if (result.status != Status::converged) verdict.unconverged.push_back(finding);
    const bool alone = in_double && judgement.judge == setting.backend;
    if (judgement.judge == nullptr || alone) continue;
    if (in_double ? !usable(result) : result.status != Status::converged) continue;
    ++verdict.compared;
    verdict.largest_difference = std::max(verdict.largest_difference, difference);
    if (difference > finding.allowed) verdict.differing.push_back(finding);
  }
  std::vector<std::int32_t> iterations;
  iterations.reserve(solved.results.size());
  for (const PairResult& result : solved.results) iterations.push_back(result.iterations);
  std::ranges::sort(iterations);
  verdict.median_iterations = iterations[iterations.size() / 2];
  verdict.most_iterations = iterations.back();
  return verdict;
}

Verdict verify(const VerifyTask& task, const Setting& setting, const Judgements& judgements, const Budget& budget) {
  std::vector<Pair> pairs;
  for (const Judgement& judgement : judgements.pairs) pairs.push_back(judgement.pair);
  return hold(solve(task, setting, pairs, budget), *task.kernel, setting, judgements);
}

bool has_to_converge(const Setting& setting) { return setting.precision == Precision::float64 || setting.is_gram(); }

ExitCode how_it_ended(std::span<const VerifiedSetting> rows, const Judgements& judgements) {
  const auto differs = [](const VerifiedSetting& row) { return !row.verdict.differing.empty(); };
  if (std::ranges::any_of(rows, differs)) return exit_disagreement;
  const auto refused = [](const VerifiedSetting& row) { return !row.verdict.refusal.empty(); };
  if (const auto first = std::ranges::find_if(rows, refused); first != rows.end()) {
    throw Error(fmt::format("{} of {} could not be solved; the first is {}: {}", std::ranges::count_if(rows, refused),
                            counted(rows.size(), "row"), first->setting.name(), first->verdict.refusal));
  }
  const auto unconverged = [](const VerifiedSetting& row) {
    return has_to_converge(row.setting) && !row.verdict.unconverged.empty();
  };
  const bool all_judged = judgements.judged_by(nullptr) == 0;
  return std::ranges::any_of(rows, unconverged) || !all_judged ? exit_unconverged : exit_success;
}

}  // namespace octile::app
