// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/portable/iterate/host_vectors.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <cstddef>

namespace octile::portable {

/// The steps of `iterate` in float, of which each check is made in double: x is kept in double, r is recomputed from it by the exact
/// product, and CG restarts from there with a correction of 0. So a float product does most of the work, which may be a coarser one,
/// and the result is as good as one in double:
///
///     r = b − S x   in double, by exact()
///     S̃ d = r       in float, by coarse(), until ‖M⁻¹r‖ has fallen to `reduction` of what it was
///     x ← x + d     in double
///
/// Where d is so small that the error of coarse() in N d does not matter, N d is added to the N x of the check before, in place of an exact
/// product: mostly at the last check. That error counts in the residual.
///
/// `coarse(from, to, allowed)` forms N p in float, with an error of κe of about `allowed`: the smaller the residual
/// already is, the coarser (docs/lowering.md). `coarse.error(most)` is the error of the cheapest such product with no
/// more than `most`, infinite if there is none; `coarse.within(from, to, error)` forms that product. This error is of a
/// row, rounding included, divided by M and by the largest |p|. `exact(from, to)` forms N p in double. `vectors` are
/// those of a solve in double, of which M, b and x are used as such, and r, p and a as memory. `product` has room for
/// another vector.
template <class Coarse, class Exact>
class RefiningSteps {
 public:
  using Scalar = float;
  using Real = double;
  static constexpr Real guess_margin = 0;  // a check takes a product in double, which costs as much as several steps
  static constexpr bool starts = false;

  KOKKOS_FUNCTION RefiningSteps(const Coarse& coarse, const Exact& exact, const HostVectors<double>& vectors,
                                double* product)
      : coarse_(coarse), exact_(exact), vectors_{vectors, {}, product} {
    const std::size_t size = vectors.size;
    auto* const numbers = reinterpret_cast<float*>(vectors.r);
    vectors_.coarse = {size,           vectors.exact,      vectors.right,      numbers,
                       numbers + size, numbers + 2 * size, numbers + 3 * size, numbers + 4 * size};
  }

  KOKKOS_FUNCTION TwoSums begin() {
    believed_ = refining_.prepare(vectors_);
    return restarted(passes_.begin(vectors_.coarse));
  }
  KOKKOS_FUNCTION void apply(double) {
    if (checking_ && coarsely_) {
      coarse_.within(vectors_.coarse.p, vectors_.coarse.a, check_error_);
      refining_.add_product(vectors_);
    } else if (checking_) {
      exact_(vectors_.fine.x, vectors_.product);
    } else {
      const double left = Kokkos::sqrt((restarts_ > 0 ? 0.0625 : 1) * goal() / now_);
      const double relaxation = goal() <= 1e-4 * begun_ ? far_relaxation : near_relaxation;
      coarse_(vectors_.coarse.p, vectors_.coarse.a, Kokkos::min(relaxation * left, most_left_out));
    }
  }
  KOKKOS_FUNCTION double curvature() { return passes_.curvature(vectors_.coarse); }
  KOKKOS_FUNCTION TwoSums step(float alpha) {
    fresh_ = false;
    const HostSums both = passes_.step(vectors_.coarse, alpha);
    now_ = both.first;
    return {both.first, both.second};
  }
  KOKKOS_FUNCTION void advance(float alpha, float beta) { passes_.advance(vectors_.coarse, alpha, beta); }
  KOKKOS_FUNCTION void settle(float alpha) {
    const double moved = refining_.settle(vectors_, alpha);
    const double room = most_unsure * Kokkos::sqrt(bounds_.target / double(vectors_.fine.size)) - unsure_;
    checking_ = true;
    check_error_ = coarse_.error(room / moved);
    coarsely_ = believed_ && Kokkos::isfinite(check_error_);
    unsure_ = coarsely_ ? unsure_ + check_error_ * moved : 0;
  }
  KOKKOS_FUNCTION TwoSums recompute() {
    checking_ = false;
    ++restarts_;
    HostSums sums = refining_.recompute(vectors_);
    const double most = Kokkos::sqrt(sums.first) + unsure_norm();
    sums.first = most * most;
    return restarted(sums);
  }
  /// `iterate` takes it times the unit roundoff of float, where that of double is meant.
  KOKKOS_FUNCTION double norm() {
    constexpr double ratio = Kokkos::Experimental::epsilon_v<double> / double(Kokkos::Experimental::epsilon_v<float>);
    return host_passes<double>().norm(vectors_.fine) * ratio * ratio;
  }
  KOKKOS_FUNCTION double worst() { return refining_.worst(vectors_, unsure_); }
  KOKKOS_FUNCTION double quotient(double a, double b) const { return a / b; }
  KOKKOS_FUNCTION void keep(const Bounds<double>& bounds) { bounds_ = bounds; }
  /// Between two checks the target is what float can reach, if that is more than what is wanted. After the first check, `iterate` aims
  /// at a sixteenth of it: then a quarter is made of that.
  KOKKOS_FUNCTION Bounds<double> bounds() const {
    Bounds<double> bounds = bounds_;
    if (!fresh_) bounds.target = goal();
    return bounds;
  }

 private:
  /// To how much of what it was ‖M⁻¹r‖ falls from one check to the next. x in float has seven digits, and by S̃ at
  /// least four of K are right.
  static constexpr double reduction = 3e-5;
  /// How much of κe a product may leave out where all residuals to come are as large as the goal, and at most. The second where the goal
  /// is near: with more, what products leave out can add up to a residual that a restart does not halve, and the pair would count as
  /// stagnated.
  static constexpr double far_relaxation = 2;
  static constexpr double near_relaxation = 0.1;
  static constexpr double most_left_out = 0.125;
  /// How much of the tolerance may be what coarse products lack of N x.
  static constexpr double most_unsure = 0.25;

  /// The most that M⁻¹r may lack, as a norm. A row of it lacks `unsure_` at most.
  KOKKOS_FUNCTION double unsure_norm() const { return Kokkos::sqrt(double(vectors_.fine.size)) * unsure_; }
  /// ‖M⁻¹r‖² that the steps until the next check are to reach.
  KOKKOS_FUNCTION double goal() const {
    return Kokkos::max((restarts_ > 0 ? 4 : 1) * bounds_.target, reduction * reduction * begun_);
  }
  KOKKOS_FUNCTION TwoSums restarted(const HostSums& sums) {
    fresh_ = true;
    begun_ = now_ = sums.first;
    return {sums.first, sums.second};
  }

  const Coarse& coarse_;
  const Exact& exact_;
  const HostPasses<float>& passes_ = host_passes<float>();
  const RefiningPasses& refining_ = refining_passes();
  RefinedVectors vectors_;
  Bounds<double> bounds_{};
  double begun_ = 0;  ///< ‖M⁻¹r‖² at the last check
  double now_ = 0;    ///< ‖M⁻¹r‖², by the recurrence since then
  int restarts_ = 0;
  bool believed_ = false;   ///< coarse() may make the product of a check
  bool checking_ = false;   ///< the next product is for a check
  bool coarsely_ = false;   ///< coarse() makes it, of what was added to x
  double check_error_ = 0;  ///< the error of that product
  /// What a row of N x lacks at most since the last exact product, divided by M: the A_ij A'_i'j' of a row sum to at most M.
  double unsure_ = 0;
  bool fresh_ = true;
};

}  // namespace octile::portable
