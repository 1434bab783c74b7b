// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

namespace octile::bench {

/// What the benchmarks of a program are made ready with, one at a time: a device has room for one, and the repetitions
/// of a benchmark share it. A Case has
///
///     fault()      what is wrong with its answer, in one line; empty where all is well
///     seconds()    runs it once, with a fence on both sides
template <class Case>
class Prepared {
 public:
  /// Makes the case of that name ready, unless it is, and runs it as often as `state` says. Null, and the benchmark
  /// skipped with the reason, where it cannot be made or its answer is wrong.
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

}  // namespace octile::bench
