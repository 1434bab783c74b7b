// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The size of an octile, for code that needs nothing else of octile.hpp and does not include Kokkos.
namespace octile {

/// Rows and columns of an octile.
inline constexpr int octile_size = 8;
/// Elements of an octile.
inline constexpr int octile_area = octile_size * octile_size;

}  // namespace octile
