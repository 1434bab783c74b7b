// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace octile::plan {

/// Solves with an edge kernel that has a small error. The bound of that error is added to the reported residuals, so
/// that they bound max_k |r_k| / b_k for the exact kernel. The inner solver's tolerance, or the error that it estimates, is smaller by the
/// bound. Where both are more than what is asked for together, rounding of the factors may keep pairs above it: `stagnated`.
class TruncatedSolver final : public PairSolver {
 public:
  TruncatedSolver(std::unique_ptr<PairSolver> solver, const LoweringPlan& plan, const SolveOptions& options)
      : solver_(std::move(solver)),
        relative_error_(plan.relative_error),
        tolerance_(options.tolerance),
        reaches_(reaches(plan, options.estimated_error > 0 ? double(options.estimated_error) : options.tolerance)) {}

  std::size_t unknowns(Pair pair) const override { return solver_->unknowns(pair); }
  Precision precision() const override { return solver_->precision(); }
  double device_seconds() const override { return solver_->device_seconds(); }
  std::string description() const override { return solver_->description(); }
  bool certifies() const override { return solver_->certifies(); }
  bool proves_by_starts() const override { return solver_->proves_by_starts(); }

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    if (request.certify != nullptr) {  // which counts all errors
      solver_->solve(request, answer);
      return;
    }
    Answer inner = answer;
    inner.arrived = [&](std::size_t begin, std::size_t end) {
      in_parallel(end - begin, results_at_once, [&](std::size_t from, std::size_t to) {
        for (PairResult& result : answer.results.subspan(begin + from, to - from)) add_error(result);
      });
      if (answer.arrived) answer.arrived(begin, end);
    };
    solver_->solve(request, inner);
  }

  static bool reaches(const LoweringPlan& plan, double allowed) {
    return plan.tolerance_left(allowed) + plan.relative_error <= allowed * one;
  }

  void add_error(PairResult& result) const {
    result.residual += relative_error_;
    result.error_bound += relative_error_;
    const bool reached = reaches_ || result.residual <= tolerance_;
    if (!reached && result.status == Status::converged) result.status = Status::stagnated;
  }

  static constexpr std::size_t results_at_once = std::size_t(1) << 14;
  static constexpr double one = 1 + 1e-12;  ///< a difference that is added again rounds

  std::unique_ptr<PairSolver> solver_;
  double relative_error_;
  double tolerance_;
  bool reaches_;
};

}  // namespace octile::plan
