// SPDX-License-Identifier: BSD-3-Clause
// The findings and exit codes of `octile verify`. A correct program never disagrees with the reference, so the
// reference values are written by hand here, and one is wrong on purpose.
#include <doctest/doctest.h>

#include <verify/paced_solve.hpp>
#include <verify/pair_sample.hpp>
#include <verify/pieces.hpp>
#include <verify/verification.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/tolerances.hpp"

using namespace octile;
using app::Judgements;
using app::Setting;
using app::Verdict;
using app::VerifiedSetting;

namespace {

/// Unlabelled graphs without isolated vertices: all pairs have K = q/(2−q) for a stopping probability q. It is large
/// enough for float32 to converge on all of them, and so to be compared.
struct KnownSet {
  std::vector<Graph> graphs{test::bare("cycle", 5, test::cycle_edges(5)), test::bare("path", 7, test::path_edges(7)),
                            test::bare("complete", 9, test::complete_edges(9))};
  double q = 0.5;
  KernelSpec kernel = test::unlabelled().spec({StoppingMeaning::probability, q});

  app::VerifyTask task() const { return {graphs, &kernel, SolveOptions{}.max_iterations, default_memory}; }

  /// The right values, as if the reference had computed them.
  Judgements judgements() const {
    Judgements judgements;
    for (std::int32_t i = 0; i < 3; ++i) {
      for (std::int32_t j = i; j < 3; ++j) judgements.pairs.push_back({{i, j}, &backends().front(), q / (2 - q)});
    }
    return judgements;
  }
};

/// Every backend that can run here but the reference, in every precision that it has.
std::vector<Setting> settings() {
  std::vector<Setting> settings;
  for (const Backend& backend : backends().subspan(1)) {
    if (!backend.available) continue;
    settings.push_back({&backend, {}, Precision::float64});
    if (backend.single_precision) settings.push_back({&backend, {}, Precision::float32});
  }
  return settings;
}

/// Rows of the table with the given verdicts.
std::vector<VerifiedSetting> rows(const std::vector<Verdict>& verdicts, Precision precision = Precision::float64) {
  std::vector<VerifiedSetting> rows;
  rows.reserve(verdicts.size());
  for (const Verdict& verdict : verdicts) rows.push_back({{&backends()[1], {}, precision}, verdict});
  return rows;
}

Verdict agreeing() { return {}; }

Verdict differing() {
  Verdict verdict;
  verdict.differing.emplace_back();
  return verdict;
}

Verdict unconverged() {
  Verdict verdict;
  verdict.unconverged.emplace_back();
  return verdict;
}

Verdict refused(const std::string& why) {
  Verdict verdict;
  verdict.refusal = why;
  return verdict;
}

/// A solver that records its requests, and takes a given time for each call.
class RecordingSolver final : public PairSolver {
 public:
  explicit RecordingSolver(double seconds = 0) : seconds_(seconds) {}

  std::size_t unknowns(Pair) const override { return 1; }
  Precision precision() const override { return Precision::float64; }
  std::string description() const override { return "a recording"; }

  std::vector<std::size_t> batches;

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    batches.push_back(request.pairs.size());
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    for (PairResult& result : answer.results) result.value = 1;
  }

  double seconds_;
};

struct Paced {
  std::vector<double> work;
  std::vector<Pair> pairs{work.size()};
  std::vector<PairResult> results{work.size()};

  std::size_t solve(const app::Budget& budget, PairSolver& solver) {
    const app::SolvePairs solve = [&solver](std::span<const Pair> some, std::span<PairResult> found) {
      solver.solve(some, found);
    };
    return app::solve_within(budget, solve, pairs, work, results);
  }
};

GramOptions gram_options(double tolerance) {
  GramOptions options;
  options.backend = BackendId::portable_serial;
  options.solve.tolerance = tolerance;
  return options;
}

}  // namespace

TEST_CASE("with endless time all pairs are solved at once") {
  RecordingSolver solver;
  Paced paced{{1, 1e6, 1e15}};

  CHECK(paced.solve({}, solver) == 3);
  CHECK(solver.batches == std::vector<std::size_t>{3});
}

