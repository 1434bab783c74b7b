// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::bench {

/// K of a pair computed by other code, in double precision.
struct ReferenceValue {
  Pair pair;
  double value = 0;
};

/// `sample` of the entries, or all if `sample` is 0 or more than there are.
template <class Entry>
std::vector<Entry> spread_evenly(std::vector<Entry> entries, std::size_t sample) {
  if (sample == 0 || sample >= entries.size()) return entries;
  std::vector<Entry> chosen;
  chosen.reserve(sample);
  // The middle one of each of `sample` equal parts.
  for (std::size_t k = 0; k < sample; ++k) chosen.push_back(entries[(2 * k + 1) * entries.size() / (2 * sample)]);
  return chosen;
}

/// The folder of the sets unless another is named: OCTILE_BENCH_DATA, or empty.
std::string default_folder();

/// Whether `folder` has the graphs of the set `name`, as bench/prepare_data writes them.
bool has_set(const std::string& folder, const std::string& name);

/// Whether a set has reference values for a kind of labels.
bool has_kind(const std::string& folder, const std::string& name, const std::string& kind);

/// The graphs of a set. Throws `Error` for a file that cannot be read, and, as "FILE:LINE: reason", a refused line.
std::vector<Graph> read_set(const std::string& folder, const std::string& name);

/// The reference values of a set for a kind of kernel and a stopping probability, written as in "0.05". Throws `Error`
/// if there are none.
std::vector<ReferenceValue> read_references(const std::string& folder, const std::string& name, const std::string& kind,
                                            const std::string& q);

}  // namespace octile::bench
