// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/shared_tables.hpp>
#include <octile/batch_runner.hpp>
#include <octile/certified_solver.hpp>
#include <octile/lowerings.hpp>
#include <octile/pairs/block.hpp>
#include <octile/prepared_set.hpp>
#include <octile/problem.hpp>
#include <octile/round_runner.hpp>
#include <octile/solve.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octile {

/// Solves block after block of a Gram matrix with one solver, which is prepared once. Results are those of `PreparedSet::solve`,
/// to the bit, whatever the blocks; their memory is that of a block. Values are not normalised.
class BlockSolver {
 public:
  /// Prepares the solver. The set and the kernel must outlive this. Throws as `PreparedSet::solve` does.
  BlockSolver(const PreparedSet& set, const KernelSpec& kernel, Purpose purpose = Purpose::values)
      : BlockSolver(set, kernel, set.options().normalize, purpose) {}
  /// Prepares the solver for values that will be normalised, if `normalize`: their accuracy takes more accurate values
  /// of K. Throws as the other constructor does.
  BlockSolver(const PreparedSet& set, const KernelSpec& kernel, bool normalize, Purpose purpose = Purpose::values);

  /// Announces work, so that progress counts it.
  void expect(const Block& block);
  void expect(std::span<const Pair> pairs);

  /// Solves a block that is expected. `results` has `block.places()` places. Throws `Interrupted` as `gram` does.
  void solve(const Block& block, std::span<PairResult> results);
  /// Solves pairs that are expected, one result each.
  void solve(std::span<const Pair> pairs, std::span<PairResult> results);

  /// Pairs that were solved once more so far.
  std::size_t refined() const { return refined_ + (solver_ ? solver_->solved_again() : 0); }
  /// Whether it iterates, so that less accuracy is less work.
  bool iterates() { return solver().iterates(); }
  double setup_seconds() const { return setup_seconds_; }
  const std::string& description() const { return description_; }

 private:
  PairSolver& solver();
  template <class Schedule>
  void run(Schedule schedule, std::span<PairResult> results);
  void solve_again(LeftPairs stopped, std::span<PairResult> results);

  const PreparedSet& set_;
  GramOptions options_;
  const KernelSpec& kernel_;
  Purpose purpose_;
  BatchRunner runner_;
  RoundRunner rounds_;
  SharedTables vertex_tables_;  ///< of all solvers
  std::unique_ptr<PairSolver> solver_;
  std::optional<Lowering> finer_;
  std::string description_;
  double setup_seconds_ = 0;
  std::size_t refined_ = 0;  ///< besides those of the solver that is there
};

}  // namespace octile
