// SPDX-License-Identifier: BSD-3-Clause
#include "solve_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <octile/backends.hpp>
#include <octile/certified_solver.hpp>
#include <octile/pairs/schedule.hpp>
#include <octile/parameters.hpp>
#include <octile/refinement.hpp>
#include <octile/set_order.hpp>

#include "execution.hpp"
#include "useful_operations.hpp"

namespace octile::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// The settings of a precision: the tolerance of the solve, and the relative error above which an answer is wrong.
struct Setting {
  double tolerance;
  double error_bound;
};

Setting setting_of(Precision precision) {
  return precision == Precision::float32 ? Setting{1e-6, 1e-5} : Setting{1e-8, 1e-7};
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

/// A base kernel, or one of the same values with three times its parameters and three weights, of which `mixed` makes another.
std::string kernel_text(const std::string& kernel, const SolveCase& which) {
  if (which.derivatives != "twelve" && which.derivatives != "mixed") return kernel;
  return fmt::format("0.25*{0}+0.25*{0}+0.5*{0}", kernel);
}

/// A kernel of `kernel_text` whose terms are unlike.
KernelSpec mixed(const KernelSpec& kernel) {
  constexpr double smaller = 0.9;  // than the one before it of the same name; weights stay
  std::map<std::string, double> last;
  std::vector<double> values;
  for (const Parameter& parameter : parameters(kernel)) {
    const std::string name = parameter.name.substr(0, parameter.name.find('#'));
    const auto [found, first] = last.emplace(name, parameter.value);
    if (!first) found->second *= smaller;
    const bool weight = name.ends_with(".weight");
    values.push_back(weight ? parameter.value : found->second);
  }
  return with_parameters(kernel, values);
}

/// References of a kernel that the data has none for: values by another solver, proven in float64.
std::vector<ReferenceValue> values_in_double(const std::vector<Graph>& graphs, const KernelSpec& kernel,
                                             GramOptions options, const CostModel& cost,
                                             std::vector<ReferenceValue> references) {
  options.precision = Precision::float64;
  options.accuracy = Accuracy::parse("1e-9");
  std::vector<Pair> pairs(references.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = references[k].pair;
  std::vector<PairResult> results(pairs.size());
  make_gram_solver(graphs, kernel, options, cost)->solve(pairs, results);
  for (std::size_t k = 0; k < results.size(); ++k) references[k].value = results[k].value;
  return references;
}

}  // namespace

std::vector<Pair> sample_pairs(const std::vector<Graph>& graphs, std::size_t sample) {
  return spread_evenly(costliest_first(CostModel(graphs)), sample);
}

PreparedCase::PreparedCase(const SolveCase& which, std::vector<Graph> graphs,
                           const std::vector<ReferenceValue>& references, std::vector<Pair> pairs)
    : precision_(which.precision),
      allowed_error_(setting_of(precision_).error_bound),
      graphs_(std::move(graphs)),
      kernel_{Expression::parse(kernel_text(which.vertex, which)), Expression::parse(kernel_text(which.edge, which)),
              Stopping::parse("probability:" + which.q)},
      pairs_(std::move(pairs)),
      results_(pairs_.size()) {
  GramOptions options;
  options.backend = parse_backend(which.backend);
  options.primitive = parse_primitive(which.primitive);
  options.lowering = parse_lowering(which.lowering);
  options.order = reorder::parse_order(which.order);
  options.solve.tolerance = setting_of(precision_).tolerance;
  OrderedSet ordered = order_set(graphs_, options.order, options);
  if (!ordered.graphs.empty()) graphs_ = std::move(ordered.graphs);
  cost_ = std::make_unique<CostModel>(graphs_);
  if (which.accuracy != "none") {
    options.accuracy = Accuracy::parse(which.accuracy);
    // The reference values are known to 1e-9 or so.
    allowed_error_ = options.accuracy->value + 1e-8;
  }
  if (which.derivatives == "weighted") asked_ = Derivatives::weighted;
  const bool is_mixed = which.derivatives == "mixed";
  if (which.derivatives == "each" || which.derivatives == "twelve" || is_mixed) asked_ = Derivatives::each;
  if (is_mixed) kernel_ = mixed(kernel_);
  const auto make = [&]() -> std::unique_ptr<PairSolver> {
    if (asked_ != Derivatives::not_asked) {
      return std::make_unique<CertifiedSolver>(graphs_, kernel_, options, *cost_, Purpose::derivatives);
    }
    if (options.accuracy) return make_gram_solver(graphs_, kernel_, options, *cost_);
    return make_pair_solver(options.backend, graphs_, kernel_, precision_, options.solve, options.primitive,
                            default_memory, options.lowering, cost_.get());
  };
  const Clock::time_point start = Clock::now();
  solver_ = make();
  fence();
  setup_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  largest_error_ = largest_relative_error(
      *solver_, is_mixed ? values_in_double(graphs_, kernel_, options, *cost_, references) : references);
  if (asked_ != Derivatives::not_asked) {
    weights_.assign(pairs_.size(), 1.0);
    derivatives_.resize((asked_ == Derivatives::each ? pairs_.size() : 1) * solver_->parameter_count());
  }
  solve();
  count(which);
  // Makes the solver again, with kernels loaded and memory warm. Its first solve includes the work that is done once a set.
  const Clock::time_point again = Clock::now();
  auto second = make();
  fence();
  warm_setup_seconds_ = std::chrono::duration<double>(Clock::now() - again).count();
  solver_ = std::move(second);  // what the first one's memory takes to be freed is not a part of making another
  first_seconds_ = seconds();
  const double first = solver_->device_seconds();
  seconds();
  once_device_seconds_ = std::max(first - solver_->device_seconds(), 0.0);
}

void PreparedCase::count(const SolveCase& which) {
  const CostModel model(graphs_);
  const auto scalar = static_cast<double>(precision_ == Precision::float32 ? sizeof(float) : sizeof(double));
  const bool labelled = which.edge != "1";
  const ElementCost element{useful_operations(Expression::parse(which.edge)), scalar, labelled ? 4.0 : 0.0};
  std::vector<std::int32_t> iterations;
  iterations.reserve(results_.size());
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const PairResult& result = results_[k];
    iterations.push_back(result.iterations);
    all_iterations_ += result.iterations;
    if (result.status != Status::converged) ++unconverged_;
    if (result.status != Status::converged && result.status != Status::stagnated) ++failed_;
    const IterationCount one = model.count(pairs_[k], element);
    operations_ += one.operations * result.iterations;
    bytes_ += one.bytes * result.iterations;
  }
  std::ranges::sort(iterations);
  median_iterations_ = iterations[iterations.size() / 2];
  most_iterations_ = iterations.back();
}

