// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>

#include <cstdint>

namespace octile::cuda {

/// What the systems of x and of y have at one place, where both are solved side by side.
struct alignas(8) Two {
  float x;
  float y;

  __device__ Two& operator+=(const Two& other) {
    x += other.x;
    y += other.y;
    return *this;
  }
};
__device__ inline Two operator+(const Two& a, const Two& b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline Two operator-(const Two& a, const Two& b) { return {a.x - b.x, a.y - b.y}; }
__device__ inline Two operator*(float factor, const Two& a) { return {factor * a.x, factor * a.y}; }
/// The product of both numbers of x, and that of both numbers of y.
__device__ inline Two operator*(const Two& a, const Two& b) { return {a.x * b.x, a.y * b.y}; }

/// Loads a number from shared memory, or the `Two` numbers of a place.
template <class Number>
__device__ inline Number load_shared_number(SharedAddress address) {
  if constexpr (sizeof(Number) == sizeof(float)) {
    return load_shared(address);
  } else {
    const uint2 words = load_shared_pair(address);
    return {__uint_as_float(words.x), __uint_as_float(words.y)};
  }
}

/// The number of the lane that is `distance` above.
__device__ inline float number_from_above(float number, std::uint32_t distance) {
  return __shfl_down_sync(0xFFFFFFFFU, number, distance);
}
__device__ inline Two number_from_above(const Two& numbers, std::uint32_t distance) {
  return {number_from_above(numbers.x, distance), number_from_above(numbers.y, distance)};
}

}  // namespace octile::cuda
