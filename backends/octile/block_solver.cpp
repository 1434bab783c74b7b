// SPDX-License-Identifier: BSD-3-Clause
#include <octile/block_solver.hpp>

#include <octile/interruption.hpp>
#include <octile/refinement.hpp>

#include <cstdint>
#include <numeric>
#include <utility>

namespace octile {

BlockSolver::BlockSolver(const PreparedSet& set, const KernelSpec& kernel, Purpose purpose)
    : set_(set), kernel_(kernel), purpose_(purpose), runner_(set.options().on_progress, set.cost()) {
  const InterruptionScope interruption(set_.options().on_prepare);
  const Clock::time_point start = Clock::now();
  finer_ = finer_lowering(solver(), set_.options());
  description_ = solver_->description();
  setup_seconds_ = seconds_since(start);
  if (set_.options().on_start) set_.options().on_start(description_);
}

PairSolver& BlockSolver::solver() {
  if (!solver_) solver_ = make_gram_solver(set_.graphs(), kernel_, set_.options(), set_.cost(), purpose_);
  return *solver_;
}

void BlockSolver::expect(const Block& block) { runner_.expect(block.pairs(), block.work(set_.cost())); }

void BlockSolver::expect(std::span<const Pair> pairs) {
  double work = 0;
  for (const Pair pair : pairs) work += set_.cost()(pair);
  runner_.expect(pairs.size(), work);
}

template <class Schedule>
void BlockSolver::run(Schedule schedule, std::span<PairResult> results) {
  const InterruptionScope interruption(set_.options().on_prepare);
  PairSolver& by = solver();
  const auto again = [this](const PairResult& solved) { return finer_.has_value() && rounding_stopped(solved); };
  std::vector<std::size_t> stopped;
  std::vector<Pair> pairs;
  runner_.run(
      std::move(schedule),
      [&](std::span<const Pair> batch, std::span<PairResult> found, const auto& place) {
        by.solve(batch, found);
        for (std::size_t k = 0; k < batch.size(); ++k) {
          if (!again(found[k])) continue;
          stopped.push_back(place(k));
          pairs.push_back(batch[k]);
        }
      },
      [&](std::size_t place, const PairResult& solved) { results[place] = solved; }, again, batch_work_);
  if (!stopped.empty()) solve_again(pairs, stopped, results);
}

void BlockSolver::solve(const Block& block, std::span<PairResult> results) {
  run(BlockSchedule(block, set_.cost()), results);
}

void BlockSolver::solve(std::span<const Pair> pairs, std::span<PairResult> results) {
  std::vector<std::size_t> places(pairs.size());
  std::iota(places.begin(), places.end(), std::size_t(0));
  run(PlacedPairs(pairs, std::move(places), set_.cost()), results);
}

/// The finer solver takes all of the memory, so the first is made again for the next block: twice a set-up for a block with such
/// pairs, of which there are few.
void BlockSolver::solve_again(std::span<const Pair> pairs, std::span<const std::size_t> places,
                              std::span<PairResult> results) {
  refined_ = refined() + pairs.size();
  solver_.reset();
  const std::unique_ptr<PairSolver> finer =
      make_finer_solver(set_.graphs(), kernel_, set_.options(), *finer_, set_.cost());
  std::vector<std::size_t> all(pairs.size());
  std::iota(all.begin(), all.end(), std::size_t(0));
  runner_.run(
      PlacedPairs(pairs, std::move(all), set_.cost()),
      [&](std::span<const Pair> batch, std::span<PairResult> found, const auto&) { finer->solve(batch, found); },
      [&](std::size_t place, const PairResult& solved) { results[places[place]] = solved; },
      [](const PairResult&) { return false; });
}

}  // namespace octile