void PreparedCase::solve() {
  Request request{pairs_};
  request.derivatives = asked_;
  if (asked_ == Derivatives::weighted) request.weights = weights_;
  Answer answer{results_};
  answer.derivatives = derivatives_;
  solver_->solve(request, answer);
}

double PreparedCase::seconds() {
  fence();
  const Clock::time_point start = Clock::now();
  solve();
  fence();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string PreparedCase::fault() const {
  if (!(largest_error_ <= allowed_error_)) {
    return fmt::format("wrong answer: relative error {:.1e}; allowed is {:.0e}", largest_error_, allowed_error_);
  }
  if (failed_ > 0) return fmt::format("{} of {} pairs did not converge", failed_, pairs_.size());
  return {};
}

void PreparedCase::report(benchmark::State& state, const Roofs& roofs) const {
  const auto rate = [](double amount) {
    return benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  };
  const auto pairs = static_cast<double>(pairs_.size());
  state.SetLabel(solver_->description());
  state.counters["pairs"] = pairs;
  state.counters["pairs/s"] = rate(pairs);
  // Includes bases and eigendecompositions, which are formed once a set: the device time of a whole Gram matrix.
  state.counters["device_ms"] = 1e3 * (once_device_seconds_ + solver_->device_seconds());
  state.counters["first_wall_ms"] = 1e3 * first_seconds_;
  state.counters["warm_setup_ms"] = 1e3 * warm_setup_seconds_;
  state.counters["setup_ms"] = 1e3 * setup_seconds_;
  state.counters["max_error"] = largest_error_;
  state.counters["cg_iterations_total"] = all_iterations_;
  state.counters["cg_iterations_median"] = median_iterations_;
  state.counters["cg_iterations_max"] = most_iterations_;
  state.counters["unconverged"] = static_cast<double>(unconverged_);
  // The closed form has no iterations, and nothing to count.
  if (operations_ == 0) return;
  const double peak = precision_ == Precision::float32 ? roofs.fma_f32 : roofs.fma_f64;
  const double roof = std::min(peak, operations_ / bytes_ * roofs.memory);
  state.counters["useful_operations"] = operations_;
  state.counters["least_bytes"] = bytes_;
  state.counters["FLOP/s"] = rate(operations_);
  state.counters["bytes/s"] = rate(bytes_);
  state.counters["peak_percent"] = rate(100 * operations_ / peak);
  state.counters["roof_percent"] = rate(100 * operations_ / roof);
}

}  // namespace octile::bench
