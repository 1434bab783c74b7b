// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

namespace octile::bench {

/// One line a benchmark: the median of its repetitions, or why it was not measured.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  MedianReporter() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override;

  /// Whether every benchmark so far was measured.
  bool all_measured() const { return all_measured_; }

 private:
  bool all_measured_ = true;
};

/// Google Benchmark's JSON without the two lines of its context that identify the machine, the host's name and
/// the path of the program, and without NaN, which JSON does not have (the relative spread of counters that are 0
/// is NaN).
class JsonReporter : public benchmark::JSONReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace octile::bench