TEST_CASE("no pair is begun that is predicted to take longer than is left") {
  RecordingSolver solver;
  Paced paced{{1, 10, 1e15, 1e15}};

  CHECK(paced.solve(app::Budget(10), solver) == 2);
  CHECK(solver.batches == std::vector<std::size_t>{1, 1});
  CHECK(paced.results[1].value == 1);
  CHECK(paced.results[2].value != 1);

  Paced costly{{1e9}};
  CHECK(costly.solve(app::Budget(10), solver) == 0);
  CHECK(paced.solve(app::Budget(0), solver) == 0);
  CHECK(solver.batches.size() == 2);
}

TEST_CASE("what pairs took predicts what the next ones take") {
  RecordingSolver slow(0.15);
  Paced paced{{1, 1000}};

  // With the assumed time of a unit both pairs would fit the budget; the measured time shows that one does.
  CHECK(paced.solve(app::Budget(5), slow) == 1);
  // The first call might include work that is done once, so that pair is solved twice.
  CHECK(slow.batches == std::vector<std::size_t>{1, 1});
}

TEST_CASE("the row of octile gram is what gram computes, at the caller's tolerance") {
  const KnownSet set;
  const std::vector<Pair> pairs{{0, 1}, {1, 2}, {0, 2}};
  for (const double tolerance : {1e-3, 1e-8}) {
    for (const reorder::OrderId order : {reorder::OrderId::natural, reorder::OrderId::rcm}) {
      GramOptions options = gram_options(tolerance);
      options.order = order;
      options.primitive = {PrimitiveFamily::rows};

      const app::Solved solved = solve_as_gram(set.task(), options, pairs);

      const GramResult gram = octile::gram(set.graphs, set.kernel, options);
      REQUIRE(solved.results.size() == pairs.size());
      CHECK(solved.description == gram.description);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const PairResult& expected = gram.pairs[pair_index(static_cast<std::size_t>(pairs[k].first),
                                                           static_cast<std::size_t>(pairs[k].second), 3)];
        CHECK(solved.results[k].value == expected.value);
        CHECK(solved.results[k].iterations == expected.iterations);
        CHECK(solved.results[k].status == expected.status);
      }
    }
  }
}

TEST_CASE("the row of octile gram is held to ten times the caller's tolerance, and no wrong value passes") {
  const KnownSet set;
  const Judgements judgements = set.judgements();
  const Setting setting = app::gram_setting(gram_options(1e-8));
  const auto differing_at = [&](double error) {
    app::Solved solved;
    for (const app::Judgement& judgement : judgements.pairs) {
      PairResult result;
      result.status = Status::converged;
      result.residual = 0.5;  // even so wide a bound of the error must not excuse a wrong value
      result.value = judgement.value * (1 + error);
      solved.results.push_back(result);
    }
    return hold(solved, set.kernel, setting, judgements).differing.size();
  };

  CHECK(differing_at(0) == 0);
  CHECK(differing_at(5e-8) == 0);
  CHECK(differing_at(2e-7) == judgements.pairs.size());
  CHECK(differing_at(-2e-7) == judgements.pairs.size());
}

TEST_CASE("a row that solves fewer pairs is held to those alone") {
  const KnownSet set;
  Judgements judgements = set.judgements();
  judgements.pairs.back().value *= 2;
  const Setting setting{&backends()[1], {}, Precision::float64};
  app::Solved solved = solve(set.task(), setting, std::vector<Pair>{{0, 0}, {0, 1}});

  const Verdict verdict = hold(solved, set.kernel, setting, judgements);

  CHECK(verdict.pairs == 2);
  CHECK(verdict.compared == 2);
  CHECK(verdict.differing.empty());
}

TEST_CASE("without time nothing is solved or judged, which is left out and no failure to converge") {
  const KnownSet set;
  const std::vector<Pair> pairs{{0, 1}, {1, 2}};
  const app::Budget none(0);

  CHECK(solve(set.task(), settings()[0], pairs, none).results.empty());
  CHECK(solve_as_gram(set.task(), gram_options(1e-8), pairs, none).results.empty());
  const Judgements judgements = judge(
      set.task(), pairs, 3000, [](std::size_t, std::size_t) {}, none);
  CHECK(judgements.left_out() == 2);
  CHECK(judgements.judged_by(nullptr) == 0);
  CHECK(how_it_ended({}, judgements) == app::exit_success);
}

