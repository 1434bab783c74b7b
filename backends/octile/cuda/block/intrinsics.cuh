// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/exponential.hpp>

#include <cstdint>

// Device instructions that standard C++ cannot express, and nothing else. The emulation on the CPU replaces this header
// by its own, tests/backends/cuda/emulated/octile/cuda/block/intrinsics.cuh.
namespace octile::cuda {

/// 2^x by the special function unit, as base kernels of a caller's have it: see `detail::device_exp2`.
__device__ inline float fast_exp2(float x) { return detail::device_exp2(x); }

/// log₂ x by the special function unit; −∞ for 0. The error is at most 2^-22: absolute for x in [1/2, 2], else relative.
__device__ inline float fast_log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x by the special function unit, for |x| between 2^-126 and 2^126.
__device__ inline float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Loads a word of read-only data. The compiler must not move the load down to where the word is used.
__device__ inline std::uint32_t load_here(const std::uint32_t* pointer) {
  std::uint32_t word;
  asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(pointer)));
  return word;
}

/// A 32-bit address in shared memory. With generic pointers the compiler adds the window's base in every pass of a loop.
using SharedAddress = std::uint32_t;

__device__ inline SharedAddress shared_address(const void* pointer) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(pointer));
}

__device__ inline float load_shared(SharedAddress address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
  return value;
}

/// Loads 8 bytes from an address aligned to 8.
__device__ inline uint2 load_shared_pair(SharedAddress address) {
  uint2 words;
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "r"(address));
  return words;
}

/// Loads 16 bytes from an address aligned to 16.
__device__ inline uint4 load_shared_quad(SharedAddress address) {
  uint4 words;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(address));
  return words;
}

/// The bits of x in half precision: rounded to nearest, saturated at ±65,504.
__device__ inline std::uint16_t half_bits(float x) {
  std::uint16_t bits;
  asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}

__device__ inline float half_value(std::uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

/// Two numbers in half precision packed in one word, each rounded as by `half_bits`.
__device__ inline std::uint32_t halves(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ inline float low_half(std::uint32_t word) {
  float value;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }" : "=f"(value) : "r"(word));
  return value;
}

__device__ inline float high_half(std::uint32_t word) {
  float value;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }" : "=f"(value) : "r"(word));
  return value;
}

/// Loads four 8 × 8 matrices of halves from shared memory, by a whole warp. Lane 8 k + r passes the address of row r of
/// matrix k: 16 bytes, aligned to 16. In word k, lane l gets from matrix k row l / 4, columns 2 (l mod 4) and the next.
__device__ inline void load_matrices(SharedAddress row, std::uint32_t (&words)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row));
}

/// As `load_matrices`, but of the transposes: in word k, lane l gets from matrix k column l / 4, rows 2 (l mod 4) and the next.
__device__ inline void load_transposed(SharedAddress row, std::uint32_t (&words)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row));
}

/// D ← A B + D by a whole warp, A 16 × 16 and B 16 × 8 of halves, D 16 × 8 of floats. Lane l has, with g = l / 4, c = 2 (l mod 4):
///
///     a   rows g, g + 8, g, g + 8      columns c, c, c + 8, c + 8, each with the next
///     b   column g                     rows c, c + 8, each with the next
///     d   rows g, g, g + 8, g + 8      columns c, c + 1, c, c + 1
///
__device__ inline void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b_first,
                                    std::uint32_t b_second) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_first), "r"(b_second));
}

}  // namespace octile::cuda
