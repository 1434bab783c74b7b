// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::app {

/// What `octile verify` did not do, for want of time.
struct LeftOut {
  std::vector<Pair> unsolved;          ///< pairs of the sample that `octile gram` would have taken too long for
  std::size_t unjudged = 0;            ///< pairs solved, but by no judge
  bool set = false;                    ///< of the set all but the graphs of the pairs, in the row of `octile gram` too
  std::vector<std::string> rows{};     ///< settings that solved no pair
  std::vector<std::string> shorter{};  ///< settings that solved some of the judged pairs

  bool any() const { return !unsolved.empty() || unjudged > 0 || set || !rows.empty() || !shorter.empty(); }
};

/// Prints what was left out, and how it is had; nothing where nothing was.
void print_left_out(const LeftOut& left_out, std::span<const Graph> graphs, double budget_seconds);

}  // namespace octile::app
