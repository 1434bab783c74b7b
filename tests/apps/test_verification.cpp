// SPDX-License-Identifier: BSD-3-Clause
// What `octile verify` finds and how it ends. No right program disagrees with the reference, so the values that
// settings are held to are written by hand here, and one is wrong on purpose.
#include <doctest/doctest.h>

#include <verify/verification.hpp>

#include <string>
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

  /// The right values, in the reference's name.
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

/// Rows of the table as they would be if verdicts on a setting had come out so.
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

}  // namespace

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
