// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

#include <array>
#include <cstdint>

namespace octile::reorder {

/// Bits of a coordinate on the grid that a curve walks.
inline constexpr int curve_bits = 20;

/// A point of the grid: whole numbers in 0 … 2^curve_bits − 1.
using GridPoint = std::array<std::uint32_t, 3>;

/// The position of a point on the Morton curve: the interleaved bits of its coordinates, highest first.
std::uint64_t morton_key(const GridPoint& point, int dimensions);

/// The position of a point on the Hilbert curve through the grid, on which the next point is always a neighbour. After
/// Skilling (2004): level by level, each coordinate in the upper half mirrors the remaining cube, each other
/// one rotates it, and the Gray code of the result is the key.
std::uint64_t hilbert_key(GridPoint point, int dimensions);

/// The order of the vertices along the curve through their smallest enclosing cube. Vertices at one point of the grid
/// keep their natural order. Throws `Error`, naming the graph, for a pattern without coordinates.
VertexOrder morton_order(const Pattern& pattern);
VertexOrder hilbert_order(const Pattern& pattern);

}  // namespace octile::reorder
