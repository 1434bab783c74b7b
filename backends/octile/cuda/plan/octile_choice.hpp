// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/primitives.hpp>
#include <octile/tile_choice.hpp>

namespace octile::cuda {

/// Which octiles are taken as dense, and which of the paper's steps are used. Only the products of octiles read it.
struct OctileChoice {
  PrimitiveFamily family = PrimitiveFamily::adaptive;
  AdaptiveThresholds thresholds{0, 0};
  TileSteps steps{};
};

/// Populations from which an octile is taken as dense here, measured on an H200 (bench/results). Dense × dense wins
/// from half the population that it takes in the portable backend, whose tiles cost barriers of the block.
constexpr AdaptiveThresholds native_thresholds(bool labelled) {
  return labelled ? AdaptiveThresholds{16, 16} : AdaptiveThresholds{0, 12};
}

}  // namespace octile::cuda
