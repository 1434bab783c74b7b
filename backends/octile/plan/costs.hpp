// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/factors.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/pairs/prices.hpp>

#include <cstddef>
#include <span>

// What lowerings cost, by the prices of prices.hpp. A schedule sorts pairs by a ratio of costs alone (cost_model.hpp).
namespace octile::plan {

/// The cost of a set's solves under each lowering: nanoseconds of a core for the mean pair, for one iteration, or for
/// the whole pair in the closed form. The same formulas give the costs by element and by factors of other pairs.
class LoweringCosts {
 public:
  LoweringCosts(const CostModel& set, const LoweringPrices& prices) : prices_(prices), mean_(set.sums()) {
    for (double* sum :
         {&mean_.element_pairs, &mean_.element_vertices, &mean_.vertex_pairs, &mean_.row_pairs, &mean_.vertex_cubes}) {
      *sum /= mean_.pairs;
    }
  }

  /// An iteration that evaluates or looks up κe for each pair of elements.
  double by_element(const LoweredKernel& edge) const { return by_element(element_price(edge), mean_); }

  /// An iteration of the given pairs by element, with the given price of a pair of elements.
  double by_element(double price, const PairSums& pairs) const { return vector(pairs) + price * pairs.element_pairs; }

  /// An iteration by factors with `terms` terms a record.
  double factored(std::size_t terms, bool sparse) const { return factored(terms, sparse, mean_); }

  /// An iteration of the given pairs by factors.
  double factored(std::size_t terms, bool sparse, const PairSums& pairs) const {
    const double count = static_cast<double>(terms);
    if (sparse) return vector(pairs) + count * prices_.sparse_term * pairs.element_vertices;
    return vector(pairs) + prices_.element_walked * pairs.element_vertices + prices_.row_walked * pairs.row_pairs +
           count * per_rank(pairs);
  }

  /// The largest rank at which dense factors cost less than `other`.
  std::size_t largest_rank(double other) const {
    const double left = (other - factored(0, false)) / per_rank(mean_);
    return left > 0 ? static_cast<std::size_t>(left) : 0;
  }

  /// The closed form of a pair, with its share of the decompositions.
  double closed_form() const {
    return prices_.eigenvalue_pair * mean_.vertex_pairs + prices_.decomposition * mean_.vertex_cubes;
  }

  /// The price of κe for a pair of elements.
  double element_price(const LoweredKernel& edge) const {
    if (edge.constant() || edge.record_count == 0) return prices_.constant;
    if (edge.tabulated()) return prices_.table + prices_.table_label * static_cast<double>(edge.record_count);
    if (edge.square_exponential()) return prices_.square_exponential;
    if (prices_.exponential_sum > 0 && detail::exponential_sum(edge)) return prices_.exponential_sum;
    return prices_.program_step * static_cast<double>(edge.program.size());
  }

 private:
  double vector(const PairSums& pairs) const { return prices_.vector * pairs.vertex_pairs; }

  double per_rank(const PairSums& pairs) const {
    return prices_.factor * pairs.element_vertices + prices_.factor_transposed * pairs.row_pairs;
  }

  LoweringPrices prices_;
  PairSums mean_;  ///< divided by the pairs
};

}  // namespace octile::plan
