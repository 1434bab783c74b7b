// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

namespace octile::reorder {

/// An order as a travelling salesman's tour over the rows of the matrix (after Pinar and Heath, 1999), on the tile
/// objective: the distance of rows u and v is the number of columns of octiles that only one of them touches,
/// so that rows that touch the same columns come together. These columns depend on the order, so there are a few
/// rounds, the first over single columns. The tour begins as the RCM order, is shortened by reversing parts of it
/// (2-opt), and cut where that leaves the fewest tiles. The best round is taken. A round takes about n² steps.
VertexOrder tsp_order(const Pattern& pattern);

}  // namespace octile::reorder
