// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::app {

/// What `octile verify` left out for lack of time.
struct LeftOut {
  std::vector<Pair> unsolved;          ///< pairs of the sample that would have taken `octile gram` too long
  std::size_t unjudged = 0;            ///< pairs that were solved but have no reference value
  bool set = false;                    ///< the whole set: even `octile gram`'s row had only the pairs' graphs
  std::vector<std::string> rows{};     ///< settings that solved no pair
  std::vector<std::string> shorter{};  ///< settings that solved some of the judged pairs

  bool any() const { return !unsolved.empty() || unjudged > 0 || set || !rows.empty() || !shorter.empty(); }
};

/// Prints what was left out, and how to include it. Prints nothing if nothing was left out.
void print_left_out(const LeftOut& left_out, std::span<const Graph> graphs, double budget_seconds);

}  // namespace octile::app
