// SPDX-License-Identifier: BSD-3-Clause
#include <octile/block_solver.hpp>

#include <octile/backends.hpp>
#include <octile/interruption.hpp>
#include <octile/refinement.hpp>

#include <utility>

namespace octile {

BlockSolver::BlockSolver(const PreparedSet& set, const KernelSpec& kernel, bool normalize, Purpose purpose)
    : set_(set),
      options_(set.options()),
      kernel_(kernel),
      purpose_(purpose),
      runner_(options_.on_progress, set.cost()),
      rounds_(runner_, set.cost(), find_backend(options_.backend).on_gpu) {
  options_.normalize = normalize;
  const InterruptionScope interruption(options_.on_prepare);
  const Clock::time_point start = Clock::now();
  finer_ = finer_lowering(solver(), options_);
  description_ = solver_->description();
  setup_seconds_ = seconds_since(start);
  if (options_.on_start) options_.on_start(description_);
}

PairSolver& BlockSolver::solver() {
  if (!solver_) solver_ = make_gram_solver(set_.graphs(), kernel_, options_, set_.cost(), purpose_, &vertex_tables_);
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
  const InterruptionScope interruption(options_.on_prepare);
  PairSolver& by = solver();
  StoppedPairs stopped{finer_.has_value()};
  rounds_.run(
      by, std::move(schedule), [&](std::size_t place, const PairResult& solved) { results[place] = solved; }, stopped);
  if (stopped.left.size() > 0) solve_again(std::move(stopped.left), results);
}

void BlockSolver::solve(const Block& block, std::span<PairResult> results) {
  run(BlockPairs(block, set_.cost()), results);
}

void BlockSolver::solve(std::span<const Pair> pairs, std::span<PairResult> results) {
  run(PlacedPairs(pairs, set_.cost()), results);
}

/// The finer solver takes all of the memory, so the first is made again for the next block: twice a set-up for a block with such
/// pairs, of which there are few.
void BlockSolver::solve_again(LeftPairs stopped, std::span<PairResult> results) {
  refined_ = refined() + stopped.size();
  solver_.reset();
  const std::unique_ptr<PairSolver> finer =
      make_finer_solver(set_.graphs(), kernel_, options_, *finer_, set_.cost(), &vertex_tables_);
  NothingLeft nothing;
  runner_.run(
      LeftSchedule(std::move(stopped), set_.cost()),
      [&](std::span<const Pair> batch, const Answer& answer, const auto&) { finer->solve(Request{batch}, answer); },
      [&](std::size_t place, const PairResult& solved) { results[place] = solved; }, nothing);
}

}  // namespace octile
