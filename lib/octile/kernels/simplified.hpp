// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>

#include <string_view>

namespace octile {

/// In messages: the numbers that have all digits of a double.
inline constexpr std::string_view normal_numbers = "2.3e-308 to 1.7e308";

/// A kernel with the same values in fewer steps:
///
///     power(gaussian(x, 2), 4)        gaussian(x, 1)              and so for all that are `divisible`
///     normalize(2*delta(x, 0.5) + 3)  0.2*(2*delta(x, 0.5) + 3)   where κ(a, a) is one number for all labels
///     0.5*(0.4*delta(x, 0.5))         delta(x, 0.5)*0.2           numbers of a product are one
///     0.2*delta(x, 0.5) + 0.3*delta(x, 0.5)                       delta(x, 0.5)*0.5, as like terms of a sum are, and its numbers
///
/// What is written otherwise stays as it is written.
/// Throws `Error` where a number of it would be 0 or beyond what a double holds.
Expression::Node simplified(const Expression& expression);

}  // namespace octile
