// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <octile/gram.hpp>

namespace octile::bench {

/// What is solved: a set of graphs under a kernel, and where and how.
struct SolveCase {
  std::string backend;
  std::string primitive;
  std::string data;    ///< the set's name
  std::string kind;    ///< the kernel's name
  std::string vertex;  ///< κv
  std::string edge;    ///< κe
  std::string q;       ///< stopping probability, as in "0.05"
  std::string order;   ///< of the vertices
  std::string lowering;
  Precision precision = Precision::float64;

  /// With "/lowering:factored" behind the primitive where one is chosen:
  /// "solve/backend:portable:openmp/primitive:auto/data:ba/kind:labeled/q:0.05/order:natural/scalar:f32"
  std::string name() const;
};

/// A case made ready to be timed: its solver is made, and all its pairs have been solved and checked once.
class PreparedCase {
 public:
  /// Takes `sample` pairs, spread evenly from the costliest to the cheapest, and as many reference values; all of them
  /// where that is 0 or more than there are. Throws `Error` where the data is not there or the backend cannot solve the
  /// case.
  PreparedCase(const SolveCase& which, const std::string& folder, std::size_t sample);

  /// Seconds that it takes to solve the pairs, with a fence on both sides.
  double timed_solve();

  /// What is wrong with the answers, in one line; empty where all is well.
  std::string fault() const;

  std::string description() const { return solver_->description(); }
  /// Of the last timed solve, by the device's clock; 0 where there is none.
  double device_seconds() const { return solver_->device_seconds(); }
  std::size_t pair_count() const { return pairs_.size(); }
  /// Largest relative error against the reference values.
  double largest_error() const { return largest_error_; }
  std::int32_t median_iterations() const { return median_iterations_; }
  std::int32_t most_iterations() const { return most_iterations_; }
  /// Pairs that rounding stopped, which `gram` would solve once more in double, among them.
  std::size_t unconverged() const { return unconverged_; }

 private:
  Precision precision_;
  std::vector<Graph> graphs_;
  std::unique_ptr<PairSolver> solver_;
  std::vector<Pair> pairs_;
  std::vector<PairResult> results_;
  double largest_error_ = 0;
  std::int32_t median_iterations_ = 0;
  std::int32_t most_iterations_ = 0;
  std::size_t unconverged_ = 0;
  std::size_t failed_ = 0;  ///< of these, not by rounding
};

}  // namespace octile::bench