TEST_CASE("pairs that the reference has no time for are judged by a backend that iterates") {
  const KnownSet set;
  const std::vector<Pair> pairs{{0, 1}, {1, 2}};

  const Judgements judgements = judge(set.task(), pairs, 0, [](std::size_t, std::size_t) {});

  CHECK(judgements.judged_by(&backends()[1]) == 2);
  for (const app::Judgement& judgement : judgements.pairs) {
    CHECK(judgement.value == doctest::Approx(set.q / (2 - set.q)).epsilon(1e-10));
  }
}

TEST_CASE("pairs come cheapest first, and a subset names them by the graphs that it holds") {
  const KnownSet set;

  const std::vector<Pair> pairs = app::cheapest_first(set.graphs, {{2, 2}, {0, 2}, {0, 0}});
  const app::Subset subset = app::subset_of(set.graphs, std::vector<Pair>{{1, 2}, {2, 2}});

  CHECK(pairs[0].second == 0);
  CHECK(pairs[1].first == 0);
  CHECK(pairs[2].first == 2);
  REQUIRE(subset.graphs.size() == 2);
  CHECK(subset.graphs[0].name() == "path");
  CHECK(subset.graphs[1].name() == "complete");
  CHECK(subset.pairs[0].first == 0);
  CHECK(subset.pairs[0].second == 1);
  CHECK(subset.pairs[1].first == 1);
}

TEST_CASE("a piece is what lies nearest to the first edge, with its weights, labels and proportions of the start") {
  // 0 alone; a path 1-2-3-4 with a branch 2-5.
  Graph graph = Graph::from_edges("tree", 6, {{1, 2, 0.5}, {2, 3, 0.25}, {3, 4, 0.75}, {2, 5, 2}},
                                  {{"kind", std::vector<std::string>{"a", "b", "c", "d", "e", "f"}}},
                                  {{"length", std::vector<double>{1, 2, 3, 4}}});
  graph.set_starting_probability({0.1, 0.1, 0.2, 0.3, 0.2, 0.1});

  const Graph piece = app::piece_of(graph, 4);

  CHECK(piece.name() == "4 vertices of tree");
  REQUIRE(piece.vertex_count() == 4);  // 1, 2, 3, 5
  CHECK(std::get<std::vector<std::string>>(piece.vertex_labels().at("kind")) ==
        std::vector<std::string>{"b", "c", "d", "f"});
  REQUIRE(piece.edges().size() == 3);
  CHECK(piece.edges()[1].weight == 0.25);
  CHECK(std::get<std::vector<double>>(piece.edge_labels().at("length")) == std::vector<double>{1, 2, 4});
  CHECK(piece.starting_probability()[2] == doctest::Approx(3.0 / 7));
  CHECK(app::piece_of(graph, 6).name() == "tree");
}

TEST_CASE("a set without small pairs needs pieces, of which every pair is small") {
  const KnownSet set;
  CHECK(!app::needs_pieces(set.graphs, std::vector<Pair>{{0, 0}, {1, 2}}));
  std::vector<Graph> large;
  for (const int size : {60, 70}) large.push_back(test::bare("cycle", size, test::cycle_edges(size)));
  const std::vector<Pair> sample{{0, 0}, {0, 1}};

  REQUIRE(app::needs_pieces(large, sample));
  const app::Pieces pieces = app::pieces_of(large, sample);

  CHECK(pieces.pairs.size() == 7);
  for (const Pair& pair : pieces.pairs) CHECK(app::unknowns(pieces.graphs, pair) <= 48 * 48);
}

TEST_CASE("what octile gram leaves unconverged is told of in float32 too") {
  const Judgements judgements = KnownSet().judgements();
  GramOptions options = gram_options(1e-6);
  options.precision = Precision::float32;

  CHECK(how_it_ended(std::vector<VerifiedSetting>{{app::gram_setting(options), unconverged()}}, judgements) ==
        app::exit_unconverged);
}

