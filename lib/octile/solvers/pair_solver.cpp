// SPDX-License-Identifier: BSD-3-Clause
#include <octile/solvers/pair_solver.hpp>

#include <octile/certify/exact_set.hpp>
#include <octile/error.hpp>

#include <fmt/format.h>

namespace octile {

void PairSolver::solve(const Request& request, const Answer& answer) {
  const std::size_t count = request.pairs.size();
  if (answer.results.size() != count) {
    throw Error(fmt::format("{} pairs and room for {} results; allowed is one a pair", count, answer.results.size()));
  }
  const std::span<const std::size_t> begins = request.nodewise_begin;
  if (!begins.empty()) {
    if (begins.size() != count) {
      throw Error(fmt::format("{} pairs and places for {} solutions; allowed is one a pair, or none at all", count,
                              begins.size()));
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t size = unknowns(request.pairs[k]);
      if (size <= answer.nodewise.size() && begins[k] <= answer.nodewise.size() - size) continue;
      throw Error(fmt::format("the solution of pair {} is {} values from {} on, and there is room for {} of all", k,
                              size, begins[k], answer.nodewise.size()));
    }
  }
  if (request.derivatives != Derivatives::not_asked) require_derivatives(request, answer);
  if (!request.node_weights.empty()) {
    const bool allowed = request.derivatives != Derivatives::not_asked && !begins.empty() &&
                         request.right_hand_side == RightHandSide::stopping && answer.by_graphs == nullptr;
    if (!allowed || request.node_weights.size() != answer.nodewise.size()) {
      throw Error(
          fmt::format("{} weights of vertex pairs and room for {} numbers of solutions; allowed are as many, with "
                      "derivatives by the kernel's parameters and solutions of S x = b",
                      request.node_weights.size(), answer.nodewise.size()));
    }
  }
  if (answer.by_graphs != nullptr && !(differentiates_graphs() && request.weights.size() == count)) {
    throw Error(
        "derivatives by what graphs hold; allowed is to give each pair a weight, and a solver with an accuracy");
  }
  if (request.certify != nullptr && !certifies()) {
    throw Error("this solver does not certify values; allowed is a solver with an accuracy");
  }
  if (request.round) {
    const bool more = !begins.empty() || request.derivatives != Derivatives::not_asked || answer.by_graphs != nullptr;
    if (more || *request.round >= rounds()) {
      throw Error(
          fmt::format("round {} of a solver with {}; allowed are these, for values alone", *request.round, rounds()));
    }
  }
  if (!answer.arrived) {
    answer_to(request, answer);
    return;
  }
  std::size_t told = 0;
  Answer telling = answer;
  telling.arrived = [&told, &answer](std::size_t begin, std::size_t end) {
    told = end;
    answer.arrived(begin, end);
  };
  answer_to(request, telling);
  if (told < count) answer.arrived(told, count);
}

void PairSolver::require_derivatives(const Request& request, const Answer& answer) const {
  const ExactSet* const exact = request.certify;
  if (exact != nullptr && (request.derivatives != Derivatives::each || !exact->differentiates() ||
                           exact->shortest_walk() != 0 || answer.derivative_errors.size() != request.pairs.size())) {
    throw Error(
        "certified derivatives; allowed are those of each pair from walks of any length, with room for their errors");
  }
  const std::size_t parameters = exact != nullptr ? exact->parameter_count() : parameter_count();
  if (parameters == 0) {
    throw Error("this solver has no derivatives; allowed is the reference, or a solver with an accuracy");
  }
  const bool each = request.derivatives == Derivatives::each;
  const std::size_t rows = each ? request.pairs.size() : 1;
  if (answer.derivatives.size() != rows * parameters) {
    throw Error(fmt::format("{} times {} derivatives and room for {}; allowed is as many", rows, parameters,
                            answer.derivatives.size()));
  }
  if (!each && request.weights.size() != request.pairs.size()) {
    throw Error(
        fmt::format("{} pairs and {} weights; allowed is one a pair", request.pairs.size(), request.weights.size()));
  }
}

PairResult PairSolver::solve_nodewise(Pair pair, std::vector<double>& nodewise) {
  nodewise.resize(unknowns(pair));
  const std::size_t begin = 0;
  PairResult result;
  solve(Request{{&pair, 1}, RightHandSide::stopping, {&begin, 1}}, Answer{{&result, 1}, nodewise});
  return result;
}

}  // namespace octile
