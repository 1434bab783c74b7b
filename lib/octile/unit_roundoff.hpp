// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace octile {

/// u: a number that is rounded to `Scalar` is off by this share of itself at most, if it is neither too large nor subnormal.
template <class Scalar>
inline constexpr double unit_roundoff_of = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

/// u of double, 1.1e-16.
inline constexpr double unit_roundoff = unit_roundoff_of<double>;

}  // namespace octile
