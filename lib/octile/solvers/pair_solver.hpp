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

/// The bytes that a solver may take by default.
inline constexpr std::size_t default_memory = std::size_t(8) << 30;

/// Solves pairs of one set of graphs, for one kernel, on one backend. Made by
/// `make_pair_solver` (backends.hpp, the one list of backends).
class PairSolver {
 public:
  PairSolver& operator=(PairSolver&&) = delete;  // neither copied nor moved
  virtual ~PairSolver() = default;

  /// Solves what is requested. Throws `Error` if the answer has too little room, for derivatives from a solver that has none,
  /// and for certified values from one that does not certify.
  void solve(const Request& request, const Answer& answer);

  /// Solves for K of the pairs. Result k belongs to pair k, and the two spans have the same length.
  void solve(std::span<const Pair> pairs, std::span<PairResult> results) { solve(Request{pairs}, Answer{results}); }

  /// Solves one pair and gives its solution x (the node-wise similarity), row
  /// major: `nodewise[i * m + i']`, n·m values.
  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise);

  /// n·m of a pair.
  virtual std::size_t unknowns(Pair pair) const = 0;

  /// The parameters of the kernel by which it has derivatives; 0 if it has none.
  virtual std::size_t parameter_count() const { return 0; }

  /// Whether it has derivatives by what the graphs hold (`Answer::by_graphs`).
  virtual bool differentiates_graphs() const { return false; }

  /// The precision that values are computed in. The closed form always has float64.
  virtual Precision precision() const = 0;

  /// Whether the solver iterates. The closed form does not: its error is that of the eigendecompositions, and a pair
  /// that is stagnated there may still converge by iterations.
  virtual bool iterates() const { return true; }

  /// Whether it certifies values where it solves them (`Request::certify`).
  virtual bool certifies() const { return false; }
  /// Whether it does not solve pairs whose values starts may prove, to the accuracy to which it last certified some.
  virtual bool proves_by_starts() const { return false; }

  /// In how many rounds it solves for values. A pair whose result is not `converged` after one of them goes on to the next, and what
  /// the last one says is final. The rounds of different pairs may be asked for in any order (`Request::round`).
  virtual std::size_t rounds() const { return 1; }

  /// How many pairs it solved once more, in a higher precision or to a smaller tolerance; 0 if it never does.
  virtual std::size_t solved_again() const { return 0; }

  /// Device time of the last `solve` in seconds, from the start of its first kernel to the end of its last. Work that
  /// is done once for a set, such as bases or decompositions, counts in the first `solve`. 0 if the host solves, or if
  /// the time is not measured.
  virtual double device_seconds() const { return 0; }

  /// What the solver chose for this set, in one line for a report, such as
  /// "on the fly, edge kernel tabulated over 4 labels".
  virtual std::string description() const = 0;

 private:
  void require_derivatives(const Request& request, const Answer& answer) const;

  /// Does the work of `solve`, which has checked that the answer has room for the request. It may call `Answer::arrived` from the first
  /// pair on, pair by pair without a gap; `solve` tells of the rest.
  virtual void answer_to(const Request& request, const Answer& answer) = 0;
};

}  // namespace octile
