// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/gram.hpp>
#include <octile/graphs/zeros.hpp>
#include <octile/interruption.hpp>
#include <octile/pairs/block.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/cost_order.hpp>
#include <octile/pairs/schedule.hpp>
#include <octile/request.hpp>
#include <octile/result_places.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace octile {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Pairs whose results a thread stores at a time.
inline constexpr std::size_t stored_at_once = std::size_t(1) << 14;

/// All pairs i ≤ j of a set in batches, costliest first. Pair (i, j) has its place at `pair_index(i, j, N)`.
class Triangle {
 public:
  explicit Triangle(const CostModel& cost) : schedule_(cost), graphs_(cost.graph_count()) {}

  std::size_t size() const { return schedule_.size(); }
  double work() const { return schedule_.work(); }
  /// Replaces `batch` by the next pairs that cost `work`; returns their cost.
  double next(double work, std::vector<Pair>& batch) { return schedule_.next(work, batch); }
  /// The place of pair k of the last batch, which is given.
  std::size_t place(std::span<const Pair> batch, std::size_t k) const {
    return pair_index(static_cast<std::size_t>(batch[k].first), static_cast<std::size_t>(batch[k].second), graphs_);
  }

 private:
  PairSchedule schedule_;
  std::size_t graphs_;
};

/// The pairs of a block in batches, costliest first. A pair has its place in the block.
class BlockPairs {
 public:
  BlockPairs(const Block& block, const CostModel& cost) : block_(block), schedule_(block, cost) {}

  std::size_t size() const { return schedule_.size(); }
  double work() const { return schedule_.work(); }
  double next(double work, std::vector<Pair>& batch) { return schedule_.next(work, batch); }
  std::size_t place(std::span<const Pair> batch, std::size_t k) const { return block_.place(batch[k]); }

 private:
  Block block_;
  PairSchedule schedule_;
};

/// Some pairs of a list in batches, costliest first. A pair has its place in the list.
class PlacedPairs {
 public:
  /// All of `list`.
  PlacedPairs(std::span<const Pair> list, const CostModel& cost) : PlacedPairs(list, all_places(list.size()), cost) {}
  /// `places` of `list`.
  PlacedPairs(std::span<const Pair> list, std::vector<std::size_t> places, const CostModel& cost)
      : places_(costliest_first(list, std::move(places), cost)), pairs_(places_.size()), cost_(cost) {
    std::vector<double> of_part((places_.size() + stored_at_once - 1) / stored_at_once);
    in_parallel(places_.size(), stored_at_once, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t k = begin; k < end; ++k) {
        pairs_[k] = list[places_[k]];
        sum += cost_(pairs_[k]);
      }
      of_part[begin / stored_at_once] = sum;
    });
    work_ = std::accumulate(of_part.begin(), of_part.end(), 0.0);
  }

  std::size_t size() const { return places_.size(); }
  double work() const { return work_; }
  double next(double work, std::vector<Pair>& batch) {
    begin_ = end_;
    double taken = 0;
    while (end_ < pairs_.size() && (end_ == begin_ || taken < work)) taken += cost_(pairs_[end_++]);
    const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(begin_);
    batch.assign(first, first + static_cast<std::ptrdiff_t>(end_ - begin_));
    return taken;
  }
  std::size_t place(std::span<const Pair>, std::size_t k) const { return places_[begin_ + k]; }

 private:
  static std::vector<std::size_t> all_places(std::size_t count) {
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t(0));
    return places;
  }

  std::vector<std::size_t> places_;
  std::vector<Pair> pairs_;  ///< at each of the places
  const CostModel& cost_;
  double work_ = 0;
  std::size_t begin_ = 0;  ///< of the last batch
  std::size_t end_ = 0;
};

/// Pairs that one solve left to another, with the places of their results.
struct LeftPairs {
  std::vector<Pair> pairs;
  std::vector<std::size_t> places;

  std::size_t size() const { return pairs.size(); }
  void add(Pair pair, std::size_t place) {
    pairs.push_back(pair);
    places.push_back(place);
  }
};

/// `LeftPairs` in batches, costliest first.
class LeftSchedule {
 public:
  LeftSchedule(LeftPairs left, const CostModel& cost) : places_(std::move(left.places)), numbers_(left.pairs, cost) {}

