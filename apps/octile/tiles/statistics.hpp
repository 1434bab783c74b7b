// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <octile/solve.hpp>

#include "output/summary.hpp"

namespace octile::app {

/// What is kept of pairs beside their values: enough for a summary of all tiles.
class Statistics {
 public:
  /// The most unconverged pairs that are kept one by one; others are counted.
  static constexpr std::size_t most_listed = 100000;

  /// Adds pair (i, j), graphs by number, whose value has this bound of its relative error.
  void add(std::size_t i, std::size_t j, const PairResult& result, double bound);
  /// Adds the pair of a graph with itself that was solved to normalise others, and is not of the matrix: it counts only where it did
  /// not converge.
  void add_own(std::size_t graph, const PairResult& result);
  void add(const Statistics& other);
  /// Adds pairs of an earlier matrix that are taken as they are: how many of them did not converge, and the largest bound.
  void add_earlier(std::size_t unconverged, double largest_error);
  /// Counts that a value is rounded when it is written: its bound is this one.
  void raise_largest_error(double bound) { largest_error_ = std::max(largest_error_, bound); }
  void add_refined(std::size_t pairs) { refined_ += pairs; }

  std::size_t pairs() const { return pairs_; }
  double largest_error() const { return largest_error_; }
  bool converged() const { return unconverged_count_ == 0; }
  std::size_t unconverged() const { return unconverged_count_; }

  /// `facts.refined` is set from here. Pairs per second are of those that were solved in `facts.solve_seconds`, all but the `before` of
  /// earlier runs.
  Summary summary(SolveFacts facts, std::size_t before = 0) const;

  nlohmann::json to_json() const;
  /// Throws nlohmann's exceptions where the text is another.
  static Statistics from_json(const nlohmann::json& document);

 private:
  void add_unconverged(const Unconverged& pair);

  std::size_t pairs_ = 0;
  std::size_t refined_ = 0;
  double largest_error_ = 0;
  std::vector<std::size_t> by_iterations_;  ///< pairs of so many iterations
  std::size_t unconverged_count_ = 0;
  std::vector<Unconverged> unconverged_;
};

}  // namespace octile::app
