// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/layout/factor_lists.hpp>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/cuda/products/concepts.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The type that stands for a factored edge kernel; the factors themselves are in the set. ConstantWeights: there is
/// one factor, and in each graph all edges have the same weight and factor.
template <int Chunk, bool ConstantWeights = false>
struct FactoredEdges {
  static constexpr int chunk = Chunk;
  static constexpr bool constant_weights = ConstantWeights;
};

/// Weight times factor of the edges of a graph, if it is the same for all of them; 1 for a graph without edges.
template <class Set>
__device__ double factor_of_edges(const Set& set, std::uint32_t first_vertex, int count) {
  const std::uint32_t first = set.row_begin(first_vertex);
  if (set.row_begin(first_vertex + count) == first) return 1;
  return static_cast<double>(__uint_as_float(set.entries(2 * std::size_t{first})));
}

/// The product of a factored edge kernel, κe ≈ Σ_k φ_k φ_k (factors.hpp), by a block of threads, `Chunk` factors at once:
///
///     T_k = (A ⊙ φ_k) P            a warp has a row i of G, its lanes columns j' of P
///     Y  += Σ_k T_k (A' ⊙ φ_k)ᵀ    a warp has a row i' of G', its lanes rows i of T_k
///
///          P   n × m, pitch m|1          T   m × n, pitch n|1: transposed       Y   n × m, pitch m|1
///        j ┌───────────────┐          j' ┌─────────┐                          i ┌───────────────┐
///          │ ←── lanes ──→ │             │ ← lanes→│                            │       │ lanes │
///          └───────────────┘             └─────────┘                            └───────↓───────┘
///
/// All lanes of a warp follow the same edge; one load has its column and Chunk factors. Pitches are odd, so that
/// accesses along rows and along columns fall into different banks. Rows are sorted by falling length and dealt to the
/// warps in alternating order. A lane reads past the last column without a bounds check: that is still memory of this
/// block, and the result is dropped. One thread writes each element, without atomics, so results are equal to the bit
/// from run to run. This product takes pairs of any size; small graphs have faster ones (strips.cuh, dense.cuh).
template <class Set, class EdgeKernel, int Threads, bool Staged>
class FactoredProduct {
 public:
  static constexpr int chunk = EdgeKernel::chunk;
  using Entry = FactorEntry<chunk>;

  /// Shared memory that the product takes if Staged.
  static constexpr ProductMemory memory() { return factored_memory(chunk); }

  /// T lies in shared memory at `next` if Staged, else in `global`. No barrier.
  template <class System>
  __device__ FactoredProduct(const Set& set, const EdgeKernel&, const OctileChoice&, const System& system,
                             unsigned char*& next, float* global)
      : set_(set), pitch_(system.m | 1), pitch_t_(system.n | 1) {
    sides_[0] = side(system.first_vertex, system.n);
    sides_[1] = side(system.second_vertex, system.m);
    const std::size_t length = static_cast<std::size_t>(pitch_) * pitch_t_;
    t_ = Staged ? reinterpret_cast<float*>(next) : global;
    stride_ = Staged ? shared_piece(length * sizeof(float)) / sizeof(float) : length;
    if constexpr (Staged) next += chunk * shared_piece(length * sizeof(float));
  }

  /// a ← N p. Has barriers inside, none before or after.
  __device__ __forceinline__ void apply(const float* p, float* a) const {
    for (std::uint32_t part = 0; part < set_.factor_chunks; ++part) {
      if (part > 0) block_barrier<Threads>();  // all threads have read T
      by_width(sides_[1].count, [&](auto columns) { spread<columns>(part, p); });
      block_barrier<Threads>();
      by_width(sides_[0].count, [&](auto columns) { gather<columns>(part, a); });
    }
  }

 private:
  /// A graph's rows: row v has the entries begins[v] … begins[v + 1] of a chunk.
  struct Side {
    const std::uint32_t* begins;
    int count;
  };

  template <int Value>
  struct Constant {
    __device__ constexpr operator int() const { return Value; }
  };

