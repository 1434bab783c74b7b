// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::app {

/// A position in Å.
using Place = std::array<double, 3>;

/// A cell that repeats along some of its three vectors, given in Å.
struct PeriodicCell {
  std::array<Place, 3> vectors = {};
  std::array<bool, 3> periodic = {};
};

/// Places with copies of them in neighbouring cells.
struct Images {
  std::vector<Place> places;         ///< first all places, each moved into the cell; then copies
  std::vector<std::int32_t> owners;  ///< which place each of them is a copy of
};

/// The most copies that `images_around` makes.
inline constexpr std::size_t most_images = std::size_t{1} << 22U;

/// The places in a cell, and all copies nearer to the cell than `reach`, in a time linear in what is returned. Throws
/// `Error` that says what is allowed, for a cell whose periodic vectors are not finite, lie in one plane or line, or are too short for so
/// large a reach.
Images images_around(std::span<const Place> places, const PeriodicCell& cell, double reach);

}  // namespace octile::app
