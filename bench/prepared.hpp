// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

namespace octile::bench {

/// Keeps the prepared case of the current benchmark, one at a time, since a device has room for one. The repetitions
/// of a benchmark share it. A Case has
///
///     fault()      what is wrong with its answer, in one line; empty if it is correct
///     seconds()    runs it once, with a fence on both sides
template <class Case>
class Prepared {
 public:
  /// Prepares the case of that name, if it is not the current one, and runs it as often as `state` says. Returns null,
  /// and skips the benchmark with the reason, if the case cannot be made or its answer is wrong.
  template <class Make>
  Case* run(benchmark::State& state, const std::string& name, const Make& make) {
    if (name != name_) {
      name_ = name;
      case_.reset();
      try {
        case_ = make();
        refusal_ = case_->fault();
      } catch (const std::exception& error) {
        refusal_ = error.what();
      }
    }
    if (!refusal_.empty()) {
      state.SkipWithError(refusal_.c_str());
      return nullptr;
    }
    for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(case_->seconds());
    return case_.get();
  }

 private:
  std::string name_;
  std::unique_ptr<Case> case_;
  std::string refusal_;
};

/// Registers benchmarks of one type of case, which they prepare when they run.
template <class Case>
class Benchmarks {
 public:
  /// `make()` returns the case; `report(state, case)` adds counters after it has run.
  template <class Make, class Report>
  void add(const std::string& name, const Make& make, const Report& report) const {
    const auto run = [prepared = prepared_, name, make, report](benchmark::State& state) {
      const Case* done = prepared->run(state, name, make);
      if (done != nullptr) report(state, *done);
    };
    benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond);
  }

 private:
  std::shared_ptr<Prepared<Case>> prepared_ = std::make_shared<Prepared<Case>>();
};

}  // namespace octile::bench
