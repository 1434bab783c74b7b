// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>

namespace octile {

template <class MemorySpace>
class DeviceExactSet;

/// What the trial solutions of a pair's two systems have at one place. They stand together since they are read together.
template <class Scalar>
struct alignas(2 * sizeof(Scalar)) TrialValues {
  Scalar x;
  Scalar y;
};

/// Trial solutions of the systems of many pairs, none below 0: of pair k n·m values, row major in the vertex order of the device's
/// set, from begin[k] on. Those in float are multiplied by `scales`, as solves in float32 leave them. Without `both`, y is
/// proportional to x (`ExactSet::adjoint_factor`) and what stands there counts for nothing.
template <class Scalar>
struct DeviceTrials {
  const Pair* pairs;
  const std::size_t* begin;
  const TrialValues<Scalar>* values;
  bool both;
  const TrialValues<double>* scales = nullptr;  ///< one a pair, or null: they are as they stand
  const double* reciprocals = nullptr;          ///< 1/κv where the values stand, if records are too many for a table

  KOKKOS_INLINE_FUNCTION TrialValues<double> scale(int k) const {
    return scales != nullptr ? scales[k] : TrialValues<double>{1, 1};
  }
};

/// Where residuals are left, for a solve that corrects a trial: at the same places as the trials, in the scale of the solver's
/// weights (`DeviceExactSet`), and for each pair the power of two that brings the largest r / D× near 1. Null: they are not.
struct DeviceResiduals {
  float* values = nullptr;
  double* scale = nullptr;
};

/// What trials are corrected by, as solves in float32 leave it: at the same places, to be multiplied by a scale a pair, with the results of the
/// solves of x and of y.
struct Corrections {
  const TrialValues<float>* values;
  const TrialValues<double>* scales;
  const PairResult* solved_x;
  const PairResult* solved_y;  ///< null if there is no y
};

/// Where derivatives are left: of each pair a row of `stride` numbers, its ∂K/∂θ of every parameter in the order of `parameters`, and
/// behind them `error_of_slopes`. Null: they are not.
struct SlopeRows {
  double* values = nullptr;
  std::size_t stride = 0;
  // What a device's set knows.
  double moved = 0;  ///< how much of Σ y N x the derivative by q takes off
  const double* of_constant =
      nullptr;  ///< if κe is a constant: of each of its parameters θ, ∂κe/∂θ / κe, which the derivative is of Σ y N x
  std::size_t vertex_parameters = 0;  ///< which stand before those of κe

  /// Those from pair `begin` on.
  SlopeRows from(std::size_t begin) const {
    SlopeRows later = *this;
    if (values != nullptr) later.values += begin * stride;
    return later;
  }
};

}  // namespace octile
