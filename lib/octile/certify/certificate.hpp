// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_MinMax.hpp>
#include <Kokkos_NumericTraits.hpp>

namespace octile {

/// One of the two systems of a pair, S x = b or S y = p×, with its trial solution x̃ ≥ 0, the residual r = b − S x̃, and for
/// each row a bound δ of what rounding leaves unknown of r. x stands for the solution of either, y for that of the other.
struct SideSums {
  double value = 0;     ///< Σ p x̃, what this side alone makes of K
  double worst = 0;     ///< max (|r| + δ) / b
  double left = 0;      ///< Σ (|r| + δ) ỹ
  double rounding = 0;  ///< Σ δ ỹ
  double squares = 0;   ///< Σ ((|r| + δ) / b)² b ỹ
};

/// The larger of two, infinite if the second is not a number: nothing is certain then.
KOKKOS_INLINE_FUNCTION double larger(double most, double value) {
  if (value <= most) return most;
  return value > most ? value : Kokkos::Experimental::infinity_v<double>;
}

/// What certifies a pair, summed over the rows of its systems.
///
/// **Walks of at least one step.** As M x = b + N x, those that begin in a row are u = x − M⁻¹ b = M⁻¹ N x, and K₁ = K − bᵀ M⁻¹ p× is p×ᵀ u. Where
/// the trials' products are at hand the sums count ũ = M⁻¹ N x̃ for x̃, and w̃ = M⁻¹ N ỹ for ỹ. Nothing cancels then: every entry of N is at
/// least 0, so ũ has the relative error of x̃ in every row, w̃ that of ỹ, and
///
///     K₁ = p×ᵀ ũ + w̃ᵀ r + sᵀ (S⁻¹ − M⁻¹) r        with S⁻¹ − M⁻¹ ≥ 0
///
/// has the bounds of K with u and w for x and y. The residuals are those of x̃ and ỹ.
struct CertificateSums {
  SideSums x;
  SideSums y;
  double correction = 0;      ///< ỹᵀ r
  double no_step = 0;         ///< bᵀ M⁻¹ p×, the walks of no step, where they are asked for
  bool counts_steps = false;  ///< whether ũ and w̃ are counted for x̃ and ỹ
  double counting_x = 0;      ///< Σ p of what rounding leaves unknown of ũ, if that is counted
  double counting_y = 0;      ///< Σ b of what rounding leaves unknown of w̃, if that is counted

