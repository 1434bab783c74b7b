// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace octile::cuda {

/// Lanes of a warp.
inline constexpr std::int32_t warp_lanes = 32;

/// A warp as the team of `closed_form_by_team`. All of its lanes call `sum`, which adds in a fixed order.
struct WarpTeam {
  __device__ std::int32_t lane() const { return static_cast<std::int32_t>(threadIdx.x) % warp_lanes; }
  __device__ std::int32_t lanes() const { return warp_lanes; }
  __device__ double sum(double value) const {
    for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
    }
    return value;
  }
};

}  // namespace octile::cuda
