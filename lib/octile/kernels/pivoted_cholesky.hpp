// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/factors.hpp>
#include <octile/kernels/lowering.hpp>

#include <cstddef>
#include <optional>

namespace octile {

/// `factorize` for a kernel that is neither constant nor one delta.
std::optional<Factors> pivoted_cholesky(const LoweredKernel& kernel, double error, std::size_t most);

}  // namespace octile
