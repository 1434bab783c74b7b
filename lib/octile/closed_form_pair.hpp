// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>
#include <octile/spectrum.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace octile {

/// A `Spectrum` without its vectors, in the memory of whoever reads it.
struct SpectrumView {
  const double* eigenvalues;
  const double* from_start;
  const double* to_stop;
  const double* residuals;
  double stop_residual;
  double root_largest;
  double degree_norm;
  double largest_eigenvalue;
  std::int32_t size;
};

/// As long as the spectrum is there.
SpectrumView view_of(const Spectrum& spectrum);

/// `closed_form` (spectrum.hpp) by the lanes of a team, of which each has columns of y of its own: equal bits from call to
/// call. `team.lane()` of `team.lanes()` calls this, `team.sum(value)` gives every lane the sum over all of them.
/// `column_squares` has room for second.size values, and every lane gets the result.
///
/// With E = S U − U Λ, measured by its columns, and y as in spectrum.hpp, the residual of x = (D^-1/2 U ⊗ D'^-1/2 U') y is
///
///     b − A x = b − D×^1/2 (U ⊗ U') (1/κv − κe Λ ⊗ Λ') y' + κe D×^1/2 (E ⊗ S' U' + U Λ ⊗ E') y',    y' = κv q² y,
///
/// whose first difference is b by what U lacks of D^1/2 1 (`stop_residual`), and whose last term is at most
///
///     κe √(max d max d') (ρ' Σ_i ‖E_i‖ ‖y'_i,:‖ + ρ Σ_j ‖E'_j‖ ‖y'_:,j‖).
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
  for (std::int32_t j = team.lane(); j < second.size; j += team.lanes()) {
    error_second += second.residuals[j] * Kokkos::sqrt(column_squares[j]);
  }
  error_second = team.sum(error_second);

  PairResult result;
  result.value = kernels.vertex * q * q * team.sum(value);
  result.residual = first.stop_residual + second.stop_residual +
                    constant * (second.largest_eigenvalue * error + first.largest_eigenvalue * error_second) *
                        first.root_largest * second.root_largest / (first.degree_norm * second.degree_norm);
  result.status = !Kokkos::isfinite(result.value) || !Kokkos::isfinite(result.residual) ? Status::breakdown
                  : result.residual <= tolerance                                        ? Status::converged
                                                                                        : Status::stagnated;
  return result;
}

}  // namespace octile
