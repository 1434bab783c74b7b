// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tier.hpp>
#include <octile/primitives.hpp>
#include <octile/tile_choice.hpp>

// What the native products share. concepts.cuh states what a product must provide.
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

/// A barrier of the block; a barrier of the warp if the block is one warp.
template <int Threads>
__device__ void block_barrier() {
  if constexpr (Threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// The number of this warp's item in a round. Items are sorted by falling size and dealt to the warps in alternating order.
template <int Warps>
__device__ inline int dealt(int round) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return round * Warps + (round % 2 == 0 ? warp : Warps - 1 - warp);
}

}  // namespace octile::cuda
