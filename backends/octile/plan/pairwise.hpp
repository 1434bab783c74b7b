// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/graph.hpp>
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
  double by_pair = 0;     ///< each by the cheaper of the two
  double share = 0;       ///< of the pairs that factors are cheaper for

  /// By pair is so much cheaper than the better of the others that it is worth keeping the set in two forms.
  bool by_pair_pays() const;
};

/// Chooses between by element and by factors for each pair of a set: which is cheaper depends on the sizes and densities
/// of its two graphs. It depends on nothing else, so that a pair is solved the same way wherever it stands in whatever list.
class PairwiseLowering {
 public:
  PairwiseLowering(const CostModel& set, const LoweringCosts& costs, const LoweredKernel& edge);

  /// Whether factors of so many terms a record cost a pair less than its elements do.
  bool takes_factors(Pair pair, std::size_t terms, bool sparse) const {
    const PairSums sums = model_.sums(pair);
    return costs_.factored(terms, sparse, sums) < costs_.by_element(element_price_, sums);
  }

  /// The same as a function that lives by itself.
  std::function<bool(Pair)> choice(std::size_t terms, bool sparse) const {
    return [lowering = *this, terms, sparse](Pair pair) { return lowering.takes_factors(pair, terms, sparse); };
  }

  PairwiseTotals totals(std::size_t terms, bool sparse) const;

  /// The largest rank, up to `factor_limit`, at which dense factors still pay for pairs enough.
  std::size_t largest_rank() const;

 private:
  /// Graphs of one number of vertices and edges.
  struct Shape {
    std::int32_t graph;  ///< one of them
    double count;
  };

  CostModel model_;
  LoweringCosts costs_;
  double element_price_;
  std::vector<Shape> shapes_;
};

}  // namespace octile::plan
