// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/octile_set.hpp>
#include <octile/runtime_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels as the native solver evaluates them, over the labels that its set holds.
namespace octile::cuda {

/// 2^x by the special function unit, one instruction: relative error at most 2^-22 over the range, subnormals are 0.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// exp(−s (x − y)²) of labels that were stored as x √(s log₂e): 2^−(x − y)². Error: 2^-22 of the value from the
/// exponential, and 3 units of rounding of the exponent.
struct FastSquareExponential {
  /// A label as it is to be stored.
  static float stored(double label, double rate) {
    constexpr double log2_of_e = 1.4426950408889634;
    return static_cast<float>(label * std::sqrt(rate * log2_of_e));
  }

  __device__ float operator()(float x, float y) const {
    const float difference = x - y;
    return fast_exp2(-difference * difference);
  }
};

/// κ = c.
struct FastConstant {
  float value;
  __device__ float operator()(NoLabel, NoLabel) const { return value; }
};

/// 1 where the ids are equal, else h.
struct FastDelta {
  float h;
  __device__ float operator()(std::uint32_t a, std::uint32_t b) const { return formula::delta(a == b, h); }
};

/// A count × count table of κ over ids, in global memory and soon in the cache of each multiprocessor.
class FastTable {
 public:
  using Table = RuntimeKernel<float, Kokkos::Cuda::memory_space>;

  explicit FastTable(const Table& kernel) : table_(kernel.table()), count_(kernel.count()) {}

  __device__ float operator()(std::uint32_t a, std::uint32_t b) const { return __ldg(&table_(a * count_ + b)); }

 private:
  std::decay_t<decltype(std::declval<Table>().table())> table_;
  std::uint32_t count_;
};

}  // namespace octile::cuda
