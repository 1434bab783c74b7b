// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <octile/precision.hpp>

#include "output/failures.hpp"

namespace octile::app {

/// Makes a value what a file of this precision keeps, and adds the rounding to the bound of its relative error: beside |kept − value|
/// there is `error` times the exact value, of which value / (1 + error) is the least. Throws `OutputError` for a value that is not among
/// the numbers of float32: 0 or infinity in its place would be no rounding.
inline void round_for(Precision precision, double& value, double& error) {
  if (precision == Precision::float64 || std::isnan(value)) return;
  using Limits = std::numeric_limits<float>;
  const double size = std::abs(value);
  if (size > Limits::max() || (size < Limits::min() && size > 0)) {
    throw OutputError(
        fmt::format("the value {:g} cannot be written as float32, whose numbers are from {:.2g} to {:.2g}; allowed is "
                    "--out-precision float64",
                    value, Limits::min(), Limits::max()));
  }
  const double kept = static_cast<float>(value);
  if (kept != value) error += std::abs(kept - value) / size * (1 + error);
  value = kept;
}

}  // namespace octile::app
