// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/spectrum.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <cstdint>

namespace octile {

/// A `Spectrum` without its vectors, in the memory space that reads it.
struct SpectrumView {
  const double* eigenvalues;
  const double* from_start;
  const double* to_stop;
  const double* residuals;
  double stop_residual;
  double stop_norm;
  double start_norm;
  double largest_eigenvalue;
  double rounding;
  std::int32_t size;
};

/// A view that is valid as long as the spectrum lives.
SpectrumView view_of(const Spectrum& spectrum);

/// `closed_form` (spectrum.hpp) by the lanes of a team. All lanes call it and get the result; each forms columns of y
/// of its own, so results are equal to the bit from call to call. `team.lane()` is a lane's number of `team.lanes()`,
/// and `team.sum(value)` gives every lane the sum over all lanes. `column_squares` has room for second.size values.
///
/// **The residual.** Scaled by D×^-1/2 on both sides and divided by q² κv, the system is
///
///     (1 − κ S ⊗ S') x̂ = b̂,    b̂ = D^1/2 1 ⊗ D'^1/2 1,    κ = κv κe,    K = κv q² p̂ᵀ x̂,    p̂ = D^-1/2 p ⊗ D'^-1/2 p'.
///
/// With E = S U − U Λ, measured by its columns, and y as in spectrum.hpp, the residual of x̂ = (U ⊗ U') y is
///
///     r̂ = b̂ − (U ⊗ U')(1 − κ Λ ⊗ Λ') y + κ (E ⊗ S' U' + U Λ ⊗ E') y,
///
/// The first difference is the part of b̂ outside the span of U ⊗ U' (`stop_residual`). The last term is at most
/// κ (ρ' Σ_i ‖E_i‖ ‖y_i,:‖ + ρ Σ_j ‖E'_j‖ ‖y_:,j‖). Rounding adds ε (‖b̂‖ + ‖y‖) at most, ε that of both spectra
/// (`spectrum_rounding`): of S and what is measured of it, of b̂ and p̂, and of 1 − κ λ λ'. Where walks are long, so that this is
/// small, ‖y‖ is large. The error of p̂ᵀ x̂ is ŷᵀ r̂ with (1 − κ S ⊗ S') ŷ = p̂. So it is at
/// most ‖p̂‖ ‖r̂‖ / (1 − κ ρ ρ'). This bound, relative to K, is the reported residual.
template <class Team>
KOKKOS_INLINE_FUNCTION PairResult closed_form_by_team(const Team& team, const SpectrumView& first,
                                                      const SpectrumView& second, const ConstantKernels& kernels,
                                                      double q, double tolerance,
                                                      double* KOKKOS_RESTRICT column_squares) {
  const double constant = kernels.vertex * kernels.edge;
  for (std::int32_t j = team.lane(); j < second.size; j += team.lanes()) column_squares[j] = 0;
  double value = 0;
  double error = 0;
  for (std::int32_t i = 0; i < first.size; ++i) {
    const double scaled = constant * first.eigenvalues[i];
    const double to_stop = first.to_stop[i];
    double sum = 0;
    double squares = 0;
    for (std::int32_t j = team.lane(); j < second.size; j += team.lanes()) {
      const double y = to_stop * second.to_stop[j] / (1 - scaled * second.eigenvalues[j]);
      sum += y * second.from_start[j];
      squares += y * y;
      column_squares[j] += y * y;
    }
    value += first.from_start[i] * sum;
    error += first.residuals[i] * Kokkos::sqrt(team.sum(squares));
  }
  double error_second = 0;
  double squares_of_y = 0;
  for (std::int32_t j = team.lane(); j < second.size; j += team.lanes()) {
    error_second += second.residuals[j] * Kokkos::sqrt(column_squares[j]);
    squares_of_y += column_squares[j];
  }
  error_second = team.sum(error_second);
  const double norm_of_y = Kokkos::sqrt(team.sum(squares_of_y));

  value = team.sum(value);
  const double stop_norm = first.stop_norm * second.stop_norm;
  const double residual = (first.stop_residual + second.stop_residual) * stop_norm +
                          (first.rounding + second.rounding) * (stop_norm + norm_of_y) +
                          constant * (second.largest_eigenvalue * error + first.largest_eigenvalue * error_second);
  // ρ and ρ' are known but for rounding, which may be all of what is left of 1.
  const double amplified = 1 - constant * first.largest_eigenvalue * second.largest_eigenvalue -
                           constant * (first.rounding + second.rounding);

  constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
  PairResult result;
  result.value = kernels.vertex * q * q * value;
  result.residual = first.start_norm * second.start_norm * residual / (amplified * value);
  // So far the bound is relative to the value that was found. From here on it is relative to the exact value.
  result.residual = result.residual < 1 ? result.residual / (1 - result.residual) : infinite;
  // A bound below 0 comes of eigenvalues that rounded to 1 or more.
  const bool believed = Kokkos::isfinite(result.value) && result.value >= least_value && result.residual >= 0 &&
                        Kokkos::isfinite(result.residual);
  result.status = !believed ? Status::breakdown : result.residual <= tolerance ? Status::converged : Status::stagnated;
  if (result.status != Status::breakdown) result.error_bound = result.residual;
  return result;
}

}  // namespace octile
