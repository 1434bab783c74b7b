// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_runner.hpp>
#include <octile/pair_solver.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/solve.hpp>

#include <span>

namespace octile {

/// Solves for the derivatives of Σ weight · value, each pair's being added where they are formed. `list` has the pairs of the
/// request, then those that `found.own` names; `found.results` has room for them.
///
/// Normalised, with L = Σ w_ij K_ij / √(K_ii K_jj): a pair's own weight is w_ij / √(K_ii K_jj), and K_ii has the weight
/// −½ Σ_j w_ij K̂_ij / K_ii over the pairs of graph i with another. So pairs (i, i) are solved first, and their derivatives
/// are kept to the end.
void solve_weighted(const PreparedSet& set, const SetRequest& request, std::span<const Pair> list, PairSolver& solver,
                    BatchRunner& runner, SetSolution& found);

}  // namespace octile
