// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/prepared_set.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace octile {

/// Makes what is asked of the vertices of pairs from the pairs' solutions.
class NodeWriter {
 public:
  /// Makes room. The set must outlive this.
  NodeWriter(const PreparedSet& set, NodeOutput output, std::span<const Pair> pairs);

  /// Takes the solution x of a pair, n·m values row major, as the numbers of the pair at `place`. Pairs may be written by several
  /// threads at once.
  void write(Pair pair, std::span<const double> x, std::size_t place);

  /// Takes weights of the numbers of the pair at `place` to weights of its solution, n·m values row major. `weights` has those of all pairs.
  void weigh(Pair pair, std::span<const double> weights, std::size_t place, std::span<double> of_solution) const;

  std::size_t numbers() const { return begin_.back(); }  ///< of all pairs

  /// Moves all numbers out, and where those of each pair begin.
  void give(std::vector<double>& nodes, std::vector<std::size_t>& begin);

 private:
  const PreparedSet& set_;
  NodeOutput output_;
  std::vector<double> nodes_;
  std::vector<std::size_t> begin_{0};
};

}  // namespace octile
