// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/plan/costs.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace octile::plan {

/// Nanoseconds of one iteration of every pair i ≤ j of a set.
struct PairwiseTotals {
  double by_element = 0;  ///< all pairs
  double factored = 0;    ///< all pairs
  double by_pair = 0;     ///< each pair by the cheaper of the two
  double share = 0;       ///< fraction of the pairs that are cheaper by factors

  /// Whether choosing by pair saves enough over the better of the two to justify keeping the set in two forms.
  bool by_pair_pays() const;
};

/// Chooses between elements and factors for each pair of a set. Which is cheaper depends on the sizes and densities of
/// the pair's two graphs, and on nothing else. So a pair is solved in the same way in any list.
class PairwiseLowering {
 public:
  PairwiseLowering(const CostModel& set, const LoweringCosts& costs, const LoweredKernel& edge);

  /// Whether a pair costs less by factors with `terms` terms a record than by element.
  bool takes_factors(Pair pair, std::size_t terms, bool sparse) const {
    const PairSums sums = model_.sums(pair);
    return costs_.factored(terms, sparse, sums) < costs_.by_element(element_price_, sums);
  }

  /// `takes_factors` as a function object that does not refer to this one.
  std::function<bool(Pair)> choice(std::size_t terms, bool sparse) const {
    return [lowering = *this, terms, sparse](Pair pair) { return lowering.takes_factors(pair, terms, sparse); };
  }

  PairwiseTotals totals(std::size_t terms, bool sparse) const;

  /// The largest rank, up to `factor_limit`, at which choosing by pair with dense factors still beats elements for all pairs.
  std::size_t largest_rank() const;

 private:
  /// Graphs with the same numbers of vertices and edges.
  struct Shape {
    std::int32_t graph;  ///< any of them
    double count;
  };

  CostModel model_;
  LoweringCosts costs_;
  double element_price_;
  std::vector<Shape> shapes_;
};

}  // namespace octile::plan
