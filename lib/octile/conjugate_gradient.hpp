// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// Two sums that are formed in one pass over the vectors. Always in double: a
/// dot product of a million floats is not.
struct TwoSums {
  double first = 0;
  double second = 0;
  KOKKOS_INLINE_FUNCTION TwoSums& operator+=(const TwoSums& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// The vectors of one solve, `size` elements each. The diagonal comes filled; x
/// is the result; the others are work space.
template <class Scalar>
struct CgVectors {
  const Scalar* diagonal;
  Scalar* x;
  Scalar* r;
  Scalar* p;
  Scalar* a;
};

/// Diagonal-preconditioned conjugate gradient for (M − N) x = b, M the diagonal
/// (= D× V×⁻¹), N the off-diagonal product (= A× ⊙ E×), over any team:
///
///     team.for_each(count, f)   f(k) for k in 0 … count−1, then a barrier
///     team.sum(count, f)        f(k, TwoSums& sums), every thread gets the sums
///     apply(p, a)               a ← N p, with a barrier before it returns
///     diagonal(k)               M_kk in double
///     right_hand_side(k)        b_k in double
///
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
template <class Team, class Apply, class Diagonal, class RightHandSide, class Scalar>
KOKKOS_FUNCTION PairResult conjugate_gradient(const Team& team, const Apply& apply, const Diagonal& diagonal,
                                              const RightHandSide& right_hand_side, int size,
                                              const CgVectors<Scalar>& v, const SolveOptions& options) {
  PairResult result;
  // r ← b − (M − N) x and p ← M⁻¹ r, returning {‖r‖², rᵀ M⁻¹ r}.
  const auto restart = [&](bool from_zero) {
    if (!from_zero) apply(v.x, v.a);
    return team.sum(size, [&](int k, TwoSums& sums) {
      double exact = right_hand_side(k);
      if (!from_zero) exact -= diagonal(k) * double(v.x[k]) - double(v.a[k]);
      const Scalar residual = static_cast<Scalar>(exact);
      const Scalar z = residual / v.diagonal[k];
      v.r[k] = residual;
      v.p[k] = z;
      sums += TwoSums{double(residual) * double(residual), double(residual) * double(z)};
    });
  };

  // (u ‖M x‖)²
  const auto rounding = [&] {
    constexpr double unit = 0.5 * double(Kokkos::Experimental::epsilon_v<Scalar>);
    return team
        .sum(size,
             [&](int k, TwoSums& sums) {
               const double term = unit * double(v.diagonal[k]) * double(v.x[k]);
               sums.first += term * term;
             })
        .first;
  };

  team.for_each(size, [&](int k) { v.x[k] = 0; });
  TwoSums now = restart(true);
  const double b_norm = now.first;
  const double target = options.tolerance * options.tolerance * b_norm;
  double confirmed = b_norm;  // ‖r‖² as last recomputed
  double rho = now.second;
  bool fresh = true;  // r was recomputed, not updated
  for (;;) {
    if (!Kokkos::isfinite(now.first) || !Kokkos::isfinite(rho)) {
      result.status = Status::breakdown;
      break;
    }
    if (now.first <= target) {
      if (!fresh) {
        now = restart(false);
        rho = now.second;
        fresh = true;
        if (now.first > target && now.first > 0.25 * confirmed) {
          result.status = Status::stagnated;
          break;
        }
        confirmed = now.first;
        continue;
      }
      const double unsure = rounding();
      result.status = unsure <= target ? Status::converged : Status::stagnated;
      now.first = Kokkos::max(now.first, unsure);
      break;
    }
    if (result.iterations >= options.max_iterations) {
      if (!fresh) {
        now = restart(false);
        fresh = true;
        if (now.first <= target) continue;
      }
      result.status = Status::iteration_limit;
      break;
    }
    // a ← (M − N) p, α ← ρ / pᵀ a
    apply(v.p, v.a);
    const double curvature = team.sum(size,
                                      [&](int k, TwoSums& sums) {
                                        const Scalar product = v.diagonal[k] * v.p[k] - v.a[k];
                                        v.a[k] = product;
                                        sums.first += double(v.p[k]) * double(product);
                                      })
                                 .first;
    if (!(curvature > 0)) {
      if (!fresh) now = restart(false);
      // In finite precision a residual of pure rounding loses its curvature too.
      result.status = Kokkos::isfinite(curvature) && now.first < b_norm ? Status::stagnated : Status::breakdown;
      break;
    }
    const Scalar alpha = static_cast<Scalar>(rho / curvature);
    // x ← x + α p, r ← r − α a, ρ' ← rᵀ M⁻¹ r
    now = team.sum(size, [&](int k, TwoSums& sums) {
      v.x[k] += alpha * v.p[k];
      const Scalar residual = v.r[k] - alpha * v.a[k];
      v.r[k] = residual;
      sums += TwoSums{double(residual) * double(residual), double(residual) * double(residual / v.diagonal[k])};
    });
    ++result.iterations;
    fresh = false;
    const Scalar beta = static_cast<Scalar>(now.second / rho);
    rho = now.second;
    if (now.first > target) {
      team.for_each(size, [&](int k) { v.p[k] = v.r[k] / v.diagonal[k] + beta * v.p[k]; });
    }
  }
  result.residual = Kokkos::sqrt(now.first / b_norm);
  return result;
}

}  // namespace octile
