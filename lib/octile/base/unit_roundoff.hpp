// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace octile {

/// u: a number that is rounded to `Scalar` is off by this share of itself at most, if it is neither too large nor subnormal.
template <class Scalar>
inline constexpr double unit_roundoff_of = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

/// u of double, 1.1e-16.
inline constexpr double unit_roundoff = unit_roundoff_of<double>;

/// Numbers that a solve in `Scalar` can be believed of: what it forms of them is far from under- and overflow.
template <class Scalar>
struct BelievedRange {
  static constexpr bool single = sizeof(Scalar) < sizeof(double);
  static constexpr double least = single ? 1e-30 : 1e-280;
  static constexpr double most = single ? 1e30 : 1e280;
};

}  // namespace octile
