// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/closed_form_pair.hpp>
#include <octile/pairs/spectrum.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <vector>

namespace octile {
namespace {

/// A team of one thread.
struct Alone {
  KOKKOS_INLINE_FUNCTION std::int32_t lane() const { return 0; }
  KOKKOS_INLINE_FUNCTION std::int32_t lanes() const { return 1; }
  KOKKOS_INLINE_FUNCTION double sum(double value) const { return value; }
};

}  // namespace

SpectrumView view_of(const Spectrum& spectrum) {
  return {spectrum.eigenvalues.data(), spectrum.from_start.data(),
          spectrum.to_stop.data(),     spectrum.residuals.data(),
          spectrum.stop_residual,      spectrum.stop_norm,
          spectrum.start_norm,         spectrum.largest_eigenvalue,
          spectrum.rounding,           static_cast<std::int32_t>(spectrum.size())};
}

PairResult closed_form(const Spectrum& first, const Spectrum& second, const ConstantKernels& kernels, double q,
                       double tolerance) {
  std::vector<double> column_squares(second.size());
  return closed_form_by_team(Alone{}, view_of(first), view_of(second), kernels, q, tolerance, column_squares.data());
}

}  // namespace octile