  KOKKOS_INLINE_FUNCTION CertificateSums& operator+=(const CertificateSums& other) {
    const auto add = [](SideSums& sums, const SideSums& more) {
      sums.value += more.value;
      sums.worst = larger(sums.worst, more.worst);
      sums.left += more.left;
      sums.rounding += more.rounding;
      sums.squares += more.squares;
    };
    add(x, other.x);
    add(y, other.y);
    correction += other.correction;
    no_step += other.no_step;
    counts_steps = counts_steps || other.counts_steps;
    counting_x += other.counting_x;
    counting_y += other.counting_y;
    return *this;
  }
};

/// One row ii' of a pair's systems. Reciprocals may be rounded, as products of reciprocals are.
struct CertifiedRow {
  double degrees;           ///< d_i d'_i'
  double inverse_degrees;   ///< 1 / (d_i d'_i')
  double inverse_kappa;     ///< 1 / κv
  double starting;          ///< p_i p'_i'
  double inverse_starting;  ///< 1 / (p_i p'_i'), infinite where that is 0
  int neighbours;           ///< edges of vertex i
  int neighbours_second;    ///< edges of vertex i'
};

/// How what the rows of a set's systems are made of rounds, in double. Terms of N x are w w' κe x, and the diagonal is d d' / κv.
struct SystemRounding {
  double of_term = 0;      ///< roundoffs of a term, beside those of its sum
  double of_diagonal = 0;  ///< roundoffs of a diagonal entry, beside those of the degrees' sums
  /// What rounding leaves unknown of N x beside that, as of a κe near 0, is at most this times b: κe's error times the set's
  /// `Amplification`. It is a constant times A× x, and x that of an exact solution.
  double beyond_x = 0;
  double beyond_y = 0;  ///< what rounding leaves unknown of N y beside its terms is at most this times p×
  /// What it leaves unknown of N y, summed with x, is at most this times bᵀ y: N is symmetric, so yᵀ A× x counts.
  double beyond_sums_of_y = 0;
};

/// Up to so many operations make a term of N x or of the diagonal out of κ.
inline constexpr double operations_of_row = 16;

/// Roundoffs of N x in a row whose vertices have so many edges.
KOKKOS_INLINE_FUNCTION double roundings_of_product(double first, double second, const SystemRounding& rounding) {
  return first * second + rounding.of_term + operations_of_row;
}
/// Roundoffs of the diagonal and of b there.
KOKKOS_INLINE_FUNCTION double roundings_of_diagonal(double first, double second, const SystemRounding& rounding) {
  return first + second + rounding.of_diagonal + operations_of_row;
}
/// The larger of both counts.
KOKKOS_INLINE_FUNCTION double roundings_of_row(double first, double second, const SystemRounding& rounding) {
  return Kokkos::max(roundings_of_product(first, second, rounding), roundings_of_diagonal(first, second, rounding));
}

/// A trial solution and its product in a row.
struct RowTrial {
  double value = 0;    ///< x̃, at least 0
  double product = 0;  ///< N x̃
  double unknown = 0;  ///< how far off N x̃ may be besides the rounding of its terms
};

/// The residuals of a row.
struct RowResiduals {
  double r = 0;
  double s = 0;
};

/// Adds a row of which y counts only with `two_sides`. With `steps`, walks of at least one step are counted, and those of no step summed.
/// `square` is q². The rounding of what is formed here is allowed for. Without a division by a number that is not κv, since a division takes a GPU long.
KOKKOS_INLINE_FUNCTION RowResiduals add_row(CertificateSums& sums, const CertifiedRow& row, double square,
                                            double inverse_square, const SystemRounding& rounding, bool steps,
                                            const RowTrial& x, bool two_sides, const RowTrial& y) {
  RowResiduals residuals;
  const double b = square * row.degrees;
  const double diagonal = row.degrees * row.inverse_kappa;
  const double of_product = roundings_of_product(row.neighbours, row.neighbours_second, rounding) * unit_roundoff;
  const double of_diagonal = roundings_of_diagonal(row.neighbours, row.neighbours_second, rounding) * unit_roundoff;
  residuals.r = b - diagonal * x.value + x.product;
  const double unknown_r = of_product * x.product + of_diagonal * (diagonal * x.value + b) + x.unknown;
  const double bound_r = Kokkos::abs(residuals.r) + unknown_r;
  double counted_x = x.value;
  double counted_y = y.value;
  // What rounding leaves unknown of them.
  double unknown_x = 0;
  double unknown_y = 0;
  if (steps) {
    const double inverse_diagonal = row.inverse_degrees / row.inverse_kappa;
    const double roundings = of_product + of_diagonal;
    counted_x = x.product * inverse_diagonal;
    counted_y = y.product * inverse_diagonal;
    unknown_x = counted_x * roundings + x.unknown * inverse_diagonal;
    unknown_y = counted_y * roundings + y.unknown * inverse_diagonal;
    sums.counts_steps = true;
    sums.no_step += square * row.starting / row.inverse_kappa;
    sums.counting_x += row.starting * unknown_x;
  }
  sums.x.value += row.starting * counted_x;
  const double relative_r = bound_r * (row.inverse_degrees * inverse_square);
  sums.x.worst = larger(sums.x.worst, relative_r);
  if (!two_sides) return residuals;
  residuals.s = row.starting - diagonal * y.value + y.product;
  const double unknown_s = of_product * y.product + of_diagonal * (diagonal * y.value + row.starting) + y.unknown;
  const double bound_s = Kokkos::abs(residuals.s) + unknown_s;
  sums.y.value += b * counted_y;
  sums.counting_y += b * unknown_y;
  const double most_x = counted_x + unknown_x;
  const double most_y = counted_y + unknown_y;
  const double relative_s = bound_s <= 0 ? 0.0 : bound_s * row.inverse_starting;
  sums.y.worst = larger(sums.y.worst, relative_s);
  sums.x.left += bound_r * most_y;
  sums.x.rounding += unknown_r * most_y;
  sums.y.left += bound_s * most_x;
  sums.y.rounding += unknown_s * most_x;
  sums.x.squares += relative_r * relative_r * (b * most_y);
  sums.y.squares += relative_s * relative_s * (row.starting * most_x);
  sums.correction += residuals.r * counted_y;
  return residuals;
}

/// A value of K with a bound of its relative error: |value − K| ≤ bound · K. `bound` is infinite where nothing is certain.
struct CertifiedValue {
  double value;
  double bound;
};

/// By one side alone: S is an M-matrix, so |r| ≤ ε b in every row gives |x − x̃| ≤ ε x, and |K − p×ᵀ x̃| ≤ ε K. The sum rounds by
/// up to `terms` times the roundoff; `terms` is how many numbers are added one after the other. `counting` is what is unknown of the sum
/// beside that.
KOKKOS_INLINE_FUNCTION CertifiedValue certified_by_one(const SideSums& x, double terms, double counting = 0) {
  const bool certain = Kokkos::isfinite(x.value) && x.worst >= 0 && counting < x.value;
  const double relative = terms * unit_roundoff + (counting > 0 ? counting / (x.value - counting) : 0);
  return {x.value, certain ? x.worst + relative * (1 + x.worst) : Kokkos::Experimental::infinity_v<double>};
}

/// By both sides. With r = b − S x̃, s = p× − S ỹ and
///
///     K̃ = p×ᵀ x̃ + ỹᵀ r        K − K̃ = sᵀ S⁻¹ r,
///
/// the error is at most Σ |s| ε_x x ≤ ε_x / (1 − ε_x) Σ |s| x̃ where |r| ≤ ε_x b in every row, and the same with the sides
/// exchanged. No entry of S⁻¹ is below 0, so by Cauchy and Schwarz with these entries as weights it is also at most
///
///     √( Σ_ij (S⁻¹)_ij b_j s_i² / p_i ) √( Σ_ij (S⁻¹)_ij p_i r_j² / b_j )  =  √( Σ s² x / p ) √( Σ r² y / b ),
///
/// where x ≤ x̃ / (1 − ε_x) and y ≤ ỹ / (1 − ε_y). It is mostly the least of the three where few rows have the largest residuals. The
/// least counts. `corrected` is K̃ as computed from r, which is off by Σ δ ỹ; `terms` is how many numbers its sums have, one after the
/// other.
/// Where one side alone has the smaller bound its value is taken. `counting_x` and `counting_y` are what is unknown of the sides' values
/// beside that.
KOKKOS_INLINE_FUNCTION CertifiedValue certified_by_both(const SideSums& x, const SideSums& y, double corrected,
                                                        double terms, double counting_x = 0, double counting_y = 0) {
  constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
  CertifiedValue best = certified_by_one(x, terms, counting_x);
  const CertifiedValue other = certified_by_one(y, terms, counting_y);
  if (other.bound < best.bound) best = other;
  const auto by = [](const SideSums& bounded, const SideSums& summed) {
    return bounded.worst < 1 ? bounded.worst / (1 - bounded.worst) * summed.left : infinite;
  };
  const double by_squares = x.worst < 1 && y.worst < 1
                                ? Kokkos::sqrt(x.squares / (1 - y.worst)) * Kokkos::sqrt(y.squares / (1 - x.worst))
                                : infinite;
  // The bound by squares comes second: if it is no number, the minimum is the first.
  const double by_any = Kokkos::min(Kokkos::min(by(x, y), by(y, x)), by_squares);
  // The sums are of up to terms numbers ≥ 0 but for ỹᵀr, whose size is that of x.left at most.
  const double summing = terms * unit_roundoff * (x.value + x.left);
  // What is unknown of w̃, times r.
  const double of_correction = counting_y > 0 ? x.worst * counting_y : 0;
  const double error = by_any + x.rounding + summing + counting_x + of_correction;
  const double relative = error < corrected ? error / (corrected - error) : infinite;
  return relative < best.bound ? CertifiedValue{corrected, relative} : best;
}

/// A pair as it is found to be.
struct Evaluation {
  CertifiedValue value{};  ///< K, or with a shortest walk of 1 K without the walks of no step
  double worst_x = 0;    ///< max |r_k| / b_k, with what rounding leaves unknown: bounds the relative error of every x_k
  double worst_y = 0;    ///< max |s_k| / p_k, the same of y
  double of_slopes = 0;  ///< `error_of_slopes`, where derivatives are formed
};

/// The larger of Σ |r_k| y_k and Σ |s_k| x_k, relative to K, as the sums count them: what derivatives are off by, about, relative
/// to K / parameter. Infinite where that is not known.
KOKKOS_INLINE_FUNCTION double error_of_slopes(const CertificateSums& sums) {
  const double left = larger(sums.x.left, sums.y.left);
  if (left == 0) return 0;  // and perhaps K, too
  const double error = left / (sums.x.value + sums.correction);
  return error >= 0 ? error : Kokkos::Experimental::infinity_v<double>;
}

/// Adds to the sums what `SystemRounding` has beyond them. `no_step` is that of sums that count walks of at least one step, else 0. With ε of all that is unknown, x̃ ≤ (1 + ε) x, so a β of b for x makes
/// β (1 + ε) of b for x̃: ε = ε' + β (1 + ε).
KOKKOS_INLINE_FUNCTION void add_beyond(SideSums& x, SideSums& y, const SystemRounding& rounding, double no_step = 0) {
  constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
  const auto with = [](double worst, double beyond) { return beyond < 1 ? (worst + beyond) / (1 - beyond) : infinite; };
  x.worst = with(x.worst, rounding.beyond_x);
  y.worst = with(y.worst, rounding.beyond_y);
  if (rounding.beyond_x == 0 && rounding.beyond_y == 0) return;
  // Roots of such sums are norms: that of β (1 + ε) b is added to that of what was known.
  const auto with_norm = [](double squares, double share, double value) {
    const double norm = Kokkos::sqrt(squares) + share * Kokkos::sqrt(value);
    return norm * norm;
  };
  x.squares = with_norm(x.squares, rounding.beyond_x * (1 + x.worst), y.value);
  y.squares = with_norm(y.squares, rounding.beyond_y * (1 + y.worst), x.value);
  const double most = (1 + x.worst) * y.value;
  x.left += rounding.beyond_x * most;
  x.rounding += rounding.beyond_x * most;
  const double of_y =
      rounding.beyond_sums_of_y * (1 + x.worst) * (y.value + no_step);  // of all of bᵀ y, whatever is counted
  y.left += of_y;
  y.rounding += of_y;
  if (no_step == 0) return;
  // ũ is off by up to β (1 + ε) M⁻¹ b in a row, Σ b times what w̃ is off by is at most `of_y`, and |r| ≤ ε b.
  const double of_u = rounding.beyond_x * (1 + x.worst) * no_step;
  x.left += x.worst * of_y;
  x.rounding += rounding.beyond_x * (1 + x.worst) * of_y;
  x.squares += x.worst * x.worst * of_y;
  y.left += y.worst * of_u;
  y.squares += y.worst * y.worst * of_u;
}

/// What the sums say, each of which was formed by adding `terms` numbers at most one after the other. With a shortest walk of 1
/// the walks of no step are taken off; `walks` says whether there are others.
KOKKOS_INLINE_FUNCTION Evaluation evaluation_of(const CertificateSums& sums, const SystemRounding& rounding,
                                                bool two_sides, double terms, int shortest_walk, bool walks) {
  constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
  // A few roundings of reciprocals, and products of two roundings.
  constexpr double of_worst = 1 + 1e-6;
  SideSums x = sums.x;
  SideSums y = sums.y;
  x.worst *= of_worst;
  y.worst *= of_worst;
  x.squares *= of_worst;
  y.squares *= of_worst;
  const bool counts_steps = sums.counts_steps;
  add_beyond(x, y, rounding, counts_steps ? sums.no_step : 0);
  Evaluation evaluation;
  evaluation.worst_x = x.worst;
  evaluation.worst_y = two_sides ? y.worst : infinite;
  CertifiedValue& value = evaluation.value;
  if (shortest_walk == 1 && (!walks || (counts_steps && x.value == 0 && rounding.beyond_x == 0 && x.worst < 1))) {
    value = {0, 0};  // no walk at all, or none with a κe above 0
    return evaluation;
  }
  const auto counting = [&](double of_rows, double beyond, double all) {
    return counts_steps ? of_worst * of_rows + beyond * (1 + x.worst) * all : 0.0;
  };
  const double counting_x = counting(sums.counting_x, rounding.beyond_x, sums.no_step);
  const double counting_y = counting(sums.counting_y, rounding.beyond_sums_of_y, y.value + sums.no_step);
  value = two_sides ? certified_by_both(x, y, x.value + sums.correction, terms, counting_x, counting_y)
                    : certified_by_one(x, terms, counting_x);
  if (shortest_walk == 1 && !counts_steps) {
    // K shrinks, the error does not.
    const double error =
        value.bound * value.value + (terms + rounding.of_diagonal + operations_of_row) * unit_roundoff * sums.no_step;
    value.value -= sums.no_step;
    value.bound = value.value > error ? error / (value.value - error) : infinite;
  }
  // What a tiny value was summed of may have underflowed.
  if (!Kokkos::isfinite(value.value) || !(value.value >= least_value)) value.bound = infinite;
  return evaluation;
}

}  // namespace octile
