// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/pairwise_memory.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace octile::plan {

/// Two solvers of one set. A predicate says which of them solves a pair, so a pair is solved in the same way in any
/// list (if the two solvers do so).
class PairwiseSolver final : public PairSolver {
 public:
  /// `takes_first(pair)` says whether a pair goes to the first solver.
  PairwiseSolver(std::unique_ptr<PairSolver> first, std::unique_ptr<PairSolver> second,
                 std::function<bool(Pair)> takes_first, std::string description)
      : first_(std::move(first)),
        second_(std::move(second)),
        takes_first_(std::move(takes_first)),
        description_(std::move(description)) {}

  std::size_t unknowns(Pair pair) const override { return first_->unknowns(pair); }
  double device_seconds() const override { return device_seconds_; }
  Precision precision() const override { return first_->precision(); }
  std::string description() const override { return description_; }
  bool certifies() const override { return first_->certifies() && second_->certifies(); }
  bool proves_by_starts() const override { return first_->proves_by_starts() || second_->proves_by_starts(); }

 private:
  /// The pairs of one solver in their order, with the places of their results and solutions.
  struct Part {
    std::vector<Pair> pairs;
    std::vector<std::size_t> places;
    std::vector<std::size_t> nodewise_begin;
  };

  void answer_to(const Request& request, const Answer& answer) override {
    Part first;
    Part second;
    for (std::size_t k = 0; k < request.pairs.size(); ++k) {
      Part& part = takes_first_(request.pairs[k]) ? first : second;
      part.pairs.push_back(request.pairs[k]);
      part.places.push_back(k);
      if (!request.nodewise_begin.empty()) part.nodewise_begin.push_back(request.nodewise_begin[k]);
    }
    device_seconds_ = solve_part(*first_, first, request, answer) + solve_part(*second_, second, request, answer);
  }

  /// Solves a part; returns the seconds of device time.
  static double solve_part(PairSolver& solver, const Part& part, const Request& whole, const Answer& answer) {
    // A solver without pairs would report the device time of its previous solve.
    if (part.pairs.empty()) return 0;
    std::vector<PairResult> solved(part.pairs.size());
    Request request{part.pairs, whole.right_hand_side, part.nodewise_begin};
    request.certify = whole.certify;
    request.accuracy = whole.accuracy;
    request.corrections = whole.corrections;
    request.share_of_tolerance = whole.share_of_tolerance;
    request.left_over = whole.left_over;
    Answer found{solved, answer.nodewise};
    // Derivatives are asked for of each pair: a row of numbers, and what these are off by.
    const bool derivatives = whole.derivatives != Derivatives::not_asked;
    const std::size_t parameters = derivatives ? answer.derivatives.size() / whole.pairs.size() : 0;
    std::vector<double> slopes(part.pairs.size() * parameters);
    std::vector<double> errors(derivatives ? part.pairs.size() : 0);
    request.derivatives = whole.derivatives;
    found.derivatives = slopes;
    found.derivative_errors = errors;
    solver.solve(request, found);
    for (std::size_t k = 0; k < solved.size(); ++k) {
      const std::size_t place = part.places[k];
      answer.results[place] = solved[k];
      if (!derivatives) continue;
      std::copy_n(slopes.data() + k * parameters, parameters, answer.derivatives.data() + place * parameters);
      answer.derivative_errors[place] = errors[k];
    }
    return solver.device_seconds();
  }

  std::unique_ptr<PairSolver> first_;
  std::unique_ptr<PairSolver> second_;
  std::function<bool(Pair)> takes_first_;
  double device_seconds_ = 0;
  std::string description_;
};

/// The solver of a plan by pair. `make_factored(setup)` and `make_by_element(setup)` make its two solvers, each with
/// its share of the memory. Null if `make_by_element` returns null.
template <class MakeFactored, class MakeByElement>
std::unique_ptr<PairSolver> make_pairwise_solver(const SolverSetup& setup, std::function<bool(Pair)> takes_factors,
                                                 const MakeFactored& make_factored,
                                                 const MakeByElement& make_by_element) {
  SolverSetup each = setup;
  each.memory = memory_of_each(setup.memory);
  std::unique_ptr<PairSolver> by_element = make_by_element(each);
  if (!by_element) return {};
  std::string description = by_element->description() + ", the other half of the memory being for factors";
  return std::make_unique<PairwiseSolver>(make_factored(each), std::move(by_element), std::move(takes_factors),
                                          std::move(description));
}

}  // namespace octile::plan
