// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

namespace octile {

/// The vectors of one solve. The team defines what an index k is. The diagonal is input, x is the result, and the
/// others are work space. The product reads p and writes a, which all threads of the team must see. Element k of the
/// other vectors is used only by the thread that is given k, so a team may keep them in registers.
template <class T, class Distributed = T*, class Shared = T*>
struct CgVectors {
  using Scalar = T;
  Distributed diagonal;
  Distributed x;
  Distributed r;
  Shared p;
  Shared a;
};

/// The steps of `iterate` over plain vectors, by any team:
///
///     team.for_each(count, f)   f(k) for k in 0 … count−1, then a barrier
///     team.in_turn(count, f)    optional: the same, one k after the other, for an f that uses no other vectors than p and a
///     team.sum(count, f)        f(k, Team::Partial& sums), every thread gets the sums as TwoSums
///     team.most(count, f)       the largest f(k) ≥ 0, in double, to every thread
///     team.quotient(a, b)       a / b, in Scalar and in double
///     apply()                   a ← N p, with a barrier before it returns
///     diagonal(k)               M_kk in double, with which the residual is recomputed
///     right_hand_side(k)        b_k in double
///
/// `Team::Partial` is `Sums` of the type in which one thread's share is summed.
template <class Team, class Apply, class Diagonal, class RightHandSide, class Vectors>
class VectorSteps {
 public:
  using Scalar = typename Vectors::Scalar;
  using Real = double;
  static constexpr Real guess_margin = 0.8;
  static constexpr bool starts = false;

  KOKKOS_FUNCTION VectorSteps(const Team& team, const Apply& apply, const Diagonal& diagonal,
                              const RightHandSide& right_hand_side, int size, Vectors& vectors)
      : team_(team),
        apply_(apply),
        diagonal_(diagonal),
        right_hand_side_(right_hand_side),
        size_(size),
        vectors_(vectors) {}

  KOKKOS_FORCEINLINE_FUNCTION TwoSums begin() {
    auto& v = vectors_;
    team_.for_each(size_, [&](auto k) { v.x[k] = 0; });
    in_turn([&](auto k) { v.a[k] = static_cast<Scalar>(right_hand_side_(k)); });
    return start_from_a();
  }

  KOKKOS_FORCEINLINE_FUNCTION void apply(double) { apply_(); }

  KOKKOS_FORCEINLINE_FUNCTION double curvature() {
    auto& v = vectors_;
    return team_
        .sum(size_,
             [&](auto k, Partial& sums) {
               const Scalar p = v.p[k];
               sums.first += Part(p) * Part(v.diagonal[k] * p - v.a[k]);
             })
        .first;
  }

  KOKKOS_FORCEINLINE_FUNCTION TwoSums step(Scalar alpha) {
    auto& v = vectors_;
    return team_.sum(size_, [&](auto k, Partial& sums) {
      const Scalar residual = v.r[k] - alpha * (v.diagonal[k] * v.p[k] - v.a[k]);
      v.r[k] = residual;
      sums += squares(residual, team_.quotient(residual, v.diagonal[k]));
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void advance(Scalar alpha, Scalar beta) {
    auto& v = vectors_;
    team_.for_each(size_, [&](auto k) {
      const Scalar p = v.p[k];
      v.x[k] += alpha * p;
      v.p[k] = team_.quotient(v.r[k], v.diagonal[k]) + beta * p;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void settle(Scalar alpha) {
    auto& v = vectors_;
    team_.for_each(size_, [&](auto k) {
      const Scalar x = v.x[k] + alpha * v.p[k];
      v.x[k] = x;
      v.p[k] = x;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave(Scalar alpha) { settle(alpha); }

  KOKKOS_FORCEINLINE_FUNCTION TwoSums recompute() {
    auto& v = vectors_;
    in_turn([&](auto k) {
      v.a[k] = static_cast<Scalar>(right_hand_side_(k) - (diagonal_(k) * double(v.p[k]) - double(v.a[k])));
    });
    return start_from_a();
  }

  KOKKOS_FORCEINLINE_FUNCTION double norm() {
    auto& v = vectors_;
    return team_.sum(size_, [&](auto k, Partial& sums) { sums.first += Part(v.x[k]) * Part(v.x[k]); }).first;
  }

  KOKKOS_FORCEINLINE_FUNCTION double worst() {
    auto& v = vectors_;
    return team_.most(size_, [&](auto k) {
      const double b = right_hand_side_(k);
      const double r =
          Kokkos::abs(double(v.r[k])) + unit_roundoff_of<Scalar> * Kokkos::abs(diagonal_(k) * double(v.x[k]));
      return r > 0 ? r / b : 0.0;  // in padding r and b are 0
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION double quotient(double a, double b) const { return team_.quotient(a, b); }

  KOKKOS_FORCEINLINE_FUNCTION void keep(const Bounds<double>& bounds) { bounds_ = bounds; }
  KOKKOS_FORCEINLINE_FUNCTION const Bounds<double>& bounds() const { return bounds_; }

 private:
  using Partial = typename Team::Partial;
  using Part = typename Partial::value_type;

  KOKKOS_FORCEINLINE_FUNCTION static Partial squares(Scalar residual, Scalar z) {
    return Partial{Part(z) * Part(z), Part(residual) * Part(z)};
  }

  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION void in_turn(const Function& function) {
    if constexpr (requires { team_.in_turn(size_, function); }) {
      team_.in_turn(size_, function);
    } else {
      team_.for_each(size_, function);
    }
  }

  /// r ← a, p ← M⁻¹ r.
  KOKKOS_FORCEINLINE_FUNCTION TwoSums start_from_a() {
    auto& v = vectors_;
    return team_.sum(size_, [&](auto k, Partial& sums) {
      const Scalar residual = v.a[k];
      const Scalar z = team_.quotient(residual, v.diagonal[k]);
      v.r[k] = residual;
      v.p[k] = z;
      sums += squares(residual, z);
    });
  }

  const Team& team_;
  const Apply& apply_;
  const Diagonal& diagonal_;
  const RightHandSide& right_hand_side_;
  int size_;
  Vectors& vectors_;
  Bounds<double> bounds_{};
};

/// Conjugate gradient over plain vectors (see `VectorSteps`).
template <class Team, class Apply, class Diagonal, class RightHandSide, class Vectors>
KOKKOS_FORCEINLINE_FUNCTION PairResult conjugate_gradient(const Team& team, const Apply& apply,
                                                          const Diagonal& diagonal,
                                                          const RightHandSide& right_hand_side, int size,
                                                          Vectors& vectors, const SolveOptions& options,
                                                          double tolerance) {
  VectorSteps<Team, Apply, Diagonal, RightHandSide, Vectors> steps(team, apply, diagonal, right_hand_side, size,
                                                                   vectors);
  return iterate<typename Vectors::Scalar>(steps, options, tolerance);
}

}  // namespace octile
