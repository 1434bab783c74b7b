// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/parameters.hpp>
#include <octile/problem.hpp>
#include <octile/request.hpp>
#include <octile/set_order.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octile {

/// What is asked of each vertex of the pairs. With a shortest walk of 1, x_ii' stands for x_ii' − q² κv(i, i').
/// Vertices are in the order in which they were given.
enum class NodeOutput : std::int32_t {
  not_asked,
  pairs,  ///< x_ii' of each vertex pair, n·m numbers, row major: K = Σ p_i p'_i' x_ii'
  first,  ///< Σ_i' p'_i' x_ii' for each vertex i of the first graph, n numbers a_i: K = Σ p_i a_i
};

/// What is asked of a set: of which pairs, and what of each.
struct SetRequest {
  /// Pairs of graphs by number, in any order; (i, j) and (j, i) may both be there. If not given, all pairs i ≤ j, row by row:
  /// pair (i, j) stands at `pair_index(i, j, N)`.
  std::optional<std::span<const Pair>> pairs{};
  /// Asks for K_ij / √(K_ii K_jj). The pairs (i, i) that this needs are solved too.
  bool normalize = false;
  /// Derivatives by every parameter of the kernel, of normalised values if they are.
  Derivatives derivatives = Derivatives::not_asked;
  /// One a pair, for `Derivatives::weighted`: asks for the derivatives of Σ weight · value.
  std::span<const double> weights{};
  /// With `Derivatives::weighted`: asks for the derivatives of that sum by what the graphs hold, too. Those by starting
  /// weights and by the weights of edges; if an attribute of the edges is named, of which the edge kernel reads numbers outside
  /// of a convolution, those by the numbers.
  bool by_graphs = false;
  std::string_view edge_attribute{};  ///< the name of that attribute, or empty
  /// Never normalised. With derivatives only if `node_weights` are given.
  NodeOutput nodes = NodeOutput::not_asked;
  /// A weight w, of any sign, for each number of `SetAnswer::nodes`, in its place. Derivatives are then those of F = Σ w · number
  /// of each pair, or with `Derivatives::weighted` of Σ F of all pairs, without `weights`. It takes one more solve a pair, however
  /// many parameters there are. Not by graphs, and not normalised.
  std::span<const double> node_weights{};
};

/// What was found, in the order of the pairs.
struct SetAnswer {
  std::vector<double> values;        ///< one a pair, normalised if asked
  std::vector<double> error_bounds;  ///< |value − exact| ≤ bound · exact; infinite where nothing is certain
  std::vector<PairResult> results;   ///< one a pair: K, never normalised, its status, iterations and residual
  /// For each pair (i, i) that was solved for the normalisation alone: i, and the result.
  std::vector<std::pair<std::int32_t, PairResult>> own{};
  std::vector<Parameter> parameters;       ///< of the kernel, if derivatives are asked for
  std::vector<double> derivatives;         ///< pairs × parameters, row major; or one row, the weighted sum
  GraphDerivatives by_graphs;              ///< if asked for; vertices and edges as `Graph` has them that was given
  std::vector<double> nodes;               ///< numbers of the vertices, pair after pair
  std::vector<std::size_t> nodes_begin{};  ///< where those of each pair begin, and their end: pairs + 1
  /// Bounds of the errors of `nodes`, one a number: |number − exact| ≤ bound, infinite where nothing is certain. Empty unless the accuracy
  /// is a proven one.
  std::vector<double> node_errors{};
  std::size_t refined = 0;   ///< pairs solved once more, in float64 or further
  double setup_seconds = 0;  ///< validation of labels, packing, copies
  double solve_seconds = 0;  ///< from the first pair to the finished values
  std::string description;   ///< the solver's choices
};

/// A set of graphs whose vertices are put in the order of a solve once, for any number of kernels and requests.
class PreparedSet {
 public:
  /// Orders the graphs as `options` say; `options.normalize` is not read, since requests ask for that. This keeps the graphs.
  /// Throws `Error` for an empty set, and as the order does; `Interrupted` as `gram` does.
  PreparedSet(std::vector<Graph>&& graphs, const GramOptions& options);
  /// Orders the graphs without keeping them: they must outlive this and stay as they are. Otherwise as the constructor
  /// that keeps them.
  PreparedSet(std::span<const Graph> graphs, const GramOptions& options);
  PreparedSet& operator=(PreparedSet&&) = delete;  // neither copied nor moved

  std::size_t size() const { return graphs_.size(); }  ///< the number of graphs N
  /// The graphs, with their vertices in the order of the solve.
  std::span<const Graph> graphs() const { return graphs_; }
  const CostModel& cost() const { return cost_; }           ///< of these graphs: what a pair costs to solve
  const UsedOrder& order() const { return ordered_.used; }  ///< which order that is, and what it saved
  const GramOptions& options() const { return options_; }   ///< as they were given; requests are solved by them
  /// The number that vertex k of a graph had before it was put in order.
  std::size_t given_vertex(std::int32_t graph, std::size_t k) const {
    return ordered_.orders.empty() ? k : static_cast<std::size_t>(ordered_.orders[static_cast<std::size_t>(graph)][k]);
  }

  /// The derivatives that belong to the graphs as they are solved, in the order of the vertices and edges of those given.
  GraphDerivatives in_given_order(GraphDerivatives solved) const;

  /// Solves. Throws `Error` for a pair of graphs that are not there, for weights of another number than the pairs, for
  /// an attribute that the edge kernel does not read so, and for derivatives with an accuracy that is not proven
  /// (without any it is `Accuracy{}`). Throws as `gram` does.
  SetAnswer solve(const KernelSpec& kernel, const SetRequest& request) const;

 private:
  GramOptions options_;
  std::vector<Graph> kept_;
  std::span<const Graph> graphs_;
  CostModel cost_;
  OrderedSet ordered_;
};

/// The pairs of a rectangle, row by row: each of `rows` with each of `columns`.
std::vector<Pair> rectangle(std::span<const std::int32_t> rows, std::span<const std::int32_t> columns);

}  // namespace octile
