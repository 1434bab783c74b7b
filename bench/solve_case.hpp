// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <octile/gram.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/solvers/pair_solver.hpp>

#include "ceilings.hpp"
#include "data_set.hpp"

namespace octile::bench {

/// How a set of graphs is solved, and with which kernel.
struct SolveCase {
  std::string backend;
  std::string primitive = "auto";
  std::string vertex;             ///< κv
  std::string edge;               ///< κe
  std::string q = "0.05";         ///< stopping probability
  std::string order = "natural";  ///< of the vertices
  std::string lowering = "auto";
  Precision precision = Precision::float64;
  std::string accuracy =
      "none";  ///< to which values are solved, in the precision that this takes; "none": to a residual
  std::string derivatives =
      "none";  ///< that are asked for with an accuracy: "none", "weighted", "each", "twelve", "mixed"
};

/// `sample` pairs of a set, spread evenly from the costliest to the cheapest; all if it is 0 or more than there are.
std::vector<Pair> sample_pairs(const std::vector<Graph>& graphs, std::size_t sample);

/// A case ready for timing: its solver is made, and all its pairs have been solved and checked once.
class PreparedCase {
 public:
  /// Solves `pairs` of the set, and those of the reference values. Throws `Error` if the backend cannot solve the
  /// case.
  PreparedCase(const SolveCase& which, std::vector<Graph> graphs, const std::vector<ReferenceValue>& references,
               std::vector<Pair> pairs);

  /// Seconds that it takes to solve the pairs, with a fence on both sides.
  double seconds();

  /// What is wrong with the answers, in one line; empty if they are correct.
  std::string fault() const;

  /// Reports what was measured, and its fraction of the roofs, as counters of the benchmark that ran `seconds`.
  void report(benchmark::State& state, const Roofs& roofs) const;

 private:
  void count(const SolveCase& which);
  /// Solves the pairs for all that is asked for.
  void solve();

  Precision precision_;
  double allowed_error_;  ///< above which an answer is wrong
  std::vector<Graph> graphs_;
  KernelSpec kernel_;
  std::unique_ptr<CostModel> cost_;
  std::unique_ptr<PairSolver> solver_;
  std::vector<Pair> pairs_;
  std::vector<PairResult> results_;
  Derivatives asked_ = Derivatives::not_asked;
  std::vector<double> weights_;
  std::vector<double> derivatives_;
  double setup_seconds_ = 0;        ///< to make the solver for the first time
  double warm_setup_seconds_ = 0;   ///< to make it again
  double first_seconds_ = 0;        ///< of the first solve of a solver
  double once_device_seconds_ = 0;  ///< additional device time of that first solve
  double largest_error_ = 0;
  double all_iterations_ = 0;
  std::int32_t median_iterations_ = 0;
  std::int32_t most_iterations_ = 0;
  std::size_t unconverged_ = 0;  ///< including pairs that rounding stopped, which `gram` would solve again in double
  std::size_t failed_ = 0;       ///< unconverged pairs that were not stopped by rounding
  double operations_ = 0;        ///< useful operations of all iterations of all pairs
  double bytes_ = 0;             ///< bytes that must be moved if no cache keeps anything
};

}  // namespace octile::bench
