// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/distributed_vertices.cuh>
#include <octile/cuda/products/slices.cuh>

#include <cstddef>

namespace octile::cuda {

/// Reads vertices for threads with few columns: degrees and ids of all columns are loaded once a pass. (Without this,
/// the compiler reloads them after each store.)
template <int Columns>
struct FewColumns : RowShares {
  float2 degrees[Columns];
  std::uint32_t id[Columns];

  template <class Head>
  __device__ void begin(const Head& head) {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      const int j = static_cast<int>(threadIdx.x) % 32 + 32 * c;
      degrees[c] = head.second.degrees[j];
      id[c] = head.second.label[j];
    }
  }
  template <class Head>
  __device__ float2 degree(const Head&, const DistributedSlot& slot) const {
    return degrees[slot.place % Columns];
  }
  template <class Head>
  __device__ std::uint32_t label(const Head&, const DistributedSlot& slot) const {
    return id[slot.place % Columns];
  }
};

/// The product by slices (`SliceXmv`) for pairs of up to Warps Rounds × 32 Columns vertices. The solve keeps z in registers, p and
/// y in shared memory. So two pairs fit on a multiprocessor, and the product of one overlaps the vector passes of the other.
///
///     warp w: row i = Warps r + w in round r
///     lane l: columns i' = l, l + 32, …
///
/// `Walked` is the edge kernel in the form that the slices evaluate: the kernel itself, or for small labels
/// `NearSquareExponential`.
template <class Set, class Walked, int Warps, int Rounds, int Columns>
struct SliceProduct {
  static constexpr int threads = 32 * Warps;
  static constexpr int rows = Warps * Rounds;
  static constexpr int columns = 32 * Columns;
  static constexpr int places = Rounds * Columns;
  static constexpr int blocks = 512 / threads;  ///< on a multiprocessor; leaves a thread 128 registers
  using Xmv = SliceXmv<Set, Walked, threads, true, true>;
  using Labels = NoKeptLabels;
  using Reader = FewColumns<Columns>;
  using Direction = InSingle;
  static constexpr bool starts = true;
  static constexpr double counted_with_start = 1.0 / 256;
  using Solution = ThreadGlobal<threads, places>;
  using Residual = ThreadRegisters<threads, places>;
  using Result = InMemory;
  static constexpr std::size_t p_floats = std::size_t{rows} * columns;
  static constexpr std::size_t z_floats = 0;
  static constexpr bool sees_apart = false;
  static constexpr double first_scale = 1;
  static constexpr double second_scale = 1;

  /// Shared memory for y and for what `SliceXmv` stages.
  static constexpr ProductMemory memory() {
    ProductMemory slices = Xmv::memory();
    slices.fixed = y_bytes;
    return slices;
  }

  /// Clears y, which lies at `kept`, since padding must be 0. A barrier of the block must follow.
  template <class EdgeKernel, class System>
  __device__ SliceProduct(const Set& set, const EdgeKernel& kernel, const System& system, float*, unsigned char* kept)
      : SliceProduct(set, Walked(kernel), system, kept + y_bytes, reinterpret_cast<float*>(kept)) {}

  /// y ← N p, with a barrier after it and none before.
  __device__ __forceinline__ void apply(const InSingle& p, Result& y, float /*slack*/) const {
    xmv.apply(p.values, y.values);
    block_barrier<threads>();
  }

  __device__ __forceinline__ static DistributedSlot slot(int place) {
    const int i = static_cast<int>(threadIdx.x) / 32 + Warps * (place / Columns);
    const int j = static_cast<int>(threadIdx.x) % 32 + 32 * (place % Columns);
    return {place, i, j, element(i, j)};
  }

  __device__ static int element(int i, int j) { return i * columns + j; }

 private:
  static constexpr std::size_t y_bytes = shared_piece(sizeof(float) * p_floats);

  template <class System>
  __device__ SliceProduct(const Set& set, const Walked& kernel, const System& system, unsigned char* next, float* y)
      : xmv(set, kernel, {}, system, next, nullptr, columns) {
    for (int k = static_cast<int>(threadIdx.x); k < rows * columns; k += threads) y[k] = 0;
  }

  Xmv xmv;
};

}  // namespace octile::cuda
