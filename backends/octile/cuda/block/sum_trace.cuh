// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/warp.cuh>
#include <octile/sum_estimate.hpp>

namespace octile::cuda {

/// A `SumTrace` in shared memory, for a block. Its first thread writes. What the others read is of earlier steps, each of
/// which ended with a barrier.
class BlockSumTrace {
 public:
  __device__ explicit BlockSumTrace(SumTrace<float>& trace) : trace_(trace) {}
  __device__ __forceinline__ void put(int k, float ratio, float sum, float alpha) {
    if (threadIdx.x == 0) trace_.put(k, ratio, sum, alpha);
  }
  __device__ __forceinline__ float sum(int k) const { return trace_.sum(k); }
  __device__ __forceinline__ float alpha(int k) const { return trace_.alpha(k); }
  __device__ __forceinline__ float largest(int k, int count) const {
    const auto place = static_cast<int>(threadIdx.x) % SumTrace<float>::kept;
    const int steps_ago = (k - 1 - place) & (SumTrace<float>::kept - 1);
    return most_of_lanes(steps_ago < count ? trace_.ratios[place] : 0.0F);
  }

 private:
  SumTrace<float>& trace_;
};

}  // namespace octile::cuda
