// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <octile/precision.hpp>

namespace octile::app {

/// Makes a value what a file of this precision keeps, and adds the rounding to the bound of its relative error: beside |kept − value|
/// there is `error` times the exact value, of which value / (1 + error) is the least.
inline void round_for(Precision precision, double& value, double& error) {
  if (precision == Precision::float64) return;
  const double kept = static_cast<float>(value);
  if (kept != value) error += std::abs(kept - value) / std::abs(value) * (1 + error);
  value = kept;
}

}  // namespace octile::app
