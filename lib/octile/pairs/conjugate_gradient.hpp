// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
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

/// A team's sums, in double, since a dot product of a million floats is not exact enough in float.
using TwoSums = Sums<double>;

/// What the norm of a residual, ‖M⁻¹r‖ beside ‖M⁻¹b‖, may be for the error of K to be estimated as `options.estimated_error`, where x takes one
/// more step (docs/mathematics.md, "An estimate instead"). For a pair of n·m `equations` that is 3/4 √(n·m) times the error, less where
/// degrees are uneven; at most 64 times, and at most 2 error^(3/4).
KOKKOS_INLINE_FUNCTION double estimated_tolerance(const SolveOptions& options, double equations) {
  constexpr double most = 64;
  const double error = options.estimated_error;
  const double by_equations = 0.75 * options.evenness * Kokkos::sqrt(equations);
  const double far = Kokkos::min(by_equations, 2 / Kokkos::sqrt(Kokkos::sqrt(error)));
  return error * Kokkos::max(Kokkos::min(far, most), 1.0);
}

/// What a pair of so many equations is solved to: `tolerance`, unless an error is estimated.
KOKKOS_INLINE_FUNCTION double tolerance_of(const SolveOptions& options, double tolerance, double equations) {
  return options.estimated_error > 0 ? estimated_tolerance(options, equations) : tolerance;
}

/// The squares that `iterate` compares with, in Real.
template <class Real>
struct Bounds {
  Real start;      ///< ‖M⁻¹b‖²
  Real target;     ///< the largest ‖M⁻¹r‖² that is small enough
  Real confirmed;  ///< ‖M⁻¹r‖² when r was last recomputed
  Real rho;        ///< rᵀ M⁻¹ r at the start
};

/// What an iteration has seen, bits of a number.
struct Seen {
  static constexpr unsigned fresh = 1;    ///< r is recomputed, not updated by the recurrence
  static constexpr unsigned missed = 2;   ///< a recomputed r was too large: aim at a quarter, by exact products
  static constexpr unsigned lost = 4;     ///< the curvature was not positive
  static constexpr unsigned guessed = 8;  ///< a speculative last step was not the last
};
/// The flags of `Seen` in one word. As a rule it is in a register, or is read back from memory at once where the
/// product leaves none.
struct SeenTogether {
  unsigned bits = 0;
  KOKKOS_INLINE_FUNCTION void begin() { bits = Seen::fresh; }
  KOKKOS_INLINE_FUNCTION bool has(unsigned any) const { return (bits & any) != 0; }
  KOKKOS_INLINE_FUNCTION void add(unsigned what) { bits |= what; }
  KOKKOS_INLINE_FUNCTION void remove(unsigned what) { bits &= ~what; }
};
/// The flags of `Seen` as bools, which the compiler keeps where it can: for steps whose product measured slower with
/// bits (`StripProduct`, on a GPU).
struct SeenApart {
  bool fresh = false;
  bool missed = false;
  bool lost = false;
  bool guessed = false;
  KOKKOS_INLINE_FUNCTION void begin() { *this = {true, false, false, false}; }
  KOKKOS_INLINE_FUNCTION bool has(unsigned any) const {
    return ((any & Seen::fresh) != 0 && fresh) || ((any & Seen::missed) != 0 && missed) ||
           ((any & Seen::lost) != 0 && lost) || ((any & Seen::guessed) != 0 && guessed);
  }
  KOKKOS_INLINE_FUNCTION void add(unsigned what) { set(what, true); }
  KOKKOS_INLINE_FUNCTION void remove(unsigned what) { set(what, false); }

 private:
  KOKKOS_INLINE_FUNCTION void set(unsigned what, bool value) {
    if ((what & Seen::fresh) != 0) fresh = value;
    if ((what & Seen::missed) != 0) missed = value;
    if ((what & Seen::lost) != 0) lost = value;
    if ((what & Seen::guessed) != 0) guessed = value;
  }
};
/// Where `iterate` keeps what it has seen: where the steps say, or in the bits of one word.
template <class Steps>
KOKKOS_INLINE_FUNCTION auto seen_by(Steps& steps) {
  if constexpr (requires { steps.seen(); }) {
    return steps.seen();
  } else {
    return SeenTogether();
  }
}