  /// Calls f with the number of columns that a lane takes at once, a compile-time constant: enough for `width`, but at most 3.
  template <class Function>
  __device__ __forceinline__ static void by_width(int width, const Function& function) {
    if (width <= 32) {
      function(Constant<1>());
    } else if (width <= 64) {
      function(Constant<2>());
    } else {
      function(Constant<3>());
    }
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ Side side(std::uint32_t first_vertex, int count) const { return {&set_.row_begin(first_vertex), count}; }

  __device__ const Entry* entries(std::uint32_t part) const {
    return reinterpret_cast<const Entry*>(set_.entries.data()) + static_cast<std::size_t>(part) * set_.entry_count;
  }

  /// Calls f(row, begin, end) for this warp's share of a graph's rows.
  template <class Function>
  __device__ __forceinline__ static void for_rows(const Side& side, const Function& function) {
    constexpr int warps = Threads / 32;
    for (int round = 0; round * warps < side.count; ++round) {
      const int number = dealt<warps>(round);
      if (number >= side.count) continue;
      function(number, __ldg(side.begins + number), __ldg(side.begins + number + 1));
    }
  }

  /// T_k[j', i] = Σ_j A_ij φ_k(E_ij) p[j, j']
  template <int Columns>
  __device__ __forceinline__ void spread(std::uint32_t part, const float* p) const {
    const int width = sides_[1].count;
    const Entry* const entries = this->entries(part);
    for_rows(sides_[0], [&](int i, std::uint32_t begin, std::uint32_t end) {
      for (int column = lane(); column - lane() < width; column += 32 * Columns) {
        float sums[chunk][Columns] = {};
#pragma unroll 4
        for (std::uint32_t e = begin; e < end; ++e) {
          const Entry entry = load(entries + e);
          const float* const row = p + entry.column * static_cast<std::uint32_t>(pitch_) + column;
#pragma unroll
          for (int c = 0; c < Columns; ++c) {
#pragma unroll
            for (int k = 0; k < chunk; ++k) sums[k][c] += entry.factors[k] * value(row, 32 * c, width - column);
          }
        }
        float* const target = t_ + column * pitch_t_ + i;
#pragma unroll
        for (int c = 0; c < Columns; ++c) {
#pragma unroll
          for (int k = 0; k < chunk; ++k) {
            if (column + 32 * c < width) target[k * stride_ + 32 * c * pitch_t_] = sums[k][c];
          }
        }
      }
    });
  }

  /// y[i, i'] (+)= Σ_k Σ_j' A'_i'j' φ_k(E'_i'j') T_k[j', i]
  template <int Columns>
  __device__ __forceinline__ void gather(std::uint32_t part, float* y) const {
    const int width = sides_[0].count;
    const Entry* const entries = this->entries(part);
    for_rows(sides_[1], [&](int i2, std::uint32_t begin, std::uint32_t end) {
      for (int column = lane(); column - lane() < width; column += 32 * Columns) {
        float sums[Columns] = {};
#pragma unroll 4
        for (std::uint32_t e = begin; e < end; ++e) {
          const Entry entry = load(entries + e);
          const float* const row = t_ + entry.column * static_cast<std::uint32_t>(pitch_t_) + column;
#pragma unroll
          for (int c = 0; c < Columns; ++c) {
#pragma unroll
            for (int k = 0; k < chunk; ++k) {
              sums[c] += entry.factors[k] * value(row + k * stride_, 32 * c, width - column);
            }
          }
        }
        float* const target = y + column * pitch_ + i2;
#pragma unroll
        for (int c = 0; c < Columns; ++c) {
          if (column + 32 * c >= width) continue;
          float& written = target[32 * c * pitch_];
          written = part > 0 ? written + sums[c] : sums[c];
        }
      }
    });
  }

  /// row[at]. Past the last column, which in global memory may be the end of the block's memory, row[columns − 1] instead.
  __device__ __forceinline__ static float value(const float* row, int at, int columns) {
    return Staged ? row[at] : row[min(at, columns - 1)];
  }

  __device__ __forceinline__ static Entry load(const Entry* entry) {
    if constexpr (chunk == 3) {
      const float4 words = __ldg(reinterpret_cast<const float4*>(entry));
      return {{words.x, words.y, words.z}, __float_as_uint(words.w)};
    } else {
      const float2 words = __ldg(reinterpret_cast<const float2*>(entry));
      return {{words.x}, __float_as_uint(words.y)};
    }
  }

  const Set& set_;
  Side sides_[2];
  int pitch_;
  int pitch_t_;
  float* t_;
  std::size_t stride_;  ///< from one T_k to the next
};

template <class Set, class EdgeKernel, int Threads, bool Staged>
struct ProductOf<Product::factored, Set, EdgeKernel, Threads, Staged> {
  using type = FactoredProduct<Set, EdgeKernel, Threads, Staged>;
};

}  // namespace octile::cuda
