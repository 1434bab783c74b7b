// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

#include <cstdint>

namespace octile::reorder {

/// An order as a travelling salesman's tour over the rows of the matrix (after Pinar and Heath, 1999), on the tile
/// objective: the way from row u to row v is as long as the number of columns of octiles that only one of them touches,
/// so that rows that touch the same ones come together. What touches what depends on the order, so there are a few
/// rounds, the first over single columns. A tour is built by nearest neighbours and shortened by turning stretches of it
/// round (2-opt); it is cut open where that leaves the fewest tiles. The best round is taken. Rounds take some n².
/// Deterministic from the seed.
Permutation tsp_order(const Pattern& pattern, std::uint64_t seed);

}  // namespace octile::reorder
