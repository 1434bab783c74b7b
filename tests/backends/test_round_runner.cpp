// SPDX-License-Identifier: BSD-3-Clause
// What a round leaves waits for the next: in few calls, with the results of a solve of each pair alone.
#include <doctest/doctest.h>

#include <octile/gram.hpp>
#include <octile/interruption.hpp>
#include <octile/round_runner.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

constexpr std::size_t graph_count = 600;
constexpr std::size_t pairs_of_all = graph_count * (graph_count + 1) / 2;

std::vector<Graph> graphs_of_one_size() {
  // So large that the first batch has a few pairs: those that follow have 16 times as many at most.
  return std::vector<Graph>(graph_count, bare("complete", 24, complete_edges(24)));
}

/// One in ten pairs takes a second round, one in twenty a third, and one in forty is not solved by it.
std::size_t rounds_needed(Pair pair) {
  const std::int32_t number = 31 * pair.first + pair.second;
  return number % 40 == 0 ? 4 : number % 20 == 0 ? 3 : number % 10 == 0 ? 2 : 1;
}

/// Tells how it was asked. A result's iterations are the rounds that its pair had.
class CountingSolver final : public PairSolver {
 public:
  struct Call {
    std::size_t round;
    std::size_t pairs;
  };

  /// `at_once`: it tells of so many results when it has them, and then writes nonsense to some places of which it has not.
  explicit CountingSolver(double seconds_of_second_round = 0, std::size_t at_once = 0)
      : seconds_(seconds_of_second_round), at_once_(at_once) {}

  std::size_t unknowns(Pair) const override { return 1; }
  Precision precision() const override { return Precision::float64; }
  std::string description() const override { return "counting"; }
  std::size_t rounds() const override { return 3; }

  const std::vector<Call>& calls() const { return calls_; }
  /// How many of the first `solved` pairs need more than one round.
  std::size_t left_of(std::size_t solved) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(std::span(first_).first(solved), [](Pair pair) { return rounds_needed(pair) > 1; }));
  }
  std::size_t calls_of(std::size_t round) const {
    return static_cast<std::size_t>(std::ranges::count(calls_, round, &Call::round));
  }
  std::size_t pairs_of(std::size_t round) const {
    std::size_t pairs = 0;
    for (const Call& call : calls_) pairs += call.round == round ? call.pairs : 0;
    return pairs;
  }

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    REQUIRE(request.round.has_value());
    const std::size_t round = *request.round;
    calls_.push_back({round, request.pairs.size()});
    if (round == 0) first_.insert(first_.end(), request.pairs.begin(), request.pairs.end());
    if (round == 1 && seconds_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    for (std::size_t k = 0; k < request.pairs.size(); ++k) {
      const std::size_t needed = rounds_needed(request.pairs[k]);
      REQUIRE(needed > round);
      answer.results[k] = {};
      answer.results[k].iterations = static_cast<std::int32_t>(round + 1);
      answer.results[k].status = needed == round + 1 ? Status::converged : Status::stagnated;
      if (at_once_ == 0 || (k + 1) % at_once_ != 0) continue;
      for (std::size_t later = k + 1; later < std::min(k + 9, answer.results.size()); ++later) {
        answer.results[later].iterations = -1;
      }
      answer.arrived(k + 1 - at_once_, k + 1);
    }
  }

  double seconds_;
  std::size_t at_once_;
  std::vector<Call> calls_;
  std::vector<Pair> first_;  ///< in the order of the first round
};

