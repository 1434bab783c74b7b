// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>
#include <octile/prepared_set.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace octile {

/// What a solve of a set found, before the values that were asked for are formed from it (`take_values`). Behind
/// `PreparedSet::solve`, and `gram`, which keeps less.
struct SetSolution {
  /// One result for each pair of the request. If it asks for normalised values of a list, results of pairs (i, i)
  /// follow.
  std::vector<PairResult> results;
  /// The place in `results` of pair (i, i) of graph i, if values are to be normalised; not a place where no pair has the graph.
  std::vector<std::size_t> own;
  std::size_t parameters = 0;       ///< by which derivatives were formed
  std::vector<double> derivatives;  ///< as in `SetAnswer`
  GraphDerivatives by_graphs;       ///< of the graphs as they are solved
  std::vector<double> nodes;
  std::vector<std::size_t> nodes_begin;
  std::size_t refined = 0;
  double setup_seconds = 0;
  double solve_seconds = 0;
  std::string description;
};

/// All pairs i ≤ j of so many graphs, row by row: pair (i, j) stands at `pair_index`.
std::vector<Pair> triangle_pairs(std::size_t size);

/// The options by which derivatives are formed, with an accuracy if there is none. Throws `Error` for one that is not proven.
GramOptions options_of_derivatives(GramOptions options, bool normalize);

/// Solves as `PreparedSet::solve` says.
SetSolution solve_set(const PreparedSet& set, const KernelSpec& kernel, const SetRequest& request);

}  // namespace octile
