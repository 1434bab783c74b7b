// SPDX-License-Identifier: BSD-3-Clause
#include "common/skips.hpp"

#include <doctest/doctest.h>

namespace {

/// Of the test cases that have ended, and of the one that runs.
struct CaseTally {
  bool skips = false;
  int ended = 0;
  int skipped = 0;
};

CaseTally& tally_of_cases() {
  static CaseTally all;
  return all;
}

/// Counts test cases.
struct CaseCounter final : doctest::IReporter {
  explicit CaseCounter(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override { tally_of_cases().skips = false; }
  void test_case_end(const doctest::CurrentTestCaseStats& found) override {
    ++tally_of_cases().ended;
    if (tally_of_cases().skips && found.numAssertsCurrentTest == 0) ++tally_of_cases().skipped;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

DOCTEST_REGISTER_LISTENER("cases", 1, CaseCounter);

}  // namespace

namespace octile::test {

void skip(const std::string& reason) {
  tally_of_cases().skips = true;
  MESSAGE("skipped: ", reason);
}

int exit_code(int code) {
  constexpr int skipped = 77;
  return code == 0 && tally_of_cases().ended > 0 && tally_of_cases().skipped == tally_of_cases().ended ? skipped : code;
}

}  // namespace octile::test
