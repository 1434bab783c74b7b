// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/primitives.hpp>
#include <octile/solvers/tile_choice.hpp>

namespace octile::cuda {

/// Which octiles are taken as dense, and which of the paper's steps are used. Only the products of octiles read it.
struct OctileChoice {
  PrimitiveFamily family = PrimitiveFamily::adaptive;
  AdaptiveThresholds thresholds{0, 0};
  TileSteps steps{};
};

}  // namespace octile::cuda
