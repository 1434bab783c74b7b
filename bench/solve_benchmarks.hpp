// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ceilings.hpp"
#include "prepared.hpp"
#include "solve_case.hpp"

namespace octile::bench {

/// Keeps what was made last, which benchmarks that follow each other share.
template <class Value>
class Last {
 public:
  /// The value of that name; `make` makes it if the last one had another.
  template <class Make>
  const Value& of(const std::string& name, const Make& make) {
    if (name != name_) {
      value_ = make();
      name_ = name;
    }
    return value_;
  }

 private:
  std::string name_;
  Value value_;
};

/// Registers a benchmark for each entry. `prepare(entry)` makes its `PreparedCase`, and `count(entry, counters)` adds to the
/// counters that this reports. `brief`: the roofs are measured with much less work.
template <class Entry, class Prepare, class Count>
void add_solves(const std::vector<Entry>& entries, bool brief, const Prepare& prepare, const Count& count) {
  const Roofs roofs = measure_roofs_into_context(brief);
  const Benchmarks<PreparedCase> all;
  for (const Entry& entry : entries) {
    all.add(
        entry.name(), [entry, prepare] { return prepare(entry); },
        [entry, roofs, count](benchmark::State& state, const PreparedCase& done) {
          done.report(state, roofs);
          count(entry, state.counters);
        });
  }
}

}  // namespace octile::bench
