// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pattern.hpp>

namespace octile::reorder {

/// The reverse Cuthill-McKee order of Boost Graph: breadth first from an end of each component, neighbours by degree,
/// then reversed.
VertexOrder rcm_order(const Pattern& pattern);

}  // namespace octile::reorder
