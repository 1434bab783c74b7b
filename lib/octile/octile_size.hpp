// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The number 8, for those who read no other arithmetic of octiles, and no Kokkos.
namespace octile {

/// Rows and columns of an octile.
inline constexpr int octile_size = 8;
/// Elements of an octile.
inline constexpr int octile_area = octile_size * octile_size;

}  // namespace octile
