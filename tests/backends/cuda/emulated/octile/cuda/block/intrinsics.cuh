// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "backends/cuda/emulated/device.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <Eigen/Core>

// The device instructions in plain C++: the functions of backends/octile/cuda/block/intrinsics.cuh, which describes them.
namespace octile::cuda {

inline float fast_exp2(float x) { return std::exp2(x); }

inline float fast_log2(float x) { return std::log2(x); }

inline float fast_reciprocal(float x) { return 1.0F / x; }

inline std::uint32_t load_here(const std::uint32_t* pointer) { return *pointer; }

/// Bytes from the beginning of the block's shared memory.
using SharedAddress = std::uint32_t;

inline SharedAddress shared_address(const void* pointer) {
  const std::ptrdiff_t offset = static_cast<const unsigned char*>(pointer) - emulated::shared_memory();
  if (offset < 0 || offset > static_cast<std::ptrdiff_t>(emulated::shared_bytes())) {
    emulated::fail("the address of something that is not in shared memory is asked for");
  }
  return static_cast<SharedAddress>(offset);
}

/// Loads a value. Fails if it does not lie in the block's shared memory or is not aligned to its size.
template <class T>
T load_from_shared(SharedAddress address) {
  if (address % sizeof(T) != 0 || address + sizeof(T) > emulated::shared_bytes()) {
    emulated::fail(std::to_string(sizeof(T)) + " bytes are read at " + std::to_string(address) + " of " +
                   std::to_string(emulated::shared_bytes()) + " of shared memory");
  }
  T value;
  std::memcpy(&value, emulated::shared_memory() + address, sizeof(T));
  return value;
}

inline float load_shared(SharedAddress address) { return load_from_shared<float>(address); }

inline uint2 load_shared_pair(SharedAddress address) { return load_from_shared<uint2>(address); }

inline uint4 load_shared_quad(SharedAddress address) { return load_from_shared<uint4>(address); }

inline std::uint32_t bits_of_half(float value) {
  constexpr float largest = 65504;
  return Eigen::half(std::isnan(value) ? value : std::clamp(value, -largest, largest)).x;
}

inline float half_of_bits(std::uint32_t bits) {
  return Eigen::half_impl::half_to_float(
      Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(bits & 0xFFFFU)));
}

inline std::uint16_t half_bits(float x) { return static_cast<std::uint16_t>(bits_of_half(x)); }

inline float half_value(std::uint16_t bits) { return half_of_bits(bits); }

inline std::uint32_t halves(float low, float high) { return bits_of_half(low) | bits_of_half(high) << 16; }

inline float low_half(std::uint32_t word) { return half_of_bits(word); }

inline float high_half(std::uint32_t word) { return half_of_bits(word >> 16); }

/// What lanes pass to `load_matrices`, and get from it.
struct MatrixRow {
  SharedAddress row;
  std::uint32_t words[4];
};

/// The word that holds elements (row, column) and (row, column + 1) of matrix k, or of its transpose.
template <bool Transposed>
std::uint32_t matrix_word(const MatrixRow* lanes, int k, int row, int column) {
  const auto element = [&](int r, int c) -> std::uint32_t {
    std::uint16_t bits = 0;
    std::memcpy(&bits, emulated::shared_memory() + lanes[8 * k + r].row + 2 * c, sizeof(bits));
    return bits;
  };
  if constexpr (Transposed) return element(column, row) | element(column + 1, row) << 16;
  return element(row, column) | element(row, column + 1) << 16;
}

template <bool Transposed>
void load_matrices_as(const char* operation, SharedAddress row, std::uint32_t (&words)[4]) {
  load_from_shared<uint4>(row);
  const MatrixRow mine{row, {}};
  const auto combine = [](void* all) {
    auto* const lanes = static_cast<MatrixRow*>(all);
    for (int lane = 0; lane < emulated::warp_lanes; ++lane) {
      for (int k = 0; k < 4; ++k) lanes[lane].words[k] = matrix_word<Transposed>(lanes, k, lane / 4, 2 * (lane % 4));
    }
  };
  const auto* const lanes = static_cast<const MatrixRow*>(emulated::meet_warp(operation, &mine, sizeof(mine), combine));
  std::memcpy(words, lanes[emulated::lane()].words, sizeof(words));
}

inline void load_matrices(SharedAddress row, std::uint32_t (&words)[4]) {
  load_matrices_as<false>("load_matrices", row, words);
}

inline void load_transposed(SharedAddress row, std::uint32_t (&words)[4]) {
  load_matrices_as<true>("load_transposed", row, words);
}

/// What lanes pass to `multiply_add`, and get from it, in d.
struct Fragments {
  float d[4];
  std::uint32_t a[4];
  std::uint32_t b[2];
};

/// Rounds towards zero, as tensor cores do.
inline float cut_off(double sum) {
  const auto nearest = static_cast<float>(sum);
  return std::abs(static_cast<double>(nearest)) > std::abs(sum) ? std::nextafter(nearest, 0.0F) : nearest;
}

/// Multiplies the fragments of all lanes, in double.
inline void multiply_fragments(void* all) {
  auto* const lanes = static_cast<Fragments*>(all);
  double a[16][16];
  double b[16][8];
  for (int lane = 0; lane < emulated::warp_lanes; ++lane) {
    const int group = lane / 4;
    const int column = 2 * (lane % 4);
    for (int word = 0; word < 4; ++word) {
      double* const row = a[group + 8 * (word % 2)] + column + 8 * (word / 2);
      row[0] = low_half(lanes[lane].a[word]);
      row[1] = high_half(lanes[lane].a[word]);
    }
    for (int word = 0; word < 2; ++word) {
      b[column + 8 * word][group] = low_half(lanes[lane].b[word]);
      b[column + 8 * word + 1][group] = high_half(lanes[lane].b[word]);
    }
  }
  for (int lane = 0; lane < emulated::warp_lanes; ++lane) {
    for (int element = 0; element < 4; ++element) {
      const int row = lane / 4 + 8 * (element / 2);
      const int column = 2 * (lane % 4) + element % 2;
      double sum = lanes[lane].d[element];
      for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      lanes[lane].d[element] = cut_off(sum);
    }
  }
}

inline void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b_first, std::uint32_t b_second) {
  const Fragments mine{{d[0], d[1], d[2], d[3]}, {a[0], a[1], a[2], a[3]}, {b_first, b_second}};
  const auto* const lanes =
      static_cast<const Fragments*>(emulated::meet_warp("multiply_add", &mine, sizeof(mine), multiply_fragments));
  std::memcpy(d, lanes[emulated::lane()].d, sizeof(d));
}

}  // namespace octile::cuda
