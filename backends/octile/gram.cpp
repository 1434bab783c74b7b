// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram.hpp>

#include <octile/backends.hpp>
#include <octile/cost_model.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/pair_schedule.hpp>
#include <octile/set_order.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace octile {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Gives pairs to a solver in batches that take about half a second each, so that
/// progress is told and an interruption is heeded.
class BatchRunner {
 public:
  BatchRunner(const CostModel& cost, const std::function<bool(const Progress&)>& on_progress)
      : cost_(cost), on_progress_(on_progress) {}

  template <class Store>
  void run(PairSolver& solver, const std::vector<Pair>& pairs, const Store& store) {
    const auto add = [this](double sum, const Pair& pair) { return sum + cost_(pair); };
    const double total = std::accumulate(pairs.begin(), pairs.end(), 0.0, add);
    double work_done = 0;
    double batch_work = 2e6;  // small, until a batch has shown how fast this machine is
    std::vector<PairResult> results;
    const Clock::time_point start = Clock::now();
    std::size_t done = 0;
    while (done < pairs.size()) {
      double work = 0;
      std::size_t end = done;
      while (end < pairs.size() && (work < batch_work || end == done)) work += cost_(pairs[end++]);
      const std::span<const Pair> batch(pairs.data() + done, end - done);
      results.resize(batch.size());
      const Clock::time_point batch_start = Clock::now();
      solver.solve(batch, results);
      const double seconds = std::max(seconds_since(batch_start), 1e-6);
      for (std::size_t k = 0; k < batch.size(); ++k) store(batch[k], results[k]);
      done = end;
      work_done += work;
      batch_work = std::clamp(work * batch_seconds / seconds, batch_work / 4, batch_work * 16);
      if (on_progress_ && !on_progress_({done, pairs.size(), seconds_since(start), work_done / total})) {
        throw Interrupted();
      }
    }
  }

 private:
  static constexpr double batch_seconds = 0.5;
  const CostModel& cost_;
  const std::function<bool(const Progress&)>& on_progress_;
};

bool rounding_stopped(const PairResult& result) {
  return result.status == Status::stagnated || result.status == Status::breakdown;
}

/// For what float32 could not solve: in float64, by the same primitive if that is there.
std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options) {
  const bool same = find_backend(options.backend).has(parse_primitive(options.primitive), Precision::float64);
  return make_pair_solver(options.backend, graphs, kernel, Precision::float64, options.solve,
                          same ? options.primitive : "auto", options.memory, options.lowering);
}

/// The matrix from its packed upper triangle; the diagonal of a normalised one is exactly 1.
std::vector<double> square_matrix(const std::vector<PairResult>& pairs, std::size_t size, bool normalize) {
  std::vector<double> scale(size, 1.0);
  if (normalize) {
    for (std::size_t i = 0; i < size; ++i) scale[i] = 1.0 / std::sqrt(pairs[pair_index(i, i, size)].value);
  }
  std::vector<double> values(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      const double raw = pairs[pair_index(i, j, size)].value;
      const double value = normalize && i == j ? 1.0 : raw * (scale[i] * scale[j]);
      values[i * size + j] = value;
      values[j * size + i] = value;
    }
  }
  return values;
}

/// The rows and columns of an n×m matrix back where they were before vertices `first[k]` and `second[k]` became k.
std::vector<double> in_given_order(const std::vector<double>& values, const std::vector<std::int32_t>& first,
                                   const std::vector<std::int32_t>& second) {
  std::vector<double> given(values.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(first[i]) * second.size();
    for (std::size_t j = 0; j < second.size(); ++j) {
      given[row + static_cast<std::size_t>(second[j])] = values[i * second.size() + j];
    }
  }
  return given;
}

}  // namespace

GramResult gram(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options) {
  if (graphs.empty()) throw Error("a Gram matrix of no graphs; allowed is one graph or more");
  GramResult result;
  result.size = graphs.size();
  const OrderedSet ordered = order_set(graphs, order_for(graphs, options), options);
  result.order = ordered.used;
  if (!ordered.graphs.empty()) graphs = ordered.graphs;
  const Clock::time_point setup_start = Clock::now();
  const std::unique_ptr<PairSolver> solver =
      make_pair_solver(options.backend, graphs, kernel, options.precision, options.solve, options.primitive,
                       options.memory, options.lowering);
  const CostModel cost(graphs);
  const std::vector<Pair> pairs = costliest_first(graphs.size(), cost);
  result.description = solver->description();
  result.setup_seconds = seconds_since(setup_start);
  if (options.on_start) options.on_start(result.description);

  const Clock::time_point solve_start = Clock::now();
  result.pairs.resize(pairs.size());
  const auto place = [&](Pair pair) -> PairResult& {
    return result
        .pairs[pair_index(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second), graphs.size())];
  };
  BatchRunner runner(cost, options.on_progress);
  runner.run(*solver, pairs, [&](Pair pair, const PairResult& solved) { place(pair) = solved; });

  // The closed form is in double already.
  const bool refines = options.refine && parse_lowering(options.lowering) != Lowering::closed_form;
  if (options.precision == Precision::float32 && refines) {
    std::vector<Pair> again;
    std::ranges::copy_if(pairs, std::back_inserter(again), [&](Pair pair) { return rounding_stopped(place(pair)); });
    if (!again.empty()) {
      const std::unique_ptr<PairSolver> finer = make_finer_solver(graphs, kernel, options);
      runner.run(*finer, again, [&](Pair pair, const PairResult& solved) { place(pair) = solved; });
      result.refined = again.size();
    }
  }
  result.values = square_matrix(result.pairs, graphs.size(), options.normalize);
  result.solve_seconds = seconds_since(solve_start);
  return result;
}

NodewiseResult nodewise(const Graph& first, const Graph& second, const KernelSpec& kernel, const GramOptions& options) {
  const std::vector<Graph> given{first, second};
  NodewiseResult result;
  const OrderedSet ordered = order_set(given, order_for(given, options), options);
  const std::vector<Graph>& graphs = ordered.graphs.empty() ? given : ordered.graphs;
  result.pair = make_pair_solver(options.backend, graphs, kernel, options.precision, options.solve, options.primitive,
                                 options.memory, options.lowering)
                    ->solve_nodewise({0, 1}, result.similarity);
  if (options.precision == Precision::float32 && options.refine && rounding_stopped(result.pair)) {
    result.pair = make_finer_solver(graphs, kernel, options)->solve_nodewise({0, 1}, result.similarity);
  }
  if (!ordered.orders.empty()) {
    result.similarity = in_given_order(result.similarity, ordered.orders[0], ordered.orders[1]);
  }
  return result;
}

}  // namespace octile
