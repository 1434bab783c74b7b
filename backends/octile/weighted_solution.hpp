// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_runner.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/solve.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace octile {

/// Derivatives of Σ weight · value over the pairs of a set, which come in lists, each pair's being added where they are formed.
///
/// Normalised, with L = Σ w_ij K_ij / √(K_ii K_jj): a pair's own weight is w_ij / √(K_ii K_jj), and K_ii has the weight
/// −½ Σ_j w_ij K̂_ij / K_ii over the pairs of graph i with another. So pairs (i, i) are solved first, and their derivatives
/// are kept to the end.
class WeightedSums {
 public:
  struct Asked {
    bool normalize = false;
    bool by_graphs = false;  ///< derivatives by what the graphs hold, too
    std::string_view edge_attribute{};
  };

  /// All must outlive this. The solver is for derivatives. Whoever gives pairs has announced them to the runner.
  WeightedSums(const PreparedSet& set, PairSolver& solver, BatchRunner& runner, const Asked& asked);

  /// Normalised, solves graphs with themselves: those of the list at these places. Before the pairs of these graphs with others.
  void add_own(std::span<const Pair> list, std::vector<std::size_t> places, std::span<PairResult> results);
  /// Solves the pairs of a list at these places, with the weights and results of the same places. Normalised, a graph with itself has
  /// no derivative and no place among them.
  void add(std::span<const Pair> list, std::vector<std::size_t> places, std::span<const double> weights,
           std::span<PairResult> results);
  /// Adds what the normalisation makes of all pairs, after the last of them.
  void finish();

  std::vector<double> by_parameters() { return std::move(by_parameters_); }
  GraphDerivatives by_graphs() { return std::move(by_graphs_); }

 private:
  /// Runs the pairs of a list at these places through `solve(pairs, answer, place)`.
  template <class Solve>
  void solve(std::span<const Pair> list, std::vector<std::size_t> places, std::span<PairResult> results,
             const Solve& solve);
  double scale(Pair pair) const;
  GraphDerivatives room_by_graphs() const;
  /// Solves for values and derivatives, and for those by what the graphs hold if they are asked for.
  void differentiate(Request request, std::span<PairResult> results, std::span<double> derivatives,
                     GraphDerivatives& by_graphs) const;

  const PreparedSet& set_;
  PairSolver& solver_;
  BatchRunner& runner_;
  Asked asked_;
  std::size_t parameters_;
  std::vector<double> scales_;         ///< 1 / √K_ii of each graph
  std::vector<double> of_own_;         ///< graphs × parameters, the derivatives of K_ii
  GraphDerivatives of_own_by_graphs_;  ///< those of graph i are those of K_ii
  std::vector<double> own_weights_;    ///< of K_ii, times K_ii
  std::vector<double> by_parameters_;
  GraphDerivatives by_graphs_;
};

/// Solves for the derivatives of a request. `list` has the pairs of the request, then those that `found.own` names; `found.results` has
/// room for them.
void solve_weighted(const PreparedSet& set, const SetRequest& request, std::span<const Pair> list, PairSolver& solver,
                    BatchRunner& runner, SetSolution& found);

}  // namespace octile
