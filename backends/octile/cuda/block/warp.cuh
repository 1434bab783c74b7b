// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace octile::cuda {

/// Lanes of a warp.
inline constexpr std::int32_t warp_lanes = 32;

/// A barrier of the block; a barrier of the warp if the block is one warp.
template <int Threads>
__device__ void block_barrier() {
  if constexpr (Threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// The largest of a warp's numbers, for all its lanes.
__device__ __forceinline__ float most_of_lanes(float mine) {
#pragma unroll
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(0xFFFFFFFFU, mine, distance));
  }
  return mine;
}

/// Writes a warp's own copy of a number in shared memory, which all its lanes read.
template <class T>
__device__ __forceinline__ void write_by_warp(T* copies, const T& value) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) copies[threadIdx.x / 32] = value;
  __syncwarp();
}

/// The number of this warp's item in a round. Items are sorted by falling size and dealt to the warps in alternating order.
template <int Warps>
__device__ inline int dealt(int round) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return round * Warps + (round % 2 == 0 ? warp : Warps - 1 - warp);
}

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
