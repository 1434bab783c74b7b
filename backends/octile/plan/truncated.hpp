// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pair_solver.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace octile::plan {

/// Solves by a kernel that errs a little: that error is added to the residuals, so that they are what they say they
/// are, ‖b − A x‖ / ‖b‖ of the kernel that was asked for, at most. The solver inside has a tolerance less by it.
class TruncatedSolver final : public PairSolver {
 public:
  TruncatedSolver(std::unique_ptr<PairSolver> solver, double relative_error)
      : solver_(std::move(solver)), relative_error_(relative_error) {}

  void solve(std::span<const Pair> pairs, std::span<PairResult> results) override {
    solver_->solve(pairs, results);
    for (PairResult& result : results) result.residual += relative_error_;
  }

  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise) override {
    PairResult result = solver_->solve_nodewise(pair, nodewise);
    result.residual += relative_error_;
    return result;
  }

  double device_seconds() const override { return solver_->device_seconds(); }
  std::string description() const override { return solver_->description(); }

 private:
  std::unique_ptr<PairSolver> solver_;
  double relative_error_;
};

}  // namespace octile::plan
