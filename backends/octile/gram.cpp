// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram.hpp>

#include <octile/backends.hpp>
#include <octile/cost_model.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>
#include <octile/lowerings.hpp>
#include <octile/pair_schedule.hpp>
#include <octile/parallel.hpp>
#include <octile/refinement.hpp>
#include <octile/set_order.hpp>
#include <octile/vertex_order.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace octile {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Pairs whose results a thread stores at a time.
constexpr std::size_t stored_at_once = std::size_t(1) << 14;

/// A list of pairs that gives batches as a `PairSchedule` does.
class PairList {
 public:
  PairList(std::vector<Pair> pairs, const CostModel& cost) : pairs_(std::move(pairs)), cost_(cost) {}

  std::size_t size() const { return pairs_.size(); }
  double next(double work, std::vector<Pair>& batch) {
    batch.clear();
    double taken = 0;
    while (done_ < pairs_.size() && (batch.empty() || taken < work)) {
      batch.push_back(pairs_[done_++]);
      taken += cost_(batch.back());
    }
    return taken;
  }

 private:
  std::vector<Pair> pairs_;
  const CostModel& cost_;
  std::size_t done_ = 0;
};

/// Gives pairs to solvers in batches of about half a second each, so that progress can be reported and interruptions
/// take effect. Progress counts all solvers together.
class BatchRunner {
 public:
  BatchRunner(const std::function<bool(const Progress&)>& on_progress, const CostModel& cost)
      : on_progress_(on_progress), cost_(cost) {}

  /// Announces pairs to be solved, and their work by the cost model.
  void expect(std::size_t pairs, double work) {
    progress_.pairs_total += pairs;
    work_total_ += work;
  }

  /// Solves the schedule. `store(pair, result)` is called once a pair, by several threads. With `again`, pairs that
  /// rounding stopped are announced once more, since they will be solved again.
  template <class Schedule, class Store>
  void run(PairSolver& solver, Schedule schedule, const Store& store, bool again) {
    double batch_work = 2e6;  // small at first, then adapted to the measured speed
    std::vector<Pair> batch;
    std::vector<PairResult> results;
    std::size_t done = 0;
    while (done < schedule.size()) {
      const double work = schedule.next(batch_work, batch);
      results.resize(batch.size());
      const Clock::time_point batch_start = Clock::now();
      solver.solve(batch, results);
      const double seconds = std::max(seconds_since(batch_start), 1e-6);
      in_parallel(batch.size(), stored_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) store(batch[k], results[k]);
      });
      done += batch.size();
      batch_work = std::clamp(work * batch_seconds / seconds, batch_work / 4, batch_work * 16);
      if (!on_progress_) continue;
      if (again) expect_stopped(batch, results);
      tell(batch.size(), work);
    }
  }

 private:
  static constexpr double batch_seconds = 0.5;

  void expect_stopped(const std::vector<Pair>& batch, const std::vector<PairResult>& results) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (rounding_stopped(results[k])) expect(1, cost_(batch[k]));
    }
  }

  void tell(std::size_t pairs, double work) {
    work_done_ += work;
    progress_.pairs_done += pairs;
    progress_.seconds = seconds_since(start_);
    progress_.work_done = work_done_ / work_total_;
    if (!on_progress_(progress_)) throw Interrupted();
  }

  const std::function<bool(const Progress&)>& on_progress_;
  const CostModel& cost_;
  const Clock::time_point start_ = Clock::now();
  Progress progress_;
  double work_done_ = 0;
  double work_total_ = 0;
};

/// The pairs of a packed upper triangle that rounding stopped, costliest first.
std::vector<Pair> stopped_pairs(const std::vector<PairResult>& pairs, std::size_t size, const CostModel& cost) {
  std::vector<Pair> stopped;
  std::size_t place = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(size); ++j) {
      if (rounding_stopped(pairs[place++])) stopped.push_back({i, j});
    }
  }
  std::ranges::stable_sort(stopped, std::ranges::greater(), cost);
  return stopped;
}

/// A vector of zeros, made by another thread: for the results of millions of pairs this takes as long as preparing the set.
template <class T>
std::future<std::vector<T>> zeros(std::size_t count) {
  return std::async(std::launch::async, [count] { return std::vector<T>(count); });
}

