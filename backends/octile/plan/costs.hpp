// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/factors.hpp>
#include <octile/lowering.hpp>
#include <octile/precision.hpp>

#include <cstddef>
#include <span>

// The prices of lowerings and orders. Native CUDA has prices of its own products in cuda/plan/. A schedule sorts pairs
// by a ratio of costs and not by prices (cost_model.hpp).
namespace octile::plan {

/// Nanoseconds of a CPU core, or of a whole GPU, for the parts of the lowerings, as measured (bench/results). Only
/// their ratios matter for the choice. Each comment says what the price is multiplied by.
struct LoweringPrices {
  double vector;              ///< n m: CG's vectors
  double constant;            ///< nnz nnz', κe constant
  double table;               ///< nnz nnz', κe looked up in a small table
  double table_label;         ///< nnz nnz' and the labels of the table: a row of many is read from farther away
  double square_exponential;  ///< nnz nnz', κe one exponential
  double program_step;        ///< nnz nnz' and the instructions of κe's program
  double factor;              ///< rank (nnz m + n nnz')
  double factor_transposed;   ///< rank and n m of rows with elements: T is written transposed
  double element_walked;      ///< nnz m + n nnz', for any rank
  double row_walked;          ///< n m of rows with elements, for any rank
  double sparse_term;         ///< terms (nnz m + n nnz')
  double eigenvalue_pair;     ///< n m, the closed form of a pair
  double decomposition;       ///< n³, the closed form's decomposition of a graph, once
};

/// The prices in a precision. The closed form is in double in both.
constexpr LoweringPrices lowering_prices(Precision precision) {
  if (precision == Precision::float32) return {3.0, 2.5, 2.4, 0, 4.5, 6.7, 0.033, 0.15, 0.17, 1.1, 0.8, 0.95, 1.0};
  return {3.0, 3.0, 2.1, 0, 6.5, 6.4, 0.062, 0.2, 0.25, 0.7, 0.8, 0.95, 1.0};
}

/// Prices in nanoseconds of reordering a set and of the solves that it makes faster, as measured (docs/reordering.md).
struct OrderPrices {
  double vertex;        ///< the search, with 1,500 proposals a vertex, on a CPU core: for each vertex
  double element_pair;  ///< an iteration by octiles: for nnz nnz'
  double vector;        ///< an iteration: for n m
  double iterations;    ///< the iterations of a solve
  double saved;         ///< the fraction of a solve's time that fewer octiles save
};

/// The prices for a CPU core, or for a whole GPU: it is 300 times as fast and spends a larger part of its time on octiles.
constexpr OrderPrices order_prices(bool on_gpu) {
  return on_gpu ? OrderPrices{1.2e5, 2.0 / 300, 6.0 / 300, 12, 0.4} : OrderPrices{1.2e5, 2, 6, 12, 0.05};
}

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

/// The iterations with which the closed form is compared. Seven is the least that was seen (bench/results), two
/// products are added at the start and the end, and most pairs take more.
inline constexpr double fewest_iterations = 10;

}  // namespace octile::plan
