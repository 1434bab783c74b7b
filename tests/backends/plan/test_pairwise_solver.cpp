// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/certify/exact_set.hpp>
#include <octile/plan/pairwise_solver.hpp>

#include "common/graphs.hpp"

using namespace octile;

namespace {

std::vector<PairResult> solve(PairSolver& solver, const std::vector<Pair>& pairs) {
  std::vector<PairResult> results(pairs.size());
  solver.solve(pairs, results);
  return results;
}

/// A solver that answers with its own number and those of the graphs, and records its requests.
class Recorder final : public PairSolver {
 public:
  Recorder(double number, std::vector<Pair>& asked) : number_(number), asked_(asked) {}

  std::size_t unknowns(Pair) const override { return 1; }
  Precision precision() const override { return Precision::float64; }
  double device_seconds() const override { return number_; }
  std::string description() const override { return {}; }
  bool certifies() const override { return true; }

  double answer(Pair pair) const { return 100 * number_ + 10 * pair.first + pair.second; }

 private:
  void answer_to(const Request& request, const Answer& answer_here) override {
    for (std::size_t k = 0; k < request.pairs.size(); ++k) {
      asked_.push_back(request.pairs[k]);
      answer_here.results[k].value = answer(request.pairs[k]);
      if (!request.nodewise_begin.empty()) answer_here.nodewise[request.nodewise_begin[k]] = number_;
      if (request.derivatives != Derivatives::each) continue;
      const std::size_t parameters = request.certify->parameter_count();
      for (std::size_t t = 0; t < parameters; ++t) {
        answer_here.derivatives[k * parameters + t] = answer(request.pairs[k]) + 0.1 * static_cast<double>(t);
      }
      answer_here.derivative_errors[k] = -answer(request.pairs[k]);
    }
  }

  double number_;
  std::vector<Pair>& asked_;
};

}  // namespace

TEST_CASE("each pair goes to its solver in the order of the list, and its result to its place") {
  std::vector<Pair> asked_of_first;
  std::vector<Pair> asked_of_second;
  const auto even = [](Pair pair) { return pair.first % 2 == 0; };
  plan::PairwiseSolver solver(std::make_unique<Recorder>(1, asked_of_first),
                              std::make_unique<Recorder>(2, asked_of_second), even, "both");
  const std::vector<Pair> pairs{{3, 1}, {2, 5}, {1, 1}, {4, 0}, {0, 7}};

  const std::vector<PairResult> results = solve(solver, pairs);

  const std::vector<double> expected{231, 125, 211, 140, 107};
  for (std::size_t k = 0; k < pairs.size(); ++k) CHECK(results[k].value == expected[k]);
  REQUIRE(asked_of_first.size() == 3);
  REQUIRE(asked_of_second.size() == 2);
  CHECK((asked_of_first[0].first == 2 && asked_of_first[1].first == 4 && asked_of_first[2].first == 0));
  CHECK((asked_of_second[0].first == 3 && asked_of_second[1].first == 1));
  CHECK(solver.device_seconds() == 3);
  CHECK(solver.description() == "both");
  std::vector<double> x;
  CHECK(solver.solve_nodewise({3, 0}, x).value == 230);
  CHECK(x == std::vector<double>{2});
}

TEST_CASE("derivatives and what they are off by go to their places, too") {
  const std::vector<Graph> graphs{test::random_graph(5, 0.5, 1)};
  const KernelSpec kernel{Expression::parse("delta(element,0.5)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const ExactSet exact(graphs, kernel, true);
  std::vector<Pair> asked;
  plan::PairwiseSolver solver(std::make_unique<Recorder>(1, asked), std::make_unique<Recorder>(2, asked),
                              [](Pair pair) { return pair.first % 2 == 0; }, {});
  const std::vector<Pair> pairs{{3, 1}, {2, 5}, {1, 1}};
  const std::size_t parameters = exact.parameter_count();
  REQUIRE(parameters == 3);
  std::vector<PairResult> results(pairs.size());
  std::vector<double> derivatives(pairs.size() * parameters);
  std::vector<double> errors(pairs.size());
  Request request{pairs};
  request.certify = &exact;
  request.derivatives = Derivatives::each;
  Answer answer{results};
  answer.derivatives = derivatives;
  answer.derivative_errors = errors;
  solver.solve(request, answer);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CAPTURE(k);
    CHECK(errors[k] == -results[k].value);
    for (std::size_t t = 0; t < parameters; ++t) {
      CHECK(derivatives[k * parameters + t] == doctest::Approx(results[k].value + 0.1 * static_cast<double>(t)));
    }
  }
}

TEST_CASE("the seconds of the device are those of the last solve alone") {
  std::vector<Pair> asked;
  plan::PairwiseSolver solver(std::make_unique<Recorder>(1, asked), std::make_unique<Recorder>(2, asked),
                              [](Pair pair) { return pair.first == 0; }, {});
  solve(solver, std::vector<Pair>{{0, 0}, {1, 0}});
  solve(solver, std::vector<Pair>{{1, 0}});
  CHECK(solver.device_seconds() == 2);
  solve(solver, {});
  CHECK(solver.device_seconds() == 0);
}
