// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::bench {

/// K of a pair as other code computed it, in double precision.
struct ReferenceValue {
  Pair pair;
  double value = 0;
};

/// True where `folder` holds the graphs of the set `name`, as bench/prepare_data writes them.
bool has_set(const std::string& folder, const std::string& name);

/// The graphs of a set. Throws `Error` for a file that cannot be read, and, as "FILE:LINE: reason", a refused line.
std::vector<Graph> read_set(const std::string& folder, const std::string& name);

/// The reference values of a set for a kind of kernel and a stopping probability, written as in "0.05". Throws `Error`
/// where there are none.
std::vector<ReferenceValue> read_references(const std::string& folder, const std::string& name, const std::string& kind,
                                            const std::string& q);

}  // namespace octile::bench
