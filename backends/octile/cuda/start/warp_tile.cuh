// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/start/projection.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// A lane's words of a tile, as operand A. If it is symmetric or transposed, words 0 and 2, then 1 and 3, are its halves as operand B.
struct TileWords {
  std::uint32_t words[4];

  __device__ static TileWords load(const uint4* tile) {
    const uint4 four = __ldg(tile);
    return {{four.x, four.y, four.z, four.w}};
  }
};

/// A 16 × 16 tile of floats in the form of two results of `multiply_add`, and its conversion to operand A.
struct WarpTile {
  float values[2][4] = {};

  /// values += A B, with B as loaded by `load_transposed`.
  __device__ void add(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[1]);
    multiply_add(values[1], a.words, b.words[2], b.words[3]);
  }
  /// values += A Bᵀ, with B in the form of operand A.
  __device__ void add_transposed(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[2]);
    multiply_add(values[1], a.words, b.words[1], b.words[3]);
  }
  __device__ float two(int word, int which) const { return values[word / 2][word % 2 * 2 + which]; }
  /// The tile as operand A: `high` is rounded to halves, `low` has the remainders.
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
