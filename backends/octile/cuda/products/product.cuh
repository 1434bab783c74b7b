// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tier.hpp>
#include <octile/primitives.hpp>
#include <octile/tile_choice.hpp>

// What the native products share; concepts.cuh says what they are.
namespace octile::cuda {

/// Which octiles are taken as dense, and which of the paper's steps are taken; the products of octiles alone read it.
struct OctileChoice {
  PrimitiveFamily family = PrimitiveFamily::adaptive;
  AdaptiveThresholds thresholds{0, 0};
  TileSteps steps{};
};

/// Where the products of octiles cross over here, as measured on an H200 (bench/results): dense × dense wins from half of
/// the population on that it takes in the portable backend, whose tiles cost a block's barriers.
constexpr AdaptiveThresholds native_thresholds(bool labelled) {
  return labelled ? AdaptiveThresholds{16, 16} : AdaptiveThresholds{0, 12};
}

/// A barrier of a block, which may be one warp.
template <int Threads>
__device__ void block_barrier() {
  if constexpr (Threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// What of things that come by falling size a warp has in a round: they are dealt forth and back.
template <int Warps>
__device__ inline int dealt(int round) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return round * Warps + (round % 2 == 0 ? warp : Warps - 1 - warp);
}

}  // namespace octile::cuda
