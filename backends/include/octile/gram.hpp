// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/accuracy.hpp>
#include <octile/backends.hpp>
#include <octile/graph.hpp>
#include <octile/interruption.hpp>
#include <octile/lowerings.hpp>
#include <octile/orders.hpp>
#include <octile/precision.hpp>
#include <octile/primitives.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octile {

/// The progress of a Gram matrix, reported between batches of pairs on the
/// thread that called `gram`. No number in it ever decreases.
struct Progress {
  std::size_t pairs_done = 0;   ///< pairs that were solved, those solved again counted again
  std::size_t pairs_total = 0;  ///< grows by the pairs that will be solved again, as they are found
  double seconds = 0;           ///< since the first pair was begun
  double work_done = 0;         ///< fraction of all pairs' work by the cost model, in [0, 1]
};

/// How a set is solved.
struct GramOptions {
  BackendId backend = BackendId::automatic;  ///< where pairs are solved (backends.hpp)
  Primitive primitive{};                     ///< how the XMV is formed (primitives.hpp)
  Lowering lowering = Lowering::automatic;   ///< how the edge kernel is evaluated (lowerings.hpp)
  std::size_t memory = default_memory;       ///< the most bytes for the set and the work space together
  /// The order of the vertices while solving; some orders leave fewer octiles than others. Results are always in the
  /// caller's order, and equal within the tolerance. `automatic` reorders if the primitive reads octiles and the
  /// set is large enough for that to pay (set_order.hpp).
  reorder::OrderId order = reorder::OrderId::automatic;
  std::uint64_t order_seed = 1;  ///< of the random choices of an order; equal seeds give equal orders
  int reorder_threads = 0;       ///< threads that reorder, 0 for one a core; solvers use Kokkos' threads
  /// How wrong values may be. If it is set, precision and tolerances follow from it, and every value is returned with a
  /// bound of its error (`PairResult::error_bound`). If not, pairs are solved to the residual `solve.tolerance`.
  std::optional<Accuracy> accuracy{};
  /// The precision of the solves. By default float64, or with an accuracy what is fastest; with an accuracy float32 is the
  /// precision to begin with.
  std::optional<Precision> precision{};
  SolveOptions solve{};  ///< the residual to reach, unless an accuracy is set, and the most iterations of a pair
  /// Solves pairs that rounding stopped (`stagnated`, `breakdown`) once more in float64 by iterations. These are pairs
  /// of float32, and pairs of the closed form unless it was asked for by name. Their number is reported.
  bool refine = true;
  bool normalize = false;  ///< asks for K_ij / √(K_ii K_jj)
  /// Called once, before the first pair, with what the solver chose and how much memory the set takes.
  std::function<void(const std::string&)> on_start{};
  /// Called now and then while the graphs are reordered, with the number done and the number of all. If it returns
  /// false, `gram` stops and throws `Interrupted`.
  std::function<bool(std::size_t, std::size_t)> on_reorder{};
  /// Called many times while the set is prepared and its matrix written, from the thread that called `gram`. If it
  /// returns false, `gram` stops and throws `Interrupted`.
  std::function<bool()> on_prepare{};
  /// Called between batches. If it returns false, `gram` stops and throws `Interrupted`.
  std::function<bool(const Progress&)> on_progress{};
};

/// In which order the vertices of a set were solved, and what that saved.
struct UsedOrder {
  reorder::OrderId id = reorder::OrderId::natural;  ///< never `automatic` but what that chose
  std::int64_t natural_tiles = 0;  ///< non-empty octiles of all graphs in the given order; 0 unless reordered
  std::int64_t tiles = 0;          ///< non-empty octiles in the order of the solve; 0 unless reordered
  double seconds = 0;              ///< spent on reordering
};

/// The Gram matrix of a set, with the result of every pair.
struct GramResult {
  std::size_t size = 0;           ///< number of graphs N
  std::vector<double> values;     ///< N×N row major, exactly symmetric; normalised if asked
  std::vector<PairResult> pairs;  ///< pair (i ≤ j) at `pair_index(i, j, N)`; values not normalised
  std::size_t refined = 0;        ///< pairs solved once more in float64, or further
  UsedOrder order{};              ///< of the vertices, while solving
  double setup_seconds = 0;       ///< validation of labels, packing, copies; without reordering
  double solve_seconds = 0;       ///< from the first pair to the finished values
  std::string description;        ///< the solver's choices
};

/// The index of pair (i, j), i ≤ j, of N graphs in the upper triangle packed row by row.
constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t size) {
  return i * size - i * (i + 1) / 2 + j;
}

/// How many pairs i ≤ j there are of N graphs.
constexpr std::size_t pair_count(std::size_t size) { return size * (size + 1) / 2; }

/// Bounds of the relative errors of a matrix, N×N: |value − exact| ≤ bound · exact, infinite where nothing is certain. Of a
/// normalised matrix they follow from those of K_ij, K_ii and K_jj; its diagonal is exact.
std::vector<double> error_bounds(const GramResult& result, bool normalized);

/// The largest of these bounds.
double largest_error(const GramResult& result, bool normalized);

/// The Gram matrix K_ij = K(G_i, G_j) of a set; each pair is solved once.
/// With `normalize`, K_ij / √(K_ii K_jj) in double. A pair that did not converge
/// keeps its value and its status in `pairs`.
/// Throws `Error` for an empty set, for a label that a kernel needs and a graph
/// lacks or has in another type, and for a backend that this build lacks.
GramResult gram(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options = {});

/// Node-wise similarity of one pair: x_ii' of the solution, row major n×m, with
/// K = Σ p_i p'_i' x_ii'. With a shortest walk of 1, x_ii' − q² κv(i, i').
struct NodewiseResult {
  PairResult pair;                 ///< K, never normalised, its status, iterations and residual
  std::vector<double> similarity;  ///< n·m values
  /// Bounds of their errors, n·m: |value − exact| ≤ bound, infinite where nothing is certain. Empty unless the accuracy is a proven one.
  std::vector<double> errors{};
};

/// The node-wise similarity of two graphs. Throws as `gram` does.
NodewiseResult nodewise(const Graph& first, const Graph& second, const KernelSpec& kernel,
                        const GramOptions& options = {});

}  // namespace octile