/// Conjugate gradients (CG) for S x = b, S = M − N: M is the diagonal (D× V×⁻¹), by which CG is preconditioned, and N
/// the off-diagonal product (A× ⊙ E×). `Steps` knows how the vectors are stored:
///
///     begin()           x ← 0, r ← b, p ← M⁻¹ r
///     apply(slack)      a ← N p. `slack` is the square of tolerance ‖M⁻¹b‖ / ‖M⁻¹r‖: the smaller the residual is already, the
///                       less exact N p has to be. 0: as exact as the precision allows
///     curvature()       pᵀ (M − N) p
///     step(α)           r ← r − α (M − N) p
///     advance(α, β)     x ← x + α p, p ← M⁻¹ r + β p
///     settle(α)         x ← x + α p, p ← x
///     leave(α)          x ← x + α p, after which nothing but x is asked for. Steps whose bounds change on the way have none: they
///                       make every test, and no error is estimated
///     recompute()       given a = N x, after `settle`: r ← b − (M x − a), p ← M⁻¹ r
///     norm()            ‖x‖²
///     worst()           max_k (|r_k| + u |M x|_k) / b_k of the recomputed r, u the unit roundoff
///     quotient(a, b)    a / b in Real, the type of all sums
///     keep(bounds)      stores the bounds that `bounds()` returns, outside of registers that the product needs
///     seen()            optional: where it is kept what the iteration has seen, as `SeenTogether` does
///     guess_margin      how far below the squared tolerance a speculative last step has to be predicted
///     starts            whether there may be a start x⁰ other than 0. Only then are these called:
///     start()           p ← x⁰, if this pair has one
///     started()         whether it has one; `asks_again`: call this every time instead of keeping the answer in a register
///     steady(α)         whether this α is similar to that of the last call; called with 0 for a start
///     close(α)          optional: x ← x + α p. Only norm(), x and K may be read afterwards. Without it an estimate ends by `settle` and
///                       `recompute`, without a product between them
///
/// `begin`, `step` and `recompute` return {‖M⁻¹r‖², rᵀ M⁻¹ r}. Every thread of a team calls `iterate`; all get the same result.
///
/// **Which norm.** K = wᵀ M⁻¹b, and its error is wᵀ M⁻¹r with the same vector w = p + N y > 0, where y solves the adjoint system
/// (docs/mathematics.md). So light rows count in K as much as heavy ones. In ‖r‖ they would hardly count.
///
/// **The test.** It is made on a recomputed residual, since CG's recurrence drifts. When the recurrence says
/// ‖M⁻¹r‖ ≤ tolerance · ‖M⁻¹b‖, r is recomputed from x. If that is too large, CG restarts from it and now aims at a
/// quarter. The pair is `stagnated` once a restart fails to halve the residual. A residual is only known to about u M x
/// and may be small by luck: unless u ‖x‖ is within the tolerance as well, the pair is `stagnated`. The reported
/// residual is `worst()`, which bounds the relative error of K and of every x_k but for the rounding of N x. So no error bound
/// is stated. Where ‖M⁻¹b‖² or what it is compared with underflows, 0 ≤ 0 would count as converged: such a pair is a `breakdown`.
///
/// **The speculative last step.** Recomputing r takes a further product, unless it replaces that of the last step. α
/// changes by a tenth at most from step to step. So when the next step is predicted to be the last, x takes it with the
/// α of the previous step, and the product is applied to x and not to p. If the residual turns out too large, or
/// rᵀ M⁻¹ r has fallen 16 times less than ‖M⁻¹r‖², CG restarts, and does not speculate again.
///
/// **Judged later.** Whoever forms residuals of the solutions anyway (`SolveOptions::judged_later`) needs no test here: iterations end
/// where the recurrence says that the residual is small, or is predicted to be after a last step. That saves a product, and r is never
/// recomputed. The reported residual is the norm that is said or predicted.
///
/// **An estimate.** With `SolveOptions::estimated_error` the tolerance is that of `estimated_tolerance`. Where the recurrence has reached it, x takes
/// one step more, by the α of the last one (at most 1.5) and without a product, which is not counted. Nobody looks at the residual then. As with a residual,
/// the pair is `stagnated` unless u ‖x‖ is within the error. Products leave out less than for a residual, since nobody sees what they leave
/// out. Where the curvature is lost, or iterations run out, r is recomputed and held against the error itself.
///
/// **Starts.** A start x⁰ is taken as a first step along p = x⁰ with α = 1, after which CG begins. The steps after it
/// are uneven, so a last step is predicted only after two similar ones.
///
/// The product stands in one place of the loop, so that it is compiled into a kernel once:
///
///          ┌─► done? ──yes──► end
///     r, p │      │ no
///          │      ├─ the residual is small, or predicted to be: p ← x, a ← N p, recompute r and p ─┐
///          │      └─ else: a ← N p, step along p ────────────────────────────────────────────────┤
///          └──────────────────────────────────────────────────────────────────────────────────────┘
///
/// (The paper's listing adds N p; by its equation it is subtracted.)
template <class Scalar, class Steps>
KOKKOS_FORCEINLINE_FUNCTION PairResult iterate(Steps& steps, const SolveOptions& options, double tolerance) {
  using Real = typename Steps::Real;
  PairResult result;
  Sums<Real> now = steps.begin();
  // A tolerance below ε² cannot be met, and its square would underflow in single precision.
  constexpr double least =
      double(Kokkos::Experimental::epsilon_v<Real>) * double(Kokkos::Experimental::epsilon_v<Real>);
  const double relative = Kokkos::max(tolerance, least);
  const auto goal_at_start = static_cast<Real>(relative * relative * double(now.first));
  const double compared =
      options.estimated_error > 0 ? Kokkos::min(relative, double(options.estimated_error)) : relative;
  steps.keep({now.first, goal_at_start, now.first, now.second});
  result.residual = 1;
  const auto least_compared = static_cast<Real>(compared * compared * double(now.first));
  if (!(least_compared >= Kokkos::Experimental::norm_min_v<Real>)) return result;  // a breakdown, with x = 0
  Real rho = now.second;                                                           // rᵀ M⁻¹ r
  // Read whenever it is needed: kept, it would take a register from the product.
  const auto estimates = [&] {
    if constexpr (requires { steps.leave(Scalar(0)); }) return options.estimated_error > 0;
    return false;
  };
  // ‖M⁻¹r‖² of a residual that is as small as the error is to be.
  const auto square_of_error = [&] {
    const auto error = Real(options.estimated_error);
    return error * error * steps.bounds().start;
  };
  // The largest α of an estimate's last step. The mean eigenvalue of M⁻¹ S is 1; a step along what decays slowly has a far larger α, which would be wrong for
  // what is left.
  constexpr Scalar longest = 1.5;
  // The squared residual to reach, for estimates too. Reloaded at each use, which saves a register.
  const auto sought = [&] { return estimates() ? square_of_error() : steps.bounds().target; };
  Scalar pending = 0;  // x still lacks this multiple of p, or takes it as a speculative last step
  if constexpr (Steps::starts) steps.start();
  bool given = false;  // p is x⁰
  if constexpr (Steps::starts) {
    if constexpr (!Steps::asks_again) given = steps.started();
  }
  const auto started = [&] {
    if constexpr (Steps::starts) {
      if constexpr (Steps::asks_again) return result.iterations == 0 && steps.started();
    }
    return given;
  };
  auto seen = seen_by(steps);
  seen.begin();
  const auto status_beside_rounding = [&] {
    constexpr Real unit = Real(unit_roundoff_of<Scalar>);
    const Real unsure = unit * unit * steps.norm();
    return unsure <= sought() ? Status::converged : Status::stagnated;
  };
  for (;;) {
    const Real part = seen.has(Seen::fresh) || !seen.has(Seen::missed) ? Real(1) : Real(0.0625);
    const bool small = now.first <= part * sought();
    const bool spent = result.iterations >= options.max_iterations;
    if (!Kokkos::isfinite(now.first) || !Kokkos::isfinite(rho)) {
      result.status = Status::breakdown;
      break;
    }
    if (seen.has(Seen::fresh) && seen.has(Seen::lost)) {
      // In finite precision a residual of pure rounding loses its curvature too.
      result.status = now.first < steps.bounds().start ? Status::stagnated : Status::breakdown;
      break;
    }
    if (seen.has(Seen::fresh) && small) {
      result.status = status_beside_rounding();
      break;
    }
    if (seen.has(Seen::fresh) && spent) {
      result.status = Status::iteration_limit;
      break;
    }
    const bool check = small || spent || seen.has(Seen::lost) || pending != 0;
    bool skips_residual = false;  // an estimate's last step
    if constexpr (!requires { steps.close(pending); }) skips_residual = estimates() && pending != 0;
    if (check) steps.settle(skips_residual ? Kokkos::min(pending, longest) : pending);
    constexpr Real of_estimates = Real(1) / 64;
    const Real aim = estimates() ? of_estimates * square_of_error() : sought();
    if (!skips_residual)
      steps.apply(check || seen.has(Seen::missed) || started() ? Real(0) : steps.quotient(aim, now.first));
    if (check) {
      const Sums<Real> recomputed = steps.recompute();
      if (skips_residual) {
        result.status = status_beside_rounding();
        break;
      }
      now = recomputed;
      rho = now.second;
      seen.add(Seen::fresh);
      const bool guess = !small && pending != 0;
      pending = 0;
      if (guess) {
        seen.add(Seen::guessed);
        ++result.iterations;
        const Bounds<Real> bounds = steps.bounds();
        if (rho * bounds.start > 16 * bounds.target * bounds.rho) now.first = Kokkos::max(now.first, 2 * bounds.target);
        continue;
      }
      Bounds<Real> bounds = steps.bounds();
      if (small && now.first > sought() && now.first > Real(0.25) * bounds.confirmed) {
        result.status = Status::stagnated;
        break;
      }
      bounds.confirmed = now.first;
      steps.keep(bounds);
      seen.add(Seen::missed);
      continue;
    }
    // α ← ρ / pᵀ (M − N) p
    const Real curvature = steps.curvature();
    const bool first = started();
    if (!(curvature > 0)) {
      if (!Kokkos::isfinite(curvature)) {
        result.status = Status::breakdown;
        break;
      }
      if (!first) {
        seen.add(Seen::lost);
        continue;
      }
    }
    const Real before = now.first;
    pending = first ? Scalar(1) : static_cast<Scalar>(steps.quotient(rho, curvature));
    now = steps.step(pending);
    ++result.iterations;
    const auto beta = first ? Scalar(0) : static_cast<Scalar>(steps.quotient(now.second, rho));
    rho = now.second;
    const Real goal = steps.bounds().target;
    bool steady = true;
    if constexpr (Steps::starts) steady = steps.steady(first ? Scalar(0) : pending);
    const bool goes_on = estimates() || now.first > (seen.has(Seen::missed) ? Real(0.0625) * goal : goal);
    if (goes_on) {
      steps.advance(pending, beta);
      // The next residual is predicted from the last reduction. A first step from a recomputed residual predicts nothing.
      const Real left = steps.quotient(now.first, before);
      const bool uneven = seen.has(Seen::fresh | Seen::guessed | Seen::missed) || !steady;
      const bool predicted = !uneven && left * now.first <= Steps::guess_margin * goal;
      const bool last = estimates() ? now.first <= goal && !first : predicted;
      if (!last || (!estimates() && result.iterations >= options.max_iterations)) pending = 0;
    }
    seen.remove(Seen::fresh);
    given = false;
    if constexpr (requires { steps.leave(pending); }) {
      bool looked_at = !options.judged_later;
      if constexpr (requires { steps.close(pending); }) looked_at = looked_at && !estimates();
      if (!looked_at && (!goes_on || pending != 0) && Kokkos::isfinite(now.first) && Kokkos::isfinite(rho)) {
        if constexpr (requires { steps.close(pending); }) {
          if (estimates()) {
            steps.close(Kokkos::min(pending, longest));
            result.status = status_beside_rounding();
            break;
          }
        }
        if (goes_on) ++result.iterations;
        result.status = Status::converged;
        steps.leave(pending);
        if (goes_on) now.first *= steps.quotient(now.first, before);
        break;
      }
    }
  }
  // A breakdown may come before r is recomputed. Then only the recurrence's norm is known, finite or not.
  if (seen.has(Seen::fresh) && result.status != Status::breakdown) {
    result.residual = double(steps.worst());
  } else {
    result.residual = Kokkos::sqrt(double(now.first) / double(steps.bounds().start));
  }
  // The rounding of N x is not counted in it: a certificate does that.
  result.error_bound = Kokkos::Experimental::infinity_v<double>;
  return result;
}

/// Iterates to the tolerance of the options.
template <class Scalar, class Steps>
KOKKOS_FORCEINLINE_FUNCTION PairResult iterate(Steps& steps, const SolveOptions& options) {
  return iterate<Scalar>(steps, options, options.tolerance);
}

}  // namespace octile
