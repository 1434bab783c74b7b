// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reorder_graphs.hpp>

#include <octile/graph_pattern.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace octile::reorder {
namespace {

constexpr std::chrono::milliseconds between_calls{50};

/// The graphs, which threads claim one by one.
class Crew {
 public:
  Crew(std::span<const Graph> graphs, const Order& order, std::uint64_t seed)
      : graphs_(graphs), order_(order), seed_(seed), results_(graphs.size()) {}

  void work() {
    while (!stopped_) {
      // A claimed graph is always ordered, so that all graphs before a failed one are done.
      const std::size_t k = next_++;
      if (k >= graphs_.size()) break;
      try {
        const Pattern pattern = pattern_of(graphs_[k]);
        GraphOrder& result = results_[k];
        result.order = order_.make(pattern, seed_);
        result.natural = count_tiles(pattern, natural_order(pattern.vertex_count()));
        result.reordered = count_tiles(pattern, result.order);
        ++done_;
      } catch (...) {
        fail(k, std::current_exception());
      }
    }
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_one();
  }

  /// Waits a little; returns whether all `threads` have ended.
  bool wait_a_little(std::size_t threads) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, between_calls, [this, threads] { return ended_ == threads; });
  }

  void stop() { stopped_ = true; }
  std::size_t done() const { return done_; }

  /// The results of the threads, which must have ended.
  std::vector<GraphOrder> take() {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  /// Graphs are claimed in order, so the first failure is known once the threads have ended.
  void fail(std::size_t graph, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (failure_ && failed_ < graph) return;
    failed_ = graph;
    failure_ = std::move(failure);
  }

  std::span<const Graph> graphs_;
  const Order& order_;
  std::uint64_t seed_;
  std::vector<GraphOrder> results_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
  std::size_t failed_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::optional<std::vector<GraphOrder>> reorder_graphs(std::span<const Graph> graphs, const Order& order,
                                                      const ReorderOptions& options) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  const std::size_t count = std::min(wanted, graphs.size());
  Crew crew(graphs, order, options.seed);
  bool asked_to_stop = false;
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::size_t k = 0; k < count; ++k) threads.emplace_back([&crew] { crew.work(); });
    // If the caller's function throws, the threads must end before the exception is passed on.
    try {
      while (!crew.wait_a_little(count)) {
        if (!options.on_progress || options.on_progress(crew.done(), graphs.size())) continue;
        asked_to_stop = true;
        crew.stop();
      }
    } catch (...) {
      crew.stop();
      throw;
    }
  }
  std::vector<GraphOrder> results = crew.take();
  if (asked_to_stop) return std::nullopt;
  if (options.on_progress && !options.on_progress(graphs.size(), graphs.size())) return std::nullopt;
  return results;
}

}  // namespace octile::reorder
