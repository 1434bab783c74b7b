// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/primitives.hpp>
#include <octile/tile_choice.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>

// What the native products share. Each is a class over (Set, EdgeKernel, Threads, Staged) with
//
//     bytes(sizes)                                    shared memory that it takes, on the host
//     Xmv(set, kernel, choice, system, next, global)  stages what it keeps for a pair
//     apply(p, a)                                     a ← N p by a block of threads
//
namespace octile::cuda {

/// Which products there are.
enum class Product { slices, octiles, factored };

/// From row to row of a pair's vectors, for m columns. The factored product goes along columns too, and an odd pitch
/// keeps those in different banks; what is behind the last column is a filling.
KOKKOS_INLINE_FUNCTION constexpr int row_pitch(Product kind, int m) { return kind == Product::factored ? m | 1 : m; }

/// What of a pair decides how much shared memory a product takes: vertices, and elements in rows.
struct ProductSizes {
  std::size_t n = 0;
  std::size_t m = 0;
  std::size_t entries = 0;
  std::size_t entries_second = 0;
};

/// Which octiles are taken as dense, and which of the paper's steps are taken; the products of octiles alone read it.
struct OctileChoice {
  PrimitiveFamily family = PrimitiveFamily::adaptive;
  AdaptiveThresholds thresholds{0, 0};
  TileSteps steps{};
};

/// Where the products of octiles cross over here, as measured on an H200 (bench/results): dense × dense wins from half of
/// the population on that it takes in the portable backend, whose tiles cost a block's barriers.
constexpr AdaptiveThresholds native_thresholds(bool labelled) {
  return labelled ? AdaptiveThresholds{16, 16} : AdaptiveThresholds{0, 12};
}

/// Pieces of shared memory begin at multiples of 16 bytes.
KOKKOS_INLINE_FUNCTION constexpr std::size_t shared_piece(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// A barrier of a block, which may be one warp.
template <int Threads>
__device__ void block_barrier() {
  if constexpr (Threads == 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// What of things that come by falling size a warp has in a round: they are dealt forth and back.
template <int Warps>
__device__ inline int dealt(int round) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return round * Warps + (round % 2 == 0 ? warp : Warps - 1 - warp);
}

}  // namespace octile::cuda
