// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// `pointer`, which is to a device's global memory, as an address in registers that the compiler does not take apart.
/// From `(values + begin)[place]` the compiler otherwise makes `values + (begin + place)` at every read: sums of 64
/// bits, which take a GPU five instructions instead of one.
template <class T>
KOKKOS_INLINE_FUNCTION const T* fixed_pointer(const T* pointer) {
#if defined(__CUDA_ARCH__)
  std::size_t address = __cvta_generic_to_global(pointer);
  asm("" : "+l"(address));
  return static_cast<const T*>(__cvta_global_to_generic(address));
#else
  return pointer;
#endif
}

/// Prefetches to L1 what is read soon from a device's global memory, without waiting for it.
template <class T>
KOKKOS_INLINE_FUNCTION void fetch_early([[maybe_unused]] const T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(pointer)));
#endif
}

/// Prefetches to L2, the cache that all multiprocessors share, without waiting.
template <class T>
KOKKOS_INLINE_FUNCTION void fetch_to_l2([[maybe_unused]] const T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(pointer)));
#endif
}

/// `number`, in a register: the compiler does not compute it again where it is used. All threads of a warp call this.
KOKKOS_INLINE_FUNCTION std::uint32_t in_register(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffU, number, (threadIdx.y * blockDim.x + threadIdx.x) % 32);
#else
  return number;
#endif
}

}  // namespace octile::detail
