// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/shared_tables.hpp>
#include <octile/batch_runner.hpp>
#include <octile/certified_solver.hpp>
#include <octile/gram.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace octile {

// How `gram` solves: to an accuracy, or to a residual and then pairs that rounding stopped once more, in float64.

/// Whether the options ask for values that are proven.
bool is_certified(const GramOptions& options);

/// The solver that the options ask for. The graphs and the kernel must outlive it, and so must `vertex_tables`, if they are given for
/// another solver that follows. Throws `Error` as `make_pair_solver` does.
std::unique_ptr<PairSolver> make_gram_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                             const GramOptions& options, const CostModel& cost,
                                             Purpose purpose = Purpose::values, SharedTables* vertex_tables = nullptr);

/// Whether a solve in a higher precision, or by iteration, may do better.
constexpr bool rounding_stopped(const PairResult& result) {
  return result.status == Status::stagnated || result.status == Status::breakdown;
}

/// The lowering for solving pairs that rounding stopped once more; nothing if that is not asked for or would repeat the solve.
std::optional<Lowering> finer_lowering(const PairSolver& solver, const GramOptions& options);

/// The pairs that rounding stopped, gathered for such a solve if there is one.
struct StoppedPairs {
  bool wanted = false;
  LeftPairs left{};

  bool takes(const PairResult& found) const { return wanted && rounding_stopped(found); }
  void add(Pair pair, std::size_t place) { left.add(pair, place); }
  void end_batch() const {}
};

/// A solver for pairs that rounding stopped: in float64, by the same primitive if that exists there. It uses all of the
/// memory, so the first solver must be destroyed before.
std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options, Lowering lowering, const CostModel& cost,
                                              SharedTables* vertex_tables);

}  // namespace octile
