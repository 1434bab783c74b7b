// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/team.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/pairs/conjugate_gradient.hpp>

#include <cstdint>

namespace octile::cuda {

/// The head of a block's shared memory: what it begins with. Shared memory is laid out as
///
///     this: sums of warps, claimed pair, bounds │ the product's memory │ p │ a
struct SharedHead {
  Partials partials;
  /// The claimed pair's number, until all threads have read it; where a block solves both systems of a pair, then which
  /// one, 0 or 1. A member of its own would move all that follows by 16 bytes, with which ptxas makes `StripProduct`
  /// spill more: 3 % of its time (nvcc 13.0, sm_90).
  int claimed;
  std::uint32_t pitch;                   ///< of the table of κv (`TableOfPair`)
  const double* reciprocals;             ///< its numbers, for the pair
  double value_scale;                    ///< of the pair (`Work::value_scale`)
  double inverse_volume;                 ///< of the pair (`Work::inverse_volume`)
  alignas(16) Bounds<float> bounds[32];  ///< one copy a warp
};
static_assert(shared_piece(sizeof(SharedHead)) == shared_head_bytes());

}  // namespace octile::cuda
