// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// Two sums that are formed in one pass over the vectors.
template <class T>
struct Sums {
  using value_type = T;
  T first = 0;
  T second = 0;
  KOKKOS_INLINE_FUNCTION Sums& operator+=(const Sums& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// What a team's sums come to, always in double: a dot product of a million floats is not.
using TwoSums = Sums<double>;

/// The vectors of one solve. An index k is whatever the team hands out. The diagonal comes filled; x is the result;
/// the others are work space. The product reads p and writes a, which all threads of the team must see; the other
/// vectors are touched at k by none but the thread that is given k, so that a team may keep them in registers; a too,
/// where the product gives each thread its own elements. The diagonal is only read, and may be computed.
template <class T, class Own = T*, class Shared = T*, class Diagonal = Own, class Solution = Own, class Product = Shared>
struct CgVectors {
  using Scalar = T;
  Diagonal diagonal;
  Solution x;
  Own r;
  Shared p;
  Product a;
};

/// Diagonal-preconditioned conjugate gradient for (M − N) x = b, M the diagonal
/// (= D× V×⁻¹), N the off-diagonal product (= A× ⊙ E×), over any team:
///
///     team.for_each(count, f)   f(k) for k in 0 … count−1, then a barrier
///     team.in_turn(count, f)    the same for an f that touches of the vectors only p and a, one k after the other
///     team.sum(count, f)        f(k, Team::Partial& sums), every thread gets the sums as TwoSums
///     team.quotient(a, b)       a / b, in Scalar and in double
///     apply()                   a ← N p, with a barrier before it returns; or
///     apply(slack)              the same, where slack is the square of tolerance ‖b‖ / ‖r‖, and 0 where nothing may
///                               be lost: how small the last residual is already, and so how exact N p has to be
///     diagonal(k)               M_kk in double
///     right_hand_side(k)        b_k in double
///
/// `Team::Partial` is `Sums` of the type in which one thread's share is summed.
/// Every thread of the team calls it and returns the same. The test is on the
/// recomputed residual: when the recurrence says ‖r‖ ≤ tolerance·‖b‖, r ← b −
/// (M − N) x is formed anew; if that is too large the iteration restarts from
/// it, and is `stagnated` once a restart fails to halve it.
///
/// A residual formed in Scalar is itself only known to about u ‖M x‖, u the unit
/// roundoff, and may be small by luck. A pair is `converged` only if that is
/// within the tolerance too; else it is `stagnated`, with that as its residual.
/// M is not rounded to Scalar in it. (The paper's listing adds N p; by its
/// equation it is subtracted.)
///
/// The product stands in one place, so that it is compiled into a kernel once:
///
///          ┌─► settled? ──yes──► end
///     r, p │      │ no
///          │      ├─ r is small by its recurrence: p ← x, a ← N p, r and p anew ─┐
///          │      └─ else: a ← N p, step along p ────────────────────────────────┤
///          └──────────────────────────────────────────────────────────────────────┘
template <class Team, class Apply, class Diagonal, class RightHandSide, class Vectors>
KOKKOS_INLINE_FUNCTION PairResult conjugate_gradient(const Team& team, const Apply& apply, const Diagonal& diagonal,
                                                     const RightHandSide& right_hand_side, int size, Vectors& v,
                                                     const SolveOptions& options) {
  using Scalar = typename Vectors::Scalar;
  using Partial = typename Team::Partial;
  using Part = typename Partial::value_type;
  const auto squares = [&](Scalar residual, Scalar z) {
    return Partial{Part(residual) * Part(residual), Part(residual) * Part(z)};
  };
  // With x in p, or x = 0 at the start: r ← b − (M p − a) and p ← M⁻¹ r, returning {‖r‖², rᵀ M⁻¹ r}.
  const auto residual_anew = [&](bool starts) {
    team.in_turn(size, [&](auto k) {
      const double applied = starts ? 0.0 : diagonal(k) * double(v.p[k]) - double(v.a[k]);
      v.a[k] = static_cast<Scalar>(right_hand_side(k) - applied);
    });
    return team.sum(size, [&](auto k, Partial& sums) {
      const Scalar residual = v.a[k];
      const Scalar z = team.quotient(residual, v.diagonal[k]);
      v.r[k] = residual;
      v.p[k] = z;
      sums += squares(residual, z);
    });
  };

  // (u ‖M x‖)²
  const auto rounding = [&] {
    constexpr double unit = 0.5 * double(Kokkos::Experimental::epsilon_v<Scalar>);
    return unit * unit *
           team.sum(size,
                    [&](auto k, Partial& sums) {
                      const Part term = Part(v.diagonal[k]) * Part(v.x[k]);
                      sums.first += term * term;
                    })
               .first;
  };

  PairResult result;
  team.for_each(size, [&](auto k) { v.x[k] = 0; });
  TwoSums now = residual_anew(true);
  const double b_norm = now.first;
  const double target = options.tolerance * options.tolerance * b_norm;
  double confirmed = b_norm;  // ‖r‖² as last recomputed
  double rho = now.second;    // rᵀ M⁻¹ r
  bool fresh = true;          // r was recomputed, not updated
  bool lost = false;          // the curvature is not positive
  for (;;) {
    const bool small = now.first <= target;
    const bool spent = result.iterations >= options.max_iterations;
    if (!Kokkos::isfinite(now.first) || !Kokkos::isfinite(rho)) {
      result.status = Status::breakdown;
      break;
    }
    if (fresh && lost) {
      // In finite precision a residual of pure rounding loses its curvature too.
      result.status = now.first < b_norm ? Status::stagnated : Status::breakdown;
      break;
    }
    if (fresh && small) {
      const double unsure = rounding();
      result.status = unsure <= target ? Status::converged : Status::stagnated;
      now.first = Kokkos::max(now.first, unsure);
      break;
    }
    if (fresh && spent) {
      result.status = Status::iteration_limit;
      break;
    }
    const bool check = small || spent || lost;
    if (check) team.for_each(size, [&](auto k) { v.p[k] = v.x[k]; });
    if constexpr (requires { apply(double()); }) {
      apply(check ? 0.0 : team.quotient(target, now.first));
    } else {
      apply();
    }
    if (check) {
      now = residual_anew(false);
      rho = now.second;
      fresh = true;
      if (small && now.first > target && now.first > 0.25 * confirmed) {
        result.status = Status::stagnated;
        break;
      }
      confirmed = now.first;
      continue;
    }
    // α ← ρ / pᵀ (M − N) p
    const double curvature = team.sum(size,
                                      [&](auto k, Partial& sums) {
                                        const Scalar p = v.p[k];
                                        sums.first += Part(p) * Part(v.diagonal[k] * p - v.a[k]);
                                      })
                                 .first;
    if (!(curvature > 0)) {
      if (!Kokkos::isfinite(curvature)) {
        result.status = Status::breakdown;
        break;
      }
      lost = true;
      continue;
    }
    const Scalar alpha = static_cast<Scalar>(team.quotient(rho, curvature));
    // x ← x + α p, r ← r − α (M − N) p, ρ' ← rᵀ M⁻¹ r
    now = team.sum(size, [&](auto k, Partial& sums) {
      const Scalar p = v.p[k];
      v.x[k] += alpha * p;
      const Scalar residual = v.r[k] - alpha * (v.diagonal[k] * p - v.a[k]);
      v.r[k] = residual;
      sums += squares(residual, team.quotient(residual, v.diagonal[k]));
    });
    ++result.iterations;
    fresh = false;
    const Scalar beta = static_cast<Scalar>(team.quotient(now.second, rho));
    rho = now.second;
    if (now.first > target) {
      team.for_each(size, [&](auto k) { v.p[k] = team.quotient(v.r[k], v.diagonal[k]) + beta * v.p[k]; });
    }
  }
  result.residual = Kokkos::sqrt(now.first / b_norm);
  return result;
}

}  // namespace octile