/// Fills the matrix from its packed upper triangle; the diagonal of a normalised one is exactly 1.
void fill_square(std::vector<double>& values, const std::vector<PairResult>& pairs, std::size_t size, bool normalize) {
  std::vector<double> scale(size, 1.0);
  if (normalize) {
    for (std::size_t i = 0; i < size; ++i) scale[i] = 1.0 / std::sqrt(pairs[pair_index(i, i, size)].value);
  }
  // Tile by tile, so that transposed writes stay in the cache until their lines are full.
  constexpr std::size_t tile = 64;
  in_parallel(size, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < size; first += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = std::max(i, first); j < std::min(first + tile, size); ++j) {
          const double raw = pairs[pair_index(i, j, size)].value;
          const double value = normalize && i == j ? 1.0 : raw * (scale[i] * scale[j]);
          values[i * size + j] = value;
          values[j * size + i] = value;
        }
      }
    }
  });
}

/// An n×m matrix in the caller's order of vertices: row and column k become row `first[k]` and column `second[k]`.
std::vector<double> in_given_order(const std::vector<double>& values, const VertexOrder& first,
                                   const VertexOrder& second) {
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
  const InterruptionScope interruption(options.on_prepare);
  GramResult result;
  result.size = graphs.size();
  std::future<std::vector<PairResult>> pairs = zeros<PairResult>(graphs.size() * (graphs.size() + 1) / 2);
  std::future<std::vector<double>> values = zeros<double>(graphs.size() * graphs.size());
  // The cost model does not depend on the order of the vertices.
  const CostModel cost(graphs);
  const OrderedSet ordered = order_set(graphs, order_for(cost, options), options);
  result.order = ordered.used;
  if (!ordered.graphs.empty()) graphs = ordered.graphs;
  const Clock::time_point setup_start = Clock::now();
  std::unique_ptr<PairSolver> solver =
      make_pair_solver(options.backend, graphs, kernel, options.precision, options.solve, options.primitive,
                       options.memory, options.lowering, &cost);
  const std::optional<Lowering> finer = finer_lowering(*solver, options);
  PairSchedule schedule(cost);
  result.description = solver->description();
  result.setup_seconds = seconds_since(setup_start);
  if (options.on_start) options.on_start(result.description);

  const Clock::time_point solve_start = Clock::now();
  result.pairs = pairs.get();
  const auto place = [&](Pair pair) -> PairResult& {
    return result
        .pairs[pair_index(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second), graphs.size())];
  };
  const auto store = [&place](Pair pair, const PairResult& solved) { place(pair) = solved; };
  BatchRunner runner(options.on_progress, cost);
  runner.expect(schedule.size(), schedule.work());
  runner.run(*solver, std::move(schedule), store, finer.has_value());

  if (finer) {
    std::vector<Pair> again = stopped_pairs(result.pairs, graphs.size(), cost);
    result.refined = again.size();
    if (!again.empty()) {
      solver.reset();
      solver = make_finer_solver(graphs, kernel, options, *finer, cost);
      runner.run(*solver, PairList(std::move(again), cost), store, false);
    }
  }
  result.values = values.get();
  fill_square(result.values, result.pairs, graphs.size(), options.normalize);
  result.solve_seconds = seconds_since(solve_start);
  return result;
}

NodewiseResult nodewise(const Graph& first, const Graph& second, const KernelSpec& kernel, const GramOptions& options) {
  const InterruptionScope interruption(options.on_prepare);
  const std::vector<Graph> given{first, second};
  const CostModel cost(given);
  NodewiseResult result;
  const OrderedSet ordered = order_set(given, order_for(cost, options), options);
  const std::vector<Graph>& graphs = ordered.graphs.empty() ? given : ordered.graphs;
  std::unique_ptr<PairSolver> solver =
      make_pair_solver(options.backend, graphs, kernel, options.precision, options.solve, options.primitive,
                       options.memory, options.lowering, &cost);
  result.pair = solver->solve_nodewise({0, 1}, result.similarity);
  const std::optional<Lowering> finer = finer_lowering(*solver, options);
  if (finer && rounding_stopped(result.pair)) {
    solver.reset();
    result.pair = make_finer_solver(graphs, kernel, options, *finer, cost)->solve_nodewise({0, 1}, result.similarity);
  }
  if (!ordered.orders.empty()) {
    result.similarity = in_given_order(result.similarity, ordered.orders[0], ordered.orders[1]);
  }
  return result;
}

}  // namespace octile