TEST_CASE("no setting differs from right values") {
  const KnownSet set;
  const Judgements judgements = set.judgements();
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name());

    const Verdict verdict = verify(set.task(), setting, judgements);

    CHECK(verdict.refusal.empty());
    CHECK(verdict.compared == judgements.pairs.size());
    CHECK(verdict.differing.empty());
    CHECK(how_it_ended(std::vector<VerifiedSetting>{{setting, verdict}}, judgements) == app::exit_success);
  }
}

TEST_CASE("a value out of tolerance is found, with its pair, and ends in exit code 5") {
  const KnownSet set;
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name());
    Judgements judgements = set.judgements();
    app::Judgement& wrong = judgements.pairs[4];
    wrong.value *= 1 + 10 * test::tolerance::value(setting.precision);

    const Verdict verdict = verify(set.task(), setting, judgements);

    CHECK(verdict.compared == judgements.pairs.size());
    REQUIRE(verdict.differing.size() == 1);
    CHECK(verdict.differing[0].judgement == &wrong);
    CHECK(verdict.differing[0].difference > verdict.differing[0].allowed);
    CHECK(static_cast<int>(how_it_ended(std::vector<VerifiedSetting>{{setting, verdict}}, judgements)) == 5);
  }
}

TEST_CASE("a setting without enough memory is refused, not taken to differ") {
  const KnownSet set;
  app::VerifyTask task = set.task();
  task.memory = 1;
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name());

    const Verdict verdict = verify(task, setting, set.judgements());

    CHECK(!verdict.refusal.empty());
    CHECK(verdict.differing.empty());
  }
}

TEST_CASE("a row that differs decides, whatever became of the others and of the judge") {
  const KnownSet set;
  const Judgements judged = set.judgements();
  Judgements partly = judged;
  partly.pairs[0].judge = nullptr;
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    for (const Judgements& judgements : {judged, partly}) {
      CHECK(how_it_ended(rows({differing()}, precision), judgements) == app::exit_disagreement);
      for (const Verdict& other : {agreeing(), unconverged(), refused("no room")}) {
        CHECK(how_it_ended(rows({differing(), other}, precision), judgements) == app::exit_disagreement);
        CHECK(how_it_ended(rows({other, differing()}, precision), judgements) == app::exit_disagreement);
      }
    }
  }
}

TEST_CASE("rows that could not be solved are an error that counts them and names the first") {
  const Judgements judgements = KnownSet().judgements();
  const auto ending = [&](const std::vector<Verdict>& verdicts) {
    return test::message_of([&] { how_it_ended(rows(verdicts), judgements); });
  };
  const std::string name = rows({agreeing()})[0].setting.name();

  CHECK(ending({refused("no room")}) == "1 of 1 row could not be solved; the first is " + name + ": no room");
  CHECK(ending({agreeing(), unconverged(), refused("no room"), refused("too late")}) ==
        "2 of 4 rows could not be solved; the first is " + name + ": no room");
}

TEST_CASE("rows that all agree, of pairs that all have a judge, end in success") {
  const Judgements judgements = KnownSet().judgements();

  CHECK(how_it_ended({}, judgements) == app::exit_success);
  CHECK(how_it_ended(rows({agreeing()}), judgements) == app::exit_success);
  CHECK(how_it_ended(rows({agreeing(), agreeing()}), judgements) == app::exit_success);
}

TEST_CASE("what did not converge in float64 ends as unconverged; float32 may stop at its rounding") {
  const Judgements judgements = KnownSet().judgements();

  CHECK(how_it_ended(rows({agreeing(), unconverged()}), judgements) == app::exit_unconverged);
  CHECK(how_it_ended(rows({unconverged(), agreeing()}), judgements) == app::exit_unconverged);
  CHECK(how_it_ended(rows({agreeing(), unconverged()}, Precision::float32), judgements) == app::exit_success);
}

TEST_CASE("a pair that none could judge ends as unconverged") {
  Judgements judgements = KnownSet().judgements();
  judgements.pairs[3].judge = nullptr;

  CHECK(how_it_ended(rows({agreeing()}), judgements) == app::exit_unconverged);
}
