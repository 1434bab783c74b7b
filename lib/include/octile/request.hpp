// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace octile {

class ExactSet;

/// Which of the two systems of a pair is solved. Both have the matrix S = D× V×⁻¹ − A× ⊙ E×, which is symmetric, and
/// both give K.
enum class RightHandSide : std::int32_t {
  stopping,  ///< S x = b, b = D× q×: x is the node-wise similarity, and K = p×ᵀ x
  starting,  ///< S y = p×, the adjoint system: K = bᵀ y; on an isolated vertex y depends on its d (stopping.hpp), b_k y_k not
};

/// Which derivatives are asked for.
enum class Derivatives : std::int32_t {
  not_asked,
  each,      ///< of every pair: pairs × parameters numbers
  weighted,  ///< Σ weight · ∂K of all pairs, summed where they are formed: a number for each parameter
};

/// Derivatives of a weighted sum of values by what the graphs of a set hold, graph after graph, with their vertices and edges in
/// the order of `Graph`.
struct GraphDerivatives {
  std::vector<std::size_t> vertex_begin{0};  ///< graphs + 1
  std::vector<std::size_t> edge_begin{0};    ///< graphs + 1
  std::vector<double> starting;              ///< by the starting weight p_i of each vertex
  std::vector<double> edge_weights;          ///< by the weight A_ij = A_ji of each edge
  /// By a number that the edge kernel reads of each edge, such as its length; empty if none was named.
  std::vector<double> edge_numbers;
};

/// A request to a solver.
struct Request {
  std::span<const Pair> pairs;                              ///< which pairs; results are in this order
  RightHandSide right_hand_side = RightHandSide::stopping;  ///< which system is solved; where K is certified, both are
  /// Where the solution of each pair, n·m values row major, begins in `Answer::nodewise`; solutions must not overlap.
  /// Empty if only K is asked for.
  std::span<const std::size_t> nodewise_begin{};
  /// Asks for derivatives of K by every parameter of the kernel (parameters.hpp).
  Derivatives derivatives = Derivatives::not_asked;
  /// A weight for each pair, for `Derivatives::weighted`.
  std::span<const double> weights{};
  /// Asks, with solutions, for the derivatives of Σ w x of each pair, not of K: a weight w, of any sign, for each number of the solutions, in the
  /// places where these stand in `Answer::nodewise`. It takes another solve, S Y = w, however many parameters there are.
  std::span<const double> node_weights{};
  /// The attribute of edges for `Answer::by_graphs`, of which the edge kernel reads the numbers; or empty.
  std::string_view edge_attribute{};
  /// Asks for K certified: both systems are solved, and the residuals formed in double from this set, which has the graphs
  /// of the solver and must outlive it. The results have the corrected value and a bound of its error (certificate.hpp). Allowed
  /// where the solver `certifies`, without solutions. Derivatives may be asked for of each pair, from walks of any length, if the set
  /// `differentiates`: by the parameters of its kernel.
  const ExactSet* certify = nullptr;
  /// The accuracy that a certified value is to have. A solver may use a cheaper proof that suffices for nearly all pairs of its set, and may
  /// first solve to a looser tolerance, which leaves more pairs over. 0 forbids both.
  double accuracy = 0;
  /// What certified derivatives may be off by, as `Answer::derivative_errors` has it, where a cheaper proof is used.
  double derivative_error = 0;
  /// How often a certified pair's solutions are corrected by solves for their residuals before the value is formed.
  int corrections = 0;
  /// A certified pair's systems, and those of its corrections, are solved to this times the solver's tolerance; more than 1 is allowed.
  double share_of_tolerance = 1;
  /// Whether certified pairs are what an earlier round left: few, so that many threads certify each.
  bool left_over = false;
  /// Asks for K alone, by this round of a solver that has several (`PairSolver::rounds`), whatever the pairs still lack then. Without it
  /// the solver goes through all rounds that they need.
  std::optional<std::size_t> round{};
};

/// Where the answer goes, in host memory.
struct Answer {
  std::span<PairResult> results;  ///< one a pair
  std::span<double> nodewise{};   ///< the solutions, x or y, if they are asked for
  /// The derivatives, if they are asked for: pairs × parameters, row major, or one row, to which the sum is added.
  std::span<double> derivatives{};
  /// With certified derivatives, one a pair: what they are off by, about, relative to K / parameter.
  std::span<double> derivative_errors{};
  /// If given, where derivatives are asked for and pairs have weights: the derivatives of Σ weight · K by what the graphs hold are
  /// added here, to numbers for all graphs of the solver.
  GraphDerivatives* by_graphs = nullptr;
  /// If given, called by the thread that asked with `begin` and `end` as soon as the results of pairs begin … end − 1 are final, perhaps while a
  /// device works on later ones. All pairs have been reported when the solve ends. A solver that restarts reports its results again.
  std::function<void(std::size_t begin, std::size_t end)> arrived{};
};

}  // namespace octile
