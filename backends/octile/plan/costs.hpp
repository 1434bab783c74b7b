// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cost_model.hpp>
#include <octile/factors.hpp>
#include <octile/lowering.hpp>
#include <octile/precision.hpp>

#include <cstddef>
#include <span>

// All prices: those of the lowerings and of orders are here; native CUDA's, which are of its own products, in cuda/plan/.
// What orders the pairs of a schedule is no price but a ratio (cost_model.hpp).
namespace octile::plan {

/// Nanoseconds that a CPU core takes, or a whole GPU, as measured (bench/results), for what the lowerings do. It is their ratios that
/// decide.
struct LoweringPrices {
  double vector;              ///< CG's own work, an element n·m and iteration
  double constant;            ///< nnz nnz', κe constant
  double table;               ///< nnz nnz', κe looked up
  double square_exponential;  ///< nnz nnz', κe one exponential
  double program_step;        ///< nnz nnz' and instruction of a program
  double factor;              ///< rank (nnz m + n nnz')
  double factor_turned;       ///< rank and n m of rows with elements: T written across
  double element_walked;      ///< nnz m + n nnz', whatever the rank
  double row_walked;          ///< n m of rows with elements, whatever the rank
  double sparse_term;         ///< terms (nnz m + n nnz')
  double eigenvalue_pair;     ///< n m of the closed form
  double decomposition;       ///< n³ of the closed form, once a graph
};

/// The prices in a precision; the closed form is in double in either.
constexpr LoweringPrices lowering_prices(Precision precision) {
  if (precision == Precision::float32) return {3.0, 2.5, 2.4, 4.5, 6.7, 0.033, 0.15, 0.17, 1.1, 0.8, 0.95, 1.0};
  return {3.0, 3.0, 2.1, 6.5, 6.4, 0.062, 0.2, 0.25, 0.7, 0.8, 0.95, 1.0};
}

/// Nanoseconds of what reordering a set costs, and of what it saves, as measured (docs/reordering.md).
struct OrderPrices {
  double vertex;        ///< of the search, 1,500 proposals a vertex, on a CPU core
  double element_pair;  ///< nnz nnz' of an iteration by octiles
  double vector;        ///< n m of an iteration
  double iterations;    ///< of a solve
  double saved;         ///< the fraction of the solves that fewer octiles save
};

/// The prices for solves on a CPU core, or on a whole GPU, which is 300 times as fast, and of whose time more is the octiles'.
constexpr OrderPrices order_prices(bool on_gpu) {
  return on_gpu ? OrderPrices{1.2e5, 2.0 / 300, 6.0 / 300, 12, 0.4} : OrderPrices{1.2e5, 2, 6, 12, 0.05};
}

/// What the solves of a set cost under each lowering: nanoseconds of a core for the mean pair, for one iteration, or
/// whole for the closed form. By element and by factors any one pair, or some together, can be priced by the same formula.
class LoweringCosts {
 public:
  LoweringCosts(const CostModel& set, const LoweringPrices& prices) : prices_(prices), mean_(set.sums()) {
    for (double* sum :
         {&mean_.element_pairs, &mean_.element_vertices, &mean_.vertex_pairs, &mean_.row_pairs, &mean_.vertex_cubes}) {
      *sum /= mean_.pairs;
    }
  }

  /// Evaluating or looking up κe for each pair of elements.
  double by_element(const LoweredKernel& edge) const { return by_element(element_price(edge), mean_); }

  /// The same of other pairs, by the price of a pair of elements.
  double by_element(double price, const PairSums& pairs) const { return vector(pairs) + price * pairs.element_pairs; }

  /// Factors of so many terms a record.
  double factored(std::size_t terms, bool sparse) const { return factored(terms, sparse, mean_); }

  /// The same of other pairs.
  double factored(std::size_t terms, bool sparse, const PairSums& pairs) const {
    const double count = static_cast<double>(terms);
    if (sparse) return vector(pairs) + count * prices_.sparse_term * pairs.element_vertices;
    return vector(pairs) + prices_.element_walked * pairs.element_vertices + prices_.row_walked * pairs.row_pairs +
           count * per_rank(pairs);
  }

  /// The largest rank at which dense factors cost less than `other` does.
  std::size_t largest_rank(double other) const {
    const double left = (other - factored(0, false)) / per_rank(mean_);
    return left > 0 ? static_cast<std::size_t>(left) : 0;
  }

  /// A pair of the closed form, with its share of the decompositions.
  double closed_form() const {
    return prices_.eigenvalue_pair * mean_.vertex_pairs + prices_.decomposition * mean_.vertex_cubes;
  }

  /// Of κe for a pair of elements.
  double element_price(const LoweredKernel& edge) const {
    if (edge.constant() || edge.record_count == 0) return prices_.constant;
    if (edge.tabulated()) return prices_.table;
    if (edge.square_exponential()) return prices_.square_exponential;
    return prices_.program_step * static_cast<double>(edge.program.size());
  }

 private:
  double vector(const PairSums& pairs) const { return prices_.vector * pairs.vertex_pairs; }

  double per_rank(const PairSums& pairs) const {
    return prices_.factor * pairs.element_vertices + prices_.factor_turned * pairs.row_pairs;
  }

  LoweringPrices prices_;
  PairSums mean_;  ///< divided by the pairs
};

/// Iterations that an iterating lowering is counted with where it is weighed against one that does not iterate: seven is
/// the least that was seen (bench/results), two more products frame them, and most pairs take more.
inline constexpr double fewest_iterations = 10;

}  // namespace octile::plan
