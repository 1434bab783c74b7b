// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::detail {

/// What a residual in double proves of a value. With u the unit roundoff, and of the system as double evaluates κv and κe:
///
///     |r_k| ≤ ε̂ b_k                                     the residual as it was formed (`PairResult::residual`)
///     |r − r*|_k ≤ c u (b + D×V×⁻¹|x| + N|x|)_k           what its sums, the degrees and b round; c counts them
///     D×V×⁻¹x*, N x* ≤ A b,   A = 1 / (1 − ρ²)           since S 1 ≥ (1 − ρ²) D× 1 and b = q² D× 1
///
/// where r* is the exact residual, x* the solution, and ρ the largest Σ_j A_ij / d_i. So |x − x*| ≤ ε x* with
///
///     ε = (ε̂ + c u (1 + 2 A)) / (1 − 2 c u A),
///
/// and K = Σ p× x of n·m terms is off by at most ε + (n·m + 3) u (1 + ε), relatively. It needs κv in (0, 1] and κe in [0, 1], by which S is
/// an M-matrix; values of 1 + 1e-6 are let pass, and so is what they take from 1 − ρ².
struct ResidualBound {
  double roundings = 0;  ///< c; 0 if nothing is certain, as in float
  double reach = 0;      ///< of ρ as far as it is known on the host

  /// The bound of a result's relative error; infinite where nothing is certain. `reach_found` is of ρ what the device knows.
  KOKKOS_INLINE_FUNCTION double of(const PairResult& result, std::size_t elements, double reach_found) const {
    constexpr double nothing = Kokkos::Experimental::infinity_v<double>;
    constexpr double slack = 1e-6;
    if (roundings <= 0 || result.status != Status::converged) return nothing;
    const double off = roundings * unit_roundoff;
    const double rho = Kokkos::max(reach, reach_found) * (1 + off);
    const double gap = 1 - rho * rho * (1 + slack) - slack;
    const double grown = 1 / gap;
    const double left = 1 - 2 * off * grown;
    if (!(gap > 0) || !(left > 0)) return nothing;
    const double of_x = (result.residual + off * (1 + 2 * grown)) / left;
    const double bound = of_x + static_cast<double>(elements + 3) * unit_roundoff * (1 + of_x);
    return of_x < 1 ? bound : nothing;
  }
};

}  // namespace octile::detail
