// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_size.hpp>
#include <octile/precision.hpp>

#include <array>
#include <cstddef>

// The one list of prices: what was measured of how long things take, by which one way is chosen before another, and the break-evens
// that follow from such measurements. Each says its unit, what it is multiplied by, and where it was measured, as far as that was kept. What makes a cost of
// prices and sizes stands where the choice is made (plan/costs.hpp, cuda/plan/choice.cpp, cost_model.hpp). Numbers of instructions that
// are counted, and not measured, stand beside what they count (cuda/layout/lane_slices.hpp), as do limits of memory and of error.
namespace octile {

// Solves.

/// The vector work of an element n m of a CG iteration, in pairs of edges by a tabulated κe (CPU core). It sorts pairs by cost.
inline constexpr double vector_in_edge_pairs = 2;

/// Nanoseconds of a CPU core, or of a whole GPU, for the parts of the lowerings. Only their ratios matter for the choice.
/// Each comment says what the price is multiplied by.
struct LoweringPrices {
  double vector;              ///< n m: CG's vectors
  double constant;            ///< nnz nnz', κe constant
  double table;               ///< nnz nnz', κe looked up in a small table
  double table_label;         ///< nnz nnz' and the labels of the table: a row of many is read from farther away
  double square_exponential;  ///< nnz nnz', κe one exponential
  double program_step;        ///< nnz nnz' and the instructions of κe's program
  double exponential_sum;     ///< nnz nnz', κe a sum of few exponentials; 0: it is run as a program
  double factor;              ///< rank (nnz m + n nnz')
  double factor_transposed;   ///< rank and n m of rows with elements: T is written transposed
  double element_walked;      ///< nnz m + n nnz', for any rank
  double row_walked;          ///< n m of rows with elements, for any rank
  double sparse_term;         ///< terms (nnz m + n nnz')
  double eigenvalue_pair;     ///< n m, the closed form of a pair
  double decomposition;       ///< n³, the closed form's decomposition of a graph, once
};

/// The prices of the portable products in a precision, of a CPU core (bench/results). The closed form is in double in both.
constexpr LoweringPrices lowering_prices(Precision precision) {
  if (precision == Precision::float32) return {3.0, 2.5, 2.4, 0, 4.5, 6.7, 0, 0.033, 0.15, 0.17, 1.1, 0.8, 0.95, 1.0};
  return {3.0, 3.0, 2.1, 0, 6.5, 6.4, 0, 0.062, 0.2, 0.25, 0.7, 0.8, 0.95, 1.0};
}

/// The prices of the native products, of a whole H200. They are fitted to iterations of 48 sets of 24 to 96 vertices and degrees of
/// 2 to 12 (bench/results), and to 160 decompositions of 96 vertices. Factors are priced by sparse products.
inline constexpr LoweringPrices native_prices{.vector = 5.5e-3,
                                              .constant = 3.6e-4,
                                              .table = 4.1e-4,
                                              .table_label = 1.7e-6,
                                              .square_exponential = 4.9e-4,
                                              .program_step = 3e-3,
                                              .exponential_sum = 1e-3,
                                              .factor = 7.6e-5,
                                              .factor_transposed = 4.1e-4,
                                              .element_walked = 6.4e-5,
                                              .row_walked = 1e-4,
                                              .sparse_term = 1,
                                              .eigenvalue_pair = 4.5e-3,
                                              .decomposition = 1.4e-2};

/// Such prices for pairs that are larger than the tiers of native factored products (H200).
constexpr LoweringPrices beyond_tiers(LoweringPrices prices) {
  prices.factor = 2.6e-4;
  prices.factor_transposed = 5.3e-4;
  prices.element_walked = 0;
  prices.row_walked = 8.4e-4;
  return prices;
}

/// Nanoseconds of one iteration of a pair by a native dense product, which depends on the pair's tier only.
struct DensePrice {
  double constant;  ///< one factor, the same for all edges of a graph
  double first;     ///< several factors: without regard to their number,
  double factor;    ///< plus this for each factor
};

/// Of the tiers of such products for graphs of up to 32, 64 and 96 vertices, of a whole H200.
inline constexpr std::array<DensePrice, 3> dense_prices{{{.constant = 6.8, .first = 6.8, .factor = 1.9},
                                                         {.constant = 14, .first = 33, .factor = 5.4},
                                                         {.constant = 52, .first = 91, .factor = 16}}};

/// The iterations with which the closed form is compared. Seven is the least that was seen (bench/results), two
/// products are added at the start and the end, and most pairs take more.
inline constexpr double fewest_iterations = 10;

/// The sum of the mean degrees of G and G' from which a native dense product costs less than one along edges. Measured for an
/// iteration of 12,880 pairs: 0.387 against 0.325 ms for a sum of 6, 0.40 against 0.59 ms for 25.
inline constexpr double dense_ends = 10;

/// Terms of a native product for an element from which 1,024 threads beat 512: more warps hide its latency. With few terms vectors
/// dominate, and fewer threads hold more of them in registers (H200: 5 terms 10.5 ms with 512, 12.0 with 1,024; 127: 64, 54).
inline constexpr double many_terms = 32;

/// How many terms of a sum over factors take the time of an exponential, in first products as sums on a GPU.
inline constexpr double terms_of_exponential = 3;

/// Distributed native products first solve to this many times the tolerance, if values are proven to `least_shared` or more: to solve
/// some pairs once more takes less than further iterations of all. A kernel for both systems ends by the product of their residuals, and is
/// fastest at the tolerance itself; so are all products for finer values (H200).
inline constexpr double distributed_share = 1.4;
inline constexpr double least_shared = 1e-8;

/// The fewest graphs of a set with starts from projected systems. A basis costs about one pair's solve and saves a tenth of each
/// solve with its graph.
inline constexpr std::size_t least_based = 32;

// Octiles.

/// How the adaptive primitive multiplies two octiles, by their populations: both up to `sparse`, sparse × sparse;
/// both above `dense`, dense × dense; else only the fuller one as dense.
struct AdaptiveThresholds {
  int sparse;
  int dense;
};

/// Populations at which the portable products cross over, measured on an AMD EPYC core and on an H200 (bench/results). With labels
/// each element costs a base kernel, so leaving out elements pays. Without, a CPU multiplies dense rows by vectors.
constexpr AdaptiveThresholds adaptive_thresholds(bool gpu, bool labelled) {
  if (gpu) return labelled ? AdaptiveThresholds{0, 28} : AdaptiveThresholds{0, 14};
  return labelled ? AdaptiveThresholds{octile_area, octile_area} : AdaptiveThresholds{12, octile_area};
}

/// Populations from which the native products take an octile as dense, measured on an H200 (bench/results). Dense × dense wins
/// from half the population that it takes in the portable backend, whose tiles cost barriers of the block.
constexpr AdaptiveThresholds native_thresholds(bool labelled) {
  return labelled ? AdaptiveThresholds{16, 16} : AdaptiveThresholds{0, 12};
}

/// Mean population of a set's octiles from which staging them pays on a GPU (H200, bench/results). Below it `rows` is faster.
inline constexpr double staged_population = 20;

// Orders of vertices.

/// Prices in nanoseconds of reordering a set and of the solves that it makes faster (docs/reordering.md).
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

// Proofs: N x and N y in double, by a walk over pairs of edges or by factors of κe.

/// Nanoseconds of a CPU core for both products (docs/notebook/2026-11.md).
struct WalkPrices {
  double looked_up;   ///< of a pair of edges in a walk, where κe is looked up
  double evaluated;   ///< or evaluated
  double multiplied;  ///< of a multiplication with a factor
};
inline constexpr WalkPrices walk_prices{.looked_up = 4, .evaluated = 9, .multiplied = 0.18};

/// Pairs of edges at a row of N x that take the time of 16 factors by tensor cores in double (H200).
inline constexpr double pairs_of_tile = 40;

/// Pairs of edges at a row of N x that take the time of a factor, for trials that are products of bases (H200).
inline constexpr double pairs_of_factor = 8;

/// Edges of a vertex that take the time of a term of factors: the only one, as of a constant κe, or one of several (H200).
constexpr double edges_of_term(bool only) { return only ? 2 : 4; }

/// Mean edges of a vertex from which factors pay too where few rows of a pair fit the scratch of a team, on a GPU.
inline constexpr double edges_for_few_rows = 4;

/// Mean edges of a vertex from which a walk by ends takes less than one by elements, even if κe is cheap, on a GPU.
inline constexpr double edges_for_walk_by_ends = 6;

// Rates that are assumed until they are measured, when pairs are solved within a budget.

/// Seconds of a unit of work: an upper bound for iterating solvers on one CPU core, where a unit is a product of two elements in
/// each of some 30 iterations (measured: 1e-8 to 3e-7).
inline constexpr double seconds_a_unit = 5e-7;

/// Seconds of a multiply-add of the reference.
inline constexpr double seconds_of_reference = 1e-9;

}  // namespace octile
