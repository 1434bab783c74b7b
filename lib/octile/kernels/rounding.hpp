// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/kernels/leaf_rounding.hpp>
#include <octile/kernels/lowering.hpp>

namespace octile {

/// Follows the roundings of a program's formulas step by step, over the range of labels that the records have. Errors of an exponential grow
/// with its exponent t, while the exponential falls: a t of more than `deepest` counts in `absolute`, as t e^{-t}.
KernelRounding kernel_rounding(const LoweredKernel& kernel, double deepest);

}  // namespace octile
