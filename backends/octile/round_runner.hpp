// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_runner.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/solve.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace octile {

/// Solves pairs for their values, in the rounds of a solver (`PairSolver::rounds`). What a round leaves waits for the next until its
/// schedule is at its end, or very many wait. The few that one batch leaves would not keep a device busy, and would take as long as the slowest
/// of them; and if they were solved with their batch, its time would say little about the size that batches should have.
class RoundRunner {
 public:
  /// The most pairs that wait for a round, beside those that the last batch left: they keep a GPU busy for seconds, and
  /// take little memory.
  static constexpr std::size_t most_pairs_waiting = std::size_t(1) << 20;
  /// The fewest pairs that a GPU solves side by side in a later round, if there are as many, even if a slow pair makes
  /// that long.
  static constexpr std::size_t least_on_gpu = std::size_t(1) << 12;
  /// The first batch on a GPU has this work: milliseconds of an H200, and less than a second where κe is a long formula. Smaller batches would run one
  /// behind the other, none of which fills the device.
  static constexpr double first_on_gpu = 5e8;

  RoundRunner(BatchRunner& runner, const CostModel& cost, bool on_gpu, std::size_t most_waiting = most_pairs_waiting)
      : runner_(runner),
        cost_(cost),
        least_pairs_(on_gpu ? least_on_gpu : 1),
        most_waiting_(most_waiting),
        first_work_(on_gpu ? first_on_gpu : BatchRunner::first_batch_work) {}

  /// Runs a schedule whose pairs are expected. `store` and `rest` are those of `BatchRunner::run`: each round's result of a pair is
  /// stored in turn, and the last decides whether the rest takes it. When this returns, all results are final but for the rest's.
  template <class Schedule, class Store, class Rest>
  void run(PairSolver& solver, Schedule schedule, const Store& store, Rest& rest) {
    batch_work_.resize(solver.rounds(), 0);
    Run<Store, Rest> all{*this, solver, store, rest, std::vector<LeftPairs>(solver.rounds())};
    all.solve(0, std::move(schedule));
    for (std::size_t round = 1; round < solver.rounds(); ++round) all.solve_waiting(round);
  }

 private:
  template <class Store, class Rest>
  struct Run {
    RoundRunner& rounds;
    PairSolver& solver;
    const Store& store;
    Rest& rest;
    std::vector<LeftPairs> waiting;  ///< for each round

    template <class Schedule>
    void solve(std::size_t round, Schedule schedule) {
      const double least_work = round > 0 ? rounds.least_work(schedule) : 0;
      RestOfRound<Store, Rest> left{*this, round + 1};
      rounds.runner_.run(
          std::move(schedule),
          [this, round](std::span<const Pair> pairs, const Answer& answer, const auto&) {
            Request request{pairs};
            request.round = round;
            solver.solve(request, answer);
          },
          store, left, rounds.batch_work(round), least_work);
    }

    void solve_waiting(std::size_t round) {
      if (waiting[round].size() > 0) solve(round, LeftSchedule(std::exchange(waiting[round], {}), rounds.cost_));
    }
  };

  /// What is left to a round, or after the last one to the rest.
  template <class Store, class Rest>
  struct RestOfRound {
    Run<Store, Rest>& all;
    std::size_t round;

    bool waits() const { return round < all.waiting.size(); }
    bool takes(const PairResult& found) const {
      return waits() ? found.status != Status::converged : all.rest.takes(found);
    }
    void add(Pair pair, std::size_t place) {
      waits() ? all.waiting[round].add(pair, place) : all.rest.add(pair, place);
    }
    void end_batch() {
      if (!waits()) {
        all.rest.end_batch();
      } else if (all.rounds.enough_wait(all.waiting[round].size())) {
        all.solve_waiting(round);
      }
    }
  };

  bool enough_wait(std::size_t pairs) const { return pairs >= most_waiting_; }

  /// The work of a round's batches. A later round begins with no more than a few thousand molecules, since a pair may take far longer there.
  double& batch_work(std::size_t round) {
    constexpr double most_at_first = 16 * BatchRunner::first_batch_work;
    double& work = batch_work_[round];
    if (work == 0) work = round == 0 ? first_work_ : std::min(batch_work_[round - 1], most_at_first);
    return work;
  }

  template <class Schedule>
  double least_work(const Schedule& schedule) const {
    return schedule.work() / static_cast<double>(schedule.size()) * static_cast<double>(least_pairs_);
  }

  BatchRunner& runner_;
  const CostModel& cost_;
  std::size_t least_pairs_;
  std::size_t most_waiting_;
  double first_work_;
  std::vector<double> batch_work_;  ///< of each round; 0 before its first batch
};

}  // namespace octile
