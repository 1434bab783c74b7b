// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/on_device/pairs.hpp>
#include <octile/on_device/trials.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::detail {

/// Where trials of pairs go that are one step nearer to the solutions than the x⁰ and y⁰ that are certified, for derivatives:
///
///     M x¹ = b + N x⁰,      M y¹ = p× + N y⁰,      of pair k from its `begin` on, to be multiplied by scales[k], as `DeviceTrials` has them
///
/// What x⁰ lacks changes from vertex to vertex, since bases have what is smooth, and a sum over neighbours levels that. As M x¹ − M x⁰ = r, a row takes
/// its residual and no product. Σ y |b − S x¹| ≤ Σ y |r|, as yᵀ N M⁻¹ = yᵀ − p×ᵀ M⁻¹.
struct ReducedSteps {
  TrialValues<float>* values = nullptr;
  TrialValues<double>* scales = nullptr;

  /// Numbers of a team's scratch.
  static constexpr std::size_t doubles = 2;

  /// Those from pair `pair` on.
  ReducedSteps from(std::size_t pair) const { return {values, scales == nullptr ? nullptr : scales + pair}; }

  /// Chooses the scales of pair k, of which ‖C‖² is given for both systems, and puts what a float is multiplied by into `by`: powers of two that bring
  /// ‖C‖ near 1.
  KOKKOS_INLINE_FUNCTION void scale(int k, const TrialValues<double>& squares, double* by) const {
    const auto near_one = [](double square) {
      return square > 0 && Kokkos::isfinite(square) ? Kokkos::exp2(-Kokkos::round(0.5 * Kokkos::log2(square))) : 1.0;
    };
    by[0] = near_one(squares.x);
    by[1] = near_one(squares.y);
    scales[k] = {1 / by[0], 1 / by[1]};
  }

  /// Keeps x⁰ + M⁻¹ r and the same of y for a row, from its residuals. But for rounding none is below 0.
  KOKKOS_INLINE_FUNCTION void keep(const CertifiedPair& of, const double* by, const PlacedVertex& row,
                                   const PlacedVertex& column, double inverse_kappa, const TrialValues<double>& trial,
                                   const TrialValues<double>& left) const {
    const double inverse_diagonal = row.vertex.inverse_degree * column.vertex.inverse_degree / inverse_kappa;
    const auto stepped = [&](double value, double residual, double near_one) {
      return static_cast<float>(near_one * Kokkos::max(value + residual * inverse_diagonal, 0.0));
    };
    values[of.begin + of.at(row.place, column.place)] = {stepped(trial.x, left.x, by[0]),
                                                         stepped(trial.y, left.y, by[1])};
  }
};

}  // namespace octile::detail
