// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

// The parts of CUDA that our kernels use, for a host compiler. Kernels run on the CPU, one block at a time, with a
// fiber for each thread. Include this before any header of the native backend, so that
// octile/cuda/block/intrinsics.cuh is found here. NOLINTBEGIN(bugprone-reserved-identifier)
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 {
  unsigned int x = 0;
  unsigned int y = 0;
  unsigned int z = 0;
};
struct alignas(16) double2 {
  double x;
  double y;
};
struct alignas(8) float2 {
  float x;
  float y;
};
struct alignas(16) float4 {
  float x;
  float y;
  float z;
  float w;
};
struct alignas(8) uint2 {
  unsigned int x;
  unsigned int y;
};
struct alignas(16) uint4 {
  unsigned int x;
  unsigned int y;
  unsigned int z;
  unsigned int w;
};

/// The indices of the running thread.
extern uint3 threadIdx;
extern uint3 blockIdx;
extern uint3 blockDim;
extern uint3 gridDim;

namespace octile::cuda {

/// The most shared memory that a block may have.
inline constexpr std::size_t most_shared_memory = 232448;

}  // namespace octile::cuda

namespace octile::emulated {

inline constexpr int warp_lanes = 32;

/// A block's shared memory: the array `octile::cuda::memory`, which kernels declare as `extern __shared__`.
unsigned char* shared_memory();

/// Which of the ready threads runs first: the first or the last. A warp runs from one barrier of the block to the next
/// before another warp does, and likewise a lane from one operation of the warp to the next. Of two threads that do not
/// wait for each other, each is ahead in one of the orders. So results that depend on this differ between the orders.
enum class Order { forwards, backwards };

/// Runs `kernel` as every thread of `blocks` blocks of `threads` threads, block after block. Each has `shared_bytes` of
/// memory, filled with meaningless values that depend on the order. Throws std::runtime_error with the location
/// if threads wait for others that never arrive, if lanes of a warp reach different operations, or if something was
/// written past the shared memory.
void emulate(int blocks, int threads, std::size_t shared_bytes, Order order, const std::function<void()>& kernel);

/// Ends the running block, and lets `emulate` throw. Called by a thread of the block, whose objects are not destroyed.
[[noreturn]] void fail(std::string what);

/// The bytes of shared memory of the running block.
std::size_t shared_bytes();

/// Waits for all threads of the block.
void meet_block();

/// Waits for all lanes of the warp, each of which passes `bytes` of data, 64 at most. One lane calls `combine` on the
/// data of all lanes in order. Returns the result to every lane, valid until the lane's next operation.
void* meet_warp(const char* operation, const void* mine, std::size_t bytes, void (*combine)(void* all) = nullptr);

inline int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }

/// The value of another lane.
template <class T>
T from_lane(const char* operation, const T& mine, int source) {
  return static_cast<const T*>(meet_warp(operation, &mine, sizeof(T)))[source];
}

}  // namespace octile::emulated

inline void __syncthreads() { octile::emulated::meet_block(); }
inline void __syncwarp() { octile::emulated::meet_warp("__syncwarp", nullptr, 0); }

/// For whole warps only, as our kernels' masks say.
template <class T>
T __shfl_xor_sync(unsigned int, T value, int distance) {
  return octile::emulated::from_lane("__shfl_xor_sync", value, octile::emulated::lane() ^ distance);
}
template <class T>
T __shfl_down_sync(unsigned int, T value, unsigned int distance) {
  const int source = octile::emulated::lane() + static_cast<int>(distance);
  return octile::emulated::from_lane("__shfl_down_sync", value,
                                     source < octile::emulated::warp_lanes ? source : octile::emulated::lane());
}
template <class T>
T __shfl_sync(unsigned int, T value, int source) {
  return octile::emulated::from_lane("__shfl_sync", value, source % octile::emulated::warp_lanes);
}

template <class T>
T __ldg(const T* pointer) {
  return *pointer;
}
template <class T>
T __ldcg(const T* pointer) {
  return *pointer;
}
template <class T>
void __stcg(T* pointer, T value) {
  *pointer = value;
}
inline int atomicAdd(int* pointer, int value) {
  const int before = *pointer;
  *pointer += value;
  return before;
}

inline float __uint_as_float(unsigned int word) {
  float value = 0;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}
inline unsigned int __float_as_uint(float value) {
  unsigned int word = 0;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline float __fdividef(float a, float b) { return a / b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
// NOLINTEND(bugprone-reserved-identifier)