/// Solves all pairs, and looks whether each result is that of its last round.
void solve_all(CountingSolver& solver, bool on_gpu, std::size_t most_waiting,
               const std::function<bool(const Progress&)>& on_progress = {}) {
  const std::vector<Graph> graphs = graphs_of_one_size();
  const CostModel cost(graphs);
  BatchRunner runner(on_progress, cost);
  RoundRunner rounds(runner, cost, on_gpu, most_waiting);
  std::vector<PairResult> results(pairs_of_all);
  std::vector<std::size_t> stored(pairs_of_all);
  Triangle triangle(cost);
  runner.expect(triangle.size(), triangle.work());
  NothingLeft nothing;
  rounds.run(
      solver, std::move(triangle),
      [&](std::size_t place, const PairResult& solved) {
        results[place] = solved;
        ++stored[place];
      },
      nothing);
  std::size_t wrong = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph_count); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(graph_count); ++j) {
      const std::size_t place = pair_index(static_cast<std::size_t>(i), static_cast<std::size_t>(j), graph_count);
      const PairResult& found = results[place];
      const std::size_t rounds_had = std::min<std::size_t>(rounds_needed({i, j}), 3);
      const bool right = static_cast<std::size_t>(found.iterations) == rounds_had && stored[place] == rounds_had &&
                         (found.status == Status::converged) == (rounds_needed({i, j}) <= 3);
      if (!right) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

std::size_t pairs_that_need_more_than(std::size_t rounds) {
  std::size_t pairs = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph_count); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(graph_count); ++j) {
      if (rounds_needed({i, j}) > rounds) ++pairs;
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("What many batches leave is solved together, by one call or two a round") {
  CountingSolver solver;
  Progress last;
  solve_all(solver, true, RoundRunner::most_pairs_waiting, [&last](const Progress& progress) {
    CHECK(progress.work_done >= last.work_done);
    last = progress;
    return true;
  });
  CHECK(solver.calls_of(0) >= 3);
  // The first batch fills a device: milliseconds of work, and not a few pairs that run alone.
  const double work_of_one = CostModel(graphs_of_one_size())({0, 0});
  const double of_first = static_cast<double>(solver.calls().front().pairs) * work_of_one;
  CHECK(of_first >= RoundRunner::first_on_gpu);
  CHECK(of_first <= RoundRunner::first_on_gpu + work_of_one);
  // A later round begins with a small batch.
  CHECK(solver.calls_of(1) <= 2);
  CHECK(solver.calls_of(2) <= 2);
  CHECK(solver.pairs_of(0) == pairs_of_all);
  CHECK(solver.pairs_of(1) == pairs_that_need_more_than(1));
  CHECK(solver.pairs_of(2) == pairs_that_need_more_than(2));
  CHECK(last.pairs_done == solver.pairs_of(0) + solver.pairs_of(1) + solver.pairs_of(2));
  CHECK(last.pairs_total == last.pairs_done);
  CHECK(last.work_done == doctest::Approx(1));
}

TEST_CASE("No more pairs wait than allowed: what waits is solved between batches") {
  constexpr std::size_t most_waiting = 500;
  CountingSolver solver;
  solve_all(solver, false, most_waiting);
  CHECK(solver.pairs_of(1) == pairs_that_need_more_than(1));
  CHECK(solver.pairs_of(2) == pairs_that_need_more_than(2));
  // As many have a second round as first rounds have left, but for the most that may wait, before each of the first.
  std::size_t solved = 0;
  std::size_t solved_again = 0;
  for (const CountingSolver::Call& call : solver.calls()) {
    if (call.round == 0) {
      const std::size_t left = solver.left_of(solved);
      CHECK(left - solved_again < most_waiting);
      solved += call.pairs;
    }
    if (call.round == 1) solved_again += call.pairs;
  }
}

TEST_CASE("A slow pair among those that a GPU solves side by side makes no small batches") {
  constexpr double longer_than_a_batch = 0.6;
  const std::size_t left = pairs_that_need_more_than(1);
  CountingSolver solver(longer_than_a_batch);
  solve_all(solver, true, RoundRunner::most_pairs_waiting);
  CHECK(solver.calls_of(1) <= left / RoundRunner::least_on_gpu + 1);
}

TEST_CASE("Results are stored when a solver tells of them, each once, and the rest at the end") {
  for (const std::size_t at_once : {std::size_t(1), std::size_t(7), std::size_t(1000), pairs_of_all}) {
    CountingSolver solver(0, at_once);
    solve_all(solver, true, RoundRunner::most_pairs_waiting);
    CHECK(solver.pairs_of(0) == pairs_of_all);
  }
}

TEST_CASE("An interruption takes effect in a later round") {
  CountingSolver solver;
  CHECK_THROWS_AS(solve_all(solver, false, RoundRunner::most_pairs_waiting,
                            [&solver](const Progress&) { return solver.calls_of(1) == 0; }),
                  Interrupted);
  CHECK(solver.calls_of(1) == 1);
  CHECK(solver.calls_of(2) == 0);
}
