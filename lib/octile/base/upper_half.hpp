// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace octile::detail {

/// The upper half of a number's bits: its sign, exponent and first 20 bits. Of numbers that are not below 0 the larger one has the larger half, of
/// others the smaller.
KOKKOS_INLINE_FUNCTION std::uint32_t upper_half(double number) {
  return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(number) >> 32U);
}

}  // namespace octile::detail
