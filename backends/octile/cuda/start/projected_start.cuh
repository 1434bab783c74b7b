// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/start/projection.hpp>
#include <octile/cuda/start/warp_tile.cuh>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The size of C and its remainders, in units of four words.
inline constexpr std::size_t coefficients_a_pair = 2 * words_a_tile / 4;

/// The starts of a launch's pairs. All graphs of the pairs have bases. Pointers are null if pairs start at 0.
struct Starts {
  const std::uint32_t* tile_begin;
  const uint4* basis;
  const uint4* coefficients;  ///< of the launch's first pair
};

inline Starts starts_of(const ProjectionView& projection, const uint4* coefficients) {
  return {projection.tile_begin, reinterpret_cast<const uint4*>(projection.basis), coefficients};
}

/// x⁰ of one pair, for the block that solves it.
class ProjectedStart {
 public:
  __device__ ProjectedStart(const Starts& starts, Pair pair, int k) : starts_(starts), pair_(pair), k_(k) {}

  __device__ bool given() const { return starts_.coefficients != nullptr; }

  /// Calls put(i, i', x, next x) for two adjacent columns at a time, once for all elements, by the whole block. Sizes
  /// are rounded up to 16; x is 0 past a graph's last vertex. No barrier.
  template <class Put>
  __device__ __forceinline__ void fill(const Put& put) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint4* const place = starts_.coefficients + std::size_t(k_) * coefficients_a_pair + lane;
    const Split c{TileWords::load(place), TileWords::load(place + 32)};
    const Basis first = basis(pair_.first);
    const Basis second = basis(pair_.second);
    for (int row = static_cast<int>(threadIdx.x) / 32; row < first.tiles; row += static_cast<int>(blockDim.x) / 32) {
      const Split f = first.tile(row, lane);
      WarpTile sums;
      sums.add(f.low, c.high);
      sums.add(f.high, c.low);
      sums.add(f.high, c.high);
      const TileWords high = sums.high();
      const TileWords low = sums.low(high);
#pragma unroll 3
      for (int column = 0; column < second.tiles; ++column) {
        const Split g = second.tile(column, lane);
        WarpTile x;
        x.add_transposed(low, g.high);
        x.add_transposed(high, g.low);
        x.add_transposed(high, g.high);
#pragma unroll
        for (int word = 0; word < 4; ++word) {
          put(16 * row + lane / 4 + 8 * (word % 2), 16 * column + 8 * (word / 2) + lane % 4 * 2, x.two(word, 0),
              x.two(word, 1));
        }
      }
    }
  }

 private:
  /// Numbers as sums of two halves.
  struct Split {
    TileWords high;
    TileWords low;
  };

  struct Basis {
    const uint4* place;
    int tiles;

    __device__ Split tile(int number, int lane) const {
      const uint4* const words = place + number * int(2 * words_a_tile / 4) + lane;
      return {TileWords::load(words), TileWords::load(words + words_a_tile / 4)};
    }
  };

  __device__ Basis basis(std::int32_t graph) const {
    const std::uint32_t begin = __ldg(starts_.tile_begin + graph);
    return {starts_.basis + begin * (2 * words_a_tile / 4),
            static_cast<int>(__ldg(starts_.tile_begin + graph + 1) - begin)};
  }

  const Starts& starts_;
  Pair pair_;
  int k_;
};

}  // namespace octile::cuda
