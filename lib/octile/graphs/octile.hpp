// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_size.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

// An octile is an 8×8 block of a matrix: where it is non-zero, in one 64-bit
// word, and its non-zero elements packed one behind the other in the order of
// the bits. Bit 8 i + j stands for element (i, j):
//
//            j = 0  1  2  3  4  5  6  7
//     i = 0      .  a  .  .  .  .  .  b        bits    1, 7, 8, 63
//     i = 1      c  .  .  .  .  .  .  .        packed  a, b, c, …, z
//       …                                      rank of bit 8 (c) = 2: c is packed at 2
//     i = 7      .  .  .  .  .  .  .  z
//
// Everything here is arithmetic on that word; no file but octile_size.hpp knows
// the number 8 too.
namespace octile {

/// Which elements of an octile are non-zero.
using OctileMask = std::uint64_t;

/// Octiles that cover `vertices` rows.
KOKKOS_INLINE_FUNCTION constexpr int octile_count(int vertices) { return (vertices + octile_size - 1) / octile_size; }

/// Number of the element (i, j), 0 ≤ i, j < 8, in the mask.
KOKKOS_INLINE_FUNCTION constexpr int octile_bit(int i, int j) { return i * octile_size + j; }
KOKKOS_INLINE_FUNCTION constexpr int octile_row_of(int bit) { return bit / octile_size; }
KOKKOS_INLINE_FUNCTION constexpr int octile_column_of(int bit) { return bit % octile_size; }

/// Mask with only element (i, j) set.
KOKKOS_INLINE_FUNCTION constexpr OctileMask octile_element(int i, int j) { return OctileMask(1) << octile_bit(i, j); }

/// Non-zero elements of the octile: 0 to 64.
KOKKOS_INLINE_FUNCTION int octile_population(OctileMask mask) { return Kokkos::Experimental::popcount_builtin(mask); }

/// Row i of the octile as 8 bits, bit j for column j.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t octile_row(OctileMask mask, int i) {
  return static_cast<std::uint32_t>(mask >> (octile_size * i)) & 0xFFU;
}

/// Where element `bit` is packed: non-zero elements before it, 0 ≤ bit < 64.
KOKKOS_INLINE_FUNCTION int octile_rank(OctileMask mask, int bit) {
  return octile_population(mask & ((OctileMask(1) << bit) - 1));
}

/// Number of the lowest element that is set; the mask must not be empty.
KOKKOS_INLINE_FUNCTION int octile_lowest(OctileMask mask) { return Kokkos::Experimental::countr_zero_builtin(mask); }

/// The mask without its lowest element.
KOKKOS_INLINE_FUNCTION constexpr OctileMask octile_without_lowest(OctileMask mask) { return mask & (mask - 1); }

}  // namespace octile
