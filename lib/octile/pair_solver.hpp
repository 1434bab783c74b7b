// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/precision.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace octile {

/// Bytes that a solver may take where nothing is said.
inline constexpr std::size_t default_memory = std::size_t(8) << 30;

/// Solves pairs of one set of graphs, for one kernel, on one backend. Made by
/// `make_pair_solver` (backends.hpp, the one list of backends).
class PairSolver {
 public:
  PairSolver() = default;
  PairSolver(const PairSolver&) = delete;
  PairSolver& operator=(const PairSolver&) = delete;
  virtual ~PairSolver() = default;

  /// Does what is asked. Throws `Error` where the answer has no room for it, and for a right-hand side that the backend
  /// does not solve: native CUDA has `stopping` alone.
  void solve(const Request& request, const Answer& answer);

  /// K of the pairs; result k belongs to pair k, and the two spans are of one length.
  void solve(std::span<const Pair> pairs, std::span<PairResult> results) { solve(Request{pairs}, Answer{results}); }

  /// Solves one pair and gives its solution x (the node-wise similarity), row
  /// major: `nodewise[i * m + i']`, n·m values.
  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise);

  /// n·m of a pair.
  virtual std::size_t unknowns(Pair pair) const = 0;

  /// What the values are computed in. The closed form is in float64 whatever was asked for.
  virtual Precision precision() const = 0;

  /// Whether it iterates. The closed form does not: its error is what the eigendecompositions left, and a pair that it calls
  /// stagnated may still converge by iterations.
  virtual bool iterates() const { return true; }

  /// Seconds that the last `solve` kept a device busy, by the device's clock: from the start of its first kernel to the
  /// end of its last. What is done once for a set, such as bases or decompositions, counts in the first `solve`. 0 where the
  /// host solves, or nobody measures.
  virtual double device_seconds() const { return 0; }

  /// What the solver chose for this set, in one line for a report, such as
  /// "on the fly, edge kernel tabulated over 4 labels".
  virtual std::string description() const = 0;

 private:
  /// `solve` of a request for which the answer has room.
  virtual void answer_to(const Request& request, const Answer& answer) = 0;
};

}  // namespace octile
