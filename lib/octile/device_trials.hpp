// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>

namespace octile {

template <class MemorySpace>
class DeviceExactSet;

/// Trial solutions of the systems of many pairs: of pair k n·m values each, row major in the vertex order of the device's set,
/// from begin[k] on. Without y, y is proportional to x (`ExactSet::adjoint_factor`). Values
/// below 0 count as 0.
struct DeviceTrials {
  const Pair* pairs;
  const std::size_t* begin;
  const double* x;
  const double* y;  ///< may be null
};

/// Where residuals are left, for a solve that corrects a trial: at the same places as the trials, in the scale of the solver's
/// weights (`DeviceExactSet`), and for each pair the power of two that brings the largest r / D× near 1. Null: they are not.
struct DeviceResiduals {
  float* values = nullptr;
  double* scale = nullptr;
};

}  // namespace octile
