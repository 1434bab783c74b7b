// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>

namespace octile {

/// A kernel with the same values in fewer steps:
///
///     power(gaussian(x, 2), 4)        gaussian(x, 1)              and so for all that are `divisible`
///     normalize(2*delta(x, 0.5) + 3)  0.2*(2*delta(x, 0.5) + 3)   where κ(a, a) is one number for all labels
///
/// Throws `Error` where a number of it would be 0 or beyond what a double holds.
Expression::Node simplified(const Expression& expression);

}  // namespace octile