  std::size_t size() const { return numbers_.size(); }
  double work() const { return numbers_.work(); }
  double next(double work, std::vector<Pair>& batch) { return numbers_.next(work, batch); }
  std::size_t place(std::span<const Pair> batch, std::size_t k) const { return places_[numbers_.place(batch, k)]; }

 private:
  std::vector<std::size_t> places_;
  PlacedPairs numbers_;
};

/// What a run leaves to no other solve: nothing.
struct NothingLeft {
  bool takes(const PairResult&) const { return false; }
  void add(Pair, std::size_t) const {}
  void end_batch() const {}
};

/// Gives pairs to solvers in batches of about half a second each, so that progress can be reported and interruptions
/// take effect. Progress counts all solvers together, and a pair once for each.
class BatchRunner {
 public:
  /// The work of a batch while the speed of the solver is not known.
  static constexpr double first_batch_work = 2e6;

  BatchRunner(const std::function<bool(const Progress&)>& on_progress, const CostModel& cost)
      : on_progress_(on_progress), cost_(cost) {}

  /// Announces pairs to be solved, and their work by the cost model.
  void expect(std::size_t pairs, double work) {
    progress_.pairs_total += pairs;
    work_total_ += work;
  }

  /// Takes batches from a schedule such as `Triangle`. Each is solved by `solve(pairs, answer, place)`, where `place(k)` is
  /// that of pair k and `answer` has the results and, for those who tell of them, `Answer::arrived`. Each result is given to
  /// `store(place, result)` when it has arrived, by several threads. A pair whose result `rest.takes(result)`,
  /// which several threads ask too, will be solved again: it is announced once more and given to `rest.add(pair, place)`. At the end of
  /// each batch `rest.end_batch()` may solve what it was given, by this runner.
  template <class Schedule, class Solve, class Store, class Rest>
  void run(Schedule schedule, const Solve& solve, const Store& store, Rest& rest) {
    double batch_work = first_batch_work;
    run(std::move(schedule), solve, store, rest, batch_work);
  }

  /// Runs a schedule as above, beginning with batches of `batch_work`. That is adapted to the measured speed, for
  /// schedules of the same solver that follow, but not to less than `least_work`.
  template <class Schedule, class Solve, class Store, class Rest>
  void run(Schedule schedule, const Solve& solve, const Store& store, Rest& rest, double& batch_work,
           double least_work = 0) {
    batch_work = std::max(batch_work, least_work);
    // What a run within this one takes is another's.
    std::vector<Pair> batch = std::exchange(batch_, {});
    std::vector<PairResult> room = std::exchange(results_, {});
    std::size_t done = 0;
    const auto place = [&](std::size_t k) { return schedule.place(batch, k); };
    while (done < schedule.size()) {
      const double work = schedule.next(batch_work, batch);
      if (room.size() < batch.size()) {
        // Batches grow as their pairs become smaller. What an earlier one left there is not kept.
        const std::size_t size = std::max(batch.size(), room.size() + room.size() / 2);
        room = {};
        room = zeros<PairResult>(size);
      }
      const std::span<PairResult> results = std::span(room).first(batch.size());
      const Clock::time_point batch_start = Clock::now();
      std::size_t stored = 0;
      Answer answer{results};
      answer.arrived = [&](std::size_t begin, std::size_t end) {
        in_parallel(end - begin, stored_at_once, [&](std::size_t from, std::size_t to) {
          for (std::size_t k = begin + from; k < begin + to; ++k) store(place(k), results[k]);
        });
        stored = end;
      };
      solve(std::span<const Pair>(batch), answer, place);
      const double seconds = std::max(seconds_since(batch_start), 1e-6);
      if (stored < batch.size()) answer.arrived(stored, batch.size());
      done += batch.size();
      batch_work = std::max(std::clamp(work * batch_seconds / seconds, batch_work / 4, batch_work * 16), least_work);
      for (const std::size_t k :
           places_where(results, [&rest](const PairResult& found) { return rest.takes(found); })) {
        rest.add(batch[k], place(k));
        expect(1, cost_(batch[k]));
      }
      if (on_progress_) tell(batch.size(), work);
      rest.end_batch();
    }
    batch_ = std::move(batch);
    results_ = std::move(room);
  }

 private:
  static constexpr double batch_seconds = 0.5;

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
  /// The memory of a batch, kept from run to run: new memory is mapped page by page where it is first touched.
  std::vector<Pair> batch_;
  std::vector<PairResult> results_;
  double work_done_ = 0;
  double work_total_ = 0;
};

}  // namespace octile
