// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/launch.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/pairs/system.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// Solutions in double, by solves in float that are corrected: x ← x + S⁻¹ (b − S x), with the residual formed in double.
namespace octile::portable {

/// Stands for the vertex kernel of a system whose 1/κv lie in memory.
struct NoVertexKernel {};

/// What a correction leaves for the next solve in float: the residuals in the scale of that solver's weights, in the places of x, and for
/// each pair the power of two that brings the largest r / D× near 1; 0 where nothing is left.
struct LeftToSolve {
  float* residuals;
  double* scales;
};

/// Adds what a solve in float has found to the solutions of some pairs, a team each, and holds them against the tolerance. Pairs that
/// have converged are left alone; so are those that the solve in float left out, which are a `breakdown` without an iteration there, and stay
/// one. A pair that takes more iterations in all than are allowed does not converge here.
///
/// `Rows` are the graphs as compressed rows (`PreparedGraphs::Rows`). `weight_of(graph)` is what the solver in float multiplies weights by.
template <class Set, class Rows, class EdgeKernel, class Scale, class Taker>
struct CorrectSolutions {
  using MemorySpace = typename Set::memory_space;

  Set set;
  Rows rows;
  const double* reciprocals;  ///< 1/κv, in the places of x
  EdgeKernel edge_kernel;
  Scale weight_of;
  const Pair* pairs;        ///< of this chunk
  const PairResult* found;  ///< of the solves in float
  PairResult* results;
  double* solutions;    ///< x, `stride` numbers a pair
  double* corrections;  ///< what the solves in float found, in the same places; taken for the residuals
  std::size_t stride;
  LeftToSolve left;
  bool first;  ///< there is no x yet
  int number;  ///< of the chunk's first pair among all
  SolveOptions options;
  Taker taker;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const PairResult solved = found[k];
    const bool left_out = solved.status == Status::breakdown && solved.iterations == 0;
    if (left_out || results[k].status == Status::converged) return;
    const Team<Member> team{member};
    const PairSystem<Set, NoVertexKernel> system(set, {}, pairs[k]);
    const int m = system.m;
    const int size = system.size();
    const double* const inverse_kappa = reciprocals + static_cast<std::size_t>(k) * stride;
    const auto diagonal_of = [&](int e) { return degrees(system, e) * inverse_kappa[e]; };
    double* const x = solutions + static_cast<std::size_t>(k) * stride;
    double* const r = corrections + static_cast<std::size_t>(k) * stride;
    team.for_each(size, [&](int e) { x[e] = first ? r[e] : x[e] + r[e]; });
    // {‖M⁻¹r‖², ‖M⁻¹b‖²}
    const TwoSums norms = team.sum(size, [&](int e, TwoSums& sums) {
      const int i = e / m;
      const int j = e - i * m;
      const double diagonal = diagonal_of(e);
      const double b = system.right_hand_side(i, j);
      const double residual = b - (diagonal * x[e] - product(system, i, j, x));
      r[e] = residual;
      const double z = residual / diagonal;
      const double start = b / diagonal;
      sums += TwoSums{z * z, start * start};
    });
    // {K, ‖x‖²}
    const TwoSums sums = team.sum(size, [&](int e, TwoSums& of) {
      of += TwoSums{system.value_weight(e / m, e % m, RightHandSide::stopping) * x[e], x[e] * x[e]};
    });
    // Infinite where a row is out of the range of double.
    const double worst = team.most(size, [&](int e) {
      const double diagonal = diagonal_of(e);
      const double b = system.right_hand_side(e / m, e % m);
      if (!within_range<double>(diagonal, b)) return Kokkos::Experimental::infinity_v<double>;
      return (Kokkos::abs(r[e]) + unit_roundoff * Kokkos::abs(diagonal * x[e])) / b;
    });
    const double goal = options.tolerance * options.tolerance * norms.second;
    const bool small = norms.first <= goal && unit_roundoff * unit_roundoff * sums.second <= goal;
    PairResult result = results[k];
    result.value = sums.first;
    result.residual = worst;
    result.iterations += solved.iterations;
    // Where it has not converged it is solved further, or by others.
    const bool sound =
        Kokkos::isfinite(worst) && sums.first >= least_value && goal >= Kokkos::Experimental::norm_min_v<double>;
    const bool ends = sound && small && result.iterations <= options.max_iterations;
    if (ends && taker.take(team, number + k, system, x)) result.status = Status::converged;
    if (ends) {
      Kokkos::single(Kokkos::PerTeam(member), [&] { left.scales[k] = 0; });
    } else {
      leave(member, team, system, k, r);
    }
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&] { results[k] = result; });
  }

 private:
  /// d_i d'_i'.
  template <class System>
  KOKKOS_INLINE_FUNCTION static double degrees(const System& system, int e) {
    return system.set.degrees(system.first_vertex + e / system.m) *
           system.set.degrees(system.second_vertex + e % system.m);
  }

  /// Σ_jj' A_ij A'_i'j' κe x_jj'.
  template <class System>
  KOKKOS_FUNCTION double product(const System& system, int i, int j, const double* x) const {
    const std::uint32_t row = system.first_vertex + static_cast<std::uint32_t>(i);
    const std::uint32_t column = system.second_vertex + static_cast<std::uint32_t>(j);
    const std::uint32_t end = rows.begin(row + 1);
    const std::uint32_t first_second = rows.begin(column);
    const std::uint32_t end_second = rows.begin(column + 1);
    double sum = 0;
    for (std::uint32_t e = rows.begin(row); e < end; ++e) {
      const std::uint32_t place = rows.places(e);
      const double* const of_row = x + static_cast<std::size_t>(rows.columns(e)) * static_cast<std::size_t>(system.m);
      double inner = 0;
      for (std::uint32_t f = first_second; f < end_second; ++f) {
        const std::uint32_t other = rows.places(f);
        inner += static_cast<double>(set.weights(other)) * edge_value<double>(set, edge_kernel, place, other) *
                 of_row[rows.columns(f)];
      }
      sum += static_cast<double>(set.weights(place)) * inner;
    }
    return sum;
  }

  /// Leaves the residual for another solve in float.
  template <class Member, class TeamOfPair, class System>
  KOKKOS_FUNCTION void leave(const Member& member, const TeamOfPair& team, const System& system, int k,
                             const double* r) const {
    const double scale = weight_of(system.first_graph) * weight_of(system.second_graph);
    const int size = system.size();
    const double most = team.most(size, [&](int e) { return Kokkos::abs(r[e]) / degrees(system, e); });
    const bool usual = most > 0 && Kokkos::isfinite(most);
    float* const to = left.residuals + static_cast<std::size_t>(k) * stride;
    team.for_each(size, [&](int e) { to[e] = static_cast<float>(scale * r[e]); });
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { left.scales[k] = usual ? Kokkos::exp2(-Kokkos::round(Kokkos::log2(most))) : 1.0; });
  }
};

/// Takes the solutions of pairs that a solver in float has found to where they are asked for.
template <class Set, class Taker>
struct TakeSolutions {
  Set set;
  const Pair* pairs;
  PairResult* results;
  const double* solutions;
  std::size_t stride;
  int number;  ///< of the first pair among all
  Taker taker;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    if (results[k].status == Status::breakdown) return;
    const Team<Member> team{member};
    const PairSystem<Set, NoVertexKernel> system(set, {}, pairs[k]);
    const bool taken = taker.take(team, number + k, system, solutions + static_cast<std::size_t>(k) * stride);
    member.team_barrier();
    if (!taken) Kokkos::single(Kokkos::PerTeam(member), [&] { results[k].status = Status::breakdown; });
  }
};

}  // namespace octile::portable
