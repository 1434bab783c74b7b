// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/dense_shape.cuh>
#include <octile/cuda/products/factored.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The product of an edge kernel with one factor that is the same for all edges of a graph: Y = A P A'ᵀ, with A and A'
/// of zeros and ones, for graphs of up to 16 Tiles vertices. It is two dense products in half precision on the tensor
/// cores. T, the result of the first, stays in registers. A warp has 16 rows of A, of T and of Y.
///
///     T = A P       P is a sum of two halves, high + low, and A is exact: two products keep 22 bits
///     Y = T A'ᵀ     the same, with T as a sum of two halves
///
///            A           P   16 columns at a time           T                A'ᵀ            Y
///         ┌───────┐     ┌──┬─────┐                        ┌──┐            ┌────────┐     ┌───────┐
///         │       │     │  │     │                        │  │            │▒▒▒▒▒▒▒▒│     │       │
///         ├───────┤     │  │     │                        ├──┤            ├────────┤     ├───────┤
///  warp → │▒▒▒▒▒▒▒│  ×  │▒▒│     │    =                   │▒▒│     ×      │        │  +→ │▒▒▒▒▒▒▒│ in registers
///         ├───────┤     │  │     │                        ├──┤            │        │     ├───────┤
///         └───────┘     └──┴─────┘                        └──┘            └────────┘     └───────┘
///
/// Sums are in single precision, but a tensor core truncates instead of rounding. If the product must be exact (slack
/// 0), only 16 terms are summed there. If `slack` is large enough, the low parts are left out.
template <int Tiles_>
struct DenseProduct : DenseShape<Tiles_> {
  using Shape = DenseShape<Tiles_>;
  using Shape::columns, Shape::lane, Shape::numbers, Shape::pitch, Shape::rows, Shape::tile, Shape::Tiles;
  static constexpr int threads = 32 * Tiles;
  static constexpr int places = 8 * Tiles;
  static constexpr int blocks = Tiles > 6 ? 1 : Tiles > 4 ? 2 : Tiles > 3 ? 3 : 5;  ///< on a multiprocessor
  using Labels = DenseLabels<columns>;
  using Reader = DenseReader<columns>;
  using Direction = InHalves<numbers>;
  static constexpr bool starts = false;
  using Solution = ThreadGlobal<threads, places>;
  using Residual = ThreadRegistersAndShared<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = numbers;
  static constexpr std::size_t z_floats = Residual::floats;
  static constexpr bool sees_apart = false;

  /// Shared memory for A'.
  static constexpr ProductMemory memory() { return {ProductMemory::Form::fixed, Shape::bytes_a_matrix, 0}; }

  double first_scale;
  double second_scale;

  /// Loads A into registers, with p's memory as scratch, and A' into shared memory at `kept`.
  template <class Set, class EdgeKernel, class System>
  __device__ DenseProduct(const Set& set, const EdgeKernel&, const System& system, float* p, unsigned char* kept)
      : first_scale(factor_of_edges(set, system.first_vertex, system.n) * (1 / unit)),
        second_scale(factor_of_edges(set, system.second_vertex, system.m)),
        m(system.m),
        second(shared_address(kept)) {
    Shape::clear(reinterpret_cast<unsigned char*>(p), 1);
    Shape::clear(kept, 1);
    block_barrier<threads>();
    spread(set, system.first_graph, half_bits(unit), reinterpret_cast<std::uint16_t*>(p));
    spread(set, system.second_graph, half_bits(1.0F), reinterpret_cast<std::uint16_t*>(kept));
    block_barrier<threads>();
    const SharedAddress from = shared_address(p) + Shape::down_first();
#pragma unroll
    for (int k = 0; k < Tiles; ++k) load_matrices(from + tile(warp(), k), a[k]);
    block_barrier<threads>();  // A has been read; p may overwrite it
  }

  /// y ← N p, as exact as `slack` demands, without a barrier.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    if (slack == 0) {
      multiply<true, true>(p, y);
    } else if (slack < one_half) {
      multiply<true, false>(p, y);
    } else {
      multiply<false, false>(p, y);
    }
  }

  /// The thread's element number `place`. Four successive places are two adjacent columns in each of two rows.
  __device__ __forceinline__ static DistributedSlot slot(int place) {
    const int i = 16 * warp() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  /// The value stored for a one of A: with it, sums of 128 elements of p stay far below the largest half.
  static constexpr float unit = 0.0625F;
  /// The slack from which the high parts alone suffice: the square of 2^-11, the rounding of one half.
  static constexpr float one_half = 0x1p-22F;

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }

  /// Writes `one` into the matrix at the edges of a graph.
  template <class Set>
  __device__ static void spread(const Set& set, int graph, std::uint16_t one, std::uint16_t* matrix) {
    const std::uint32_t end = set.spot_begin(graph + 1);
#pragma unroll 4
    for (std::uint32_t e = set.spot_begin(graph) + threadIdx.x; e < end; e += threads) {
      const std::uint32_t spot = __ldg(set.spots.data() + e);
      matrix[(spot & 0xFFFF) * pitch + (spot >> 16)] = one;
    }
  }

  /// Y ← A P A'ᵀ. Both: with the low parts. Exact: sums of more than 16 terms are rounded, not truncated.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(const Direction& p, Result& y) const {
    float sums[Tiles][2][4] = {};
    const SharedAddress from = shared_address(p.high()) + Shape::down_first();
    const SharedAddress from_second = second + Shape::right_first();
#pragma unroll 1
    for (int block = 0; 16 * block < m; ++block) {
      float t[2][4] = {};
      float lesser[2][4] = {};
      std::uint32_t words[4];
#pragma unroll
      for (int k = 0; k < Tiles; ++k) {
        load_transposed(from + tile(k, block), words);
        // Successive products into one sum wait for each other. Without low parts, `lesser` is free to take every second one.
        Shape::template add<Exact>(Both || k % 2 == 0 ? t : lesser, a[k], words);
        if constexpr (Both) {
          load_transposed(from + Shape::bytes_a_matrix + tile(k, block), words);
          Shape::template add<false>(lesser, a[k], words);
        }
      }
      const SplitTile split(t, lesser, 1.0F);
#pragma unroll
      for (int k = 0; k < Tiles; ++k) {
        load_matrices(from_second + tile(k, block), words);
        if constexpr (Both) Shape::template add<Exact>(sums[k], split.low, words);
        Shape::template add<Exact>(sums[k], split.high, words);
      }
    }
#pragma unroll
    for (int place = 0; place < places; ++place) y.values[place] = sums[place / 8][place / 4 % 2][place % 4];
  }

  int m;
  SharedAddress second;       ///< address of A'
  std::uint32_t a[Tiles][4];  ///< the warp's rows of A
};

}  // namespace octile::cuda
