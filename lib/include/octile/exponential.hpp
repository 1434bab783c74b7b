// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <type_traits>

namespace octile {

namespace detail {
#if defined(__CUDACC__)
/// 2^x by the special function unit, in one instruction. Relative error at most 2^-22; subnormal results are flushed to 0.
__device__ inline float device_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif
}  // namespace detail

/// e^x for base kernels of your own, as quick as in the library's. On an NVIDIA GPU in float it takes two instructions, its relative error
/// is at most 2^-22 + |x| 2^-23, and it is 0 where it would be below 2^-126. Elsewhere, and in double, it is `Kokkos::exp`.
template <class T>
KOKKOS_INLINE_FUNCTION T exponential(T x) {
  static_assert(std::is_floating_point_v<T>);
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return detail::device_exp2(x * 1.44269504F);
#endif
  return Kokkos::exp(x);
}

}  // namespace octile
