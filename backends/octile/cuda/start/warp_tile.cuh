// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/intrinsics.cuh>
#include <octile/cuda/start/projection.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// A tile's words of a lane: as A; of a symmetric matrix or a transpose, as B they are 0 and 2, then 1 and 3.
struct TileWords {
  std::uint32_t words[4];

  __device__ static TileWords load(const uint4* tile) {
    const uint4 four = __ldg(tile);
    return {{four.x, four.y, four.z, four.w}};
  }
};

/// 16 × 16 numbers that a warp has in `multiply_add`'s sums, and the same as its A.
struct WarpTile {
  float values[2][4] = {};

  /// values += A B, B as it is loaded transposed,
  __device__ void add(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[1]);
    multiply_add(values[1], a.words, b.words[2], b.words[3]);
  }
  /// and values += A Bᵀ.
  __device__ void add_transposed(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[2]);
    multiply_add(values[1], a.words, b.words[1], b.words[3]);
  }
  __device__ float two(int word, int which) const { return values[word / 2][word % 2 * 2 + which]; }
  /// As A, rounded, and what that leaves.
  __device__ TileWords high() const {
    TileWords tile;
#pragma unroll
    for (int word = 0; word < 4; ++word) tile.words[word] = halves(two(word, 0), two(word, 1));
    return tile;
  }
  __device__ TileWords low(const TileWords& high) const {
    TileWords tile;
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      tile.words[word] = halves(two(word, 0) - low_half(high.words[word]), two(word, 1) - high_half(high.words[word]));
    }
    return tile;
  }
};

}  // namespace octile::cuda
