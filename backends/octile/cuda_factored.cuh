// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_product.cuh>
#include <octile/cuda_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// What stands for an edge kernel that is factored: the factors are in the set.
template <int Chunk>
struct FactoredEdges {
  static constexpr int chunk = Chunk;
};

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
/// All lanes of a warp follow the same edge, read in one load of Chunk factors and a column; odd pitches keep what
/// they read and write, along rows and columns, in different banks. Rows come by falling degree, dealt to the warps
/// forth and back. Each element has one owner: no atomics, equal bits from run to run.
template <class Set, class EdgeKernel, int Threads, bool Staged>
class FactoredProduct {
 public:
  static constexpr int chunk = EdgeKernel::chunk;
  using Entry = FactorEntry<chunk>;

  /// Shared memory for T, where Staged.
  static std::size_t bytes(std::size_t /*entries*/, std::size_t n, std::size_t m) {
    return chunk * shared_piece((n | 1) * (m | 1) * sizeof(float));
  }

  /// T lies in shared memory at `next`, or, where that is not Staged, in `global`.
  template <class System>
  __device__ FactoredProduct(const Set& set, const EdgeKernel&, const OctileChoice&, const System& system,
                             unsigned char*& next, float* global)
      : set_(set),
        n_(system.n),
        m_(system.m),
        pitch_(system.m | 1),
        pitch_t_(system.n | 1),
        first_(system.first_vertex),
        second_(system.second_vertex) {
    const std::size_t length = static_cast<std::size_t>(pitch_) * pitch_t_;
    t_ = Staged ? reinterpret_cast<float*>(next) : global;
    stride_ = Staged ? shared_piece(length * sizeof(float)) / sizeof(float) : length;
    if constexpr (Staged) next += chunk * shared_piece(length * sizeof(float));
  }

  /// a ← N p. A barrier between its parts, none before or behind.
  __device__ __forceinline__ void apply(const float* p, float* a) const {
    for (std::uint32_t part = 0; part < set_.factor_chunks; ++part) {
      const Entry* const entries =
          reinterpret_cast<const Entry*>(set_.factors.data()) + static_cast<std::size_t>(part) * set_.factor_elements;
      if (part > 0) block_barrier<Threads>();  // T has been read
      by_width(m_, [&](auto columns) { spread<columns>(entries, p); });
      block_barrier<Threads>();
      by_width(n_, [&](auto columns) { gather<columns>(entries, a, part > 0); });
    }
  }

 private:
  template <int Value>
  struct Constant {
    __device__ constexpr operator int() const { return Value; }
  };

  /// f with the columns that a lane has: enough for `width`, 3 at most, which are then taken in turns.
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

  /// f(v, begin, end) for this warp's share of the rows of the graph whose vertices begin at `first`.
  template <class Function>
  __device__ __forceinline__ void for_rows(std::uint32_t first, int count, const Function& function) const {
    constexpr int warps = Threads / 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    for (int round = 0; round * warps < count; ++round) {
      const int turn = round * warps + (round % 2 == 0 ? warp : warps - 1 - warp);
      if (turn >= count) continue;
      const std::uint32_t v = set_.turns(first + turn);
      function(static_cast<int>(v), set_.row_begin(first + v), set_.row_begin(first + v + 1));
    }
  }

  /// T_k[j', i] = Σ_j A_ij φ_k(E_ij) p[j, j']
  template <int Columns>
  __device__ __forceinline__ void spread(const Entry* entries, const float* p) const {
    for_rows(first_, n_, [&](int i, std::uint32_t begin, std::uint32_t end) {
      for (int base = lane(); base - lane() < m_; base += 32 * Columns) {
        float sums[chunk][Columns] = {};
#pragma unroll 4
        for (std::uint32_t e = begin; e < end; ++e) {
          const Entry entry = load(entries + e);
          const float* const row = p + entry.column * pitch_;
#pragma unroll
          for (int c = 0; c < Columns; ++c) {
            const float value = row[min(base + 32 * c, m_ - 1)];
#pragma unroll
            for (int k = 0; k < chunk; ++k) sums[k][c] += entry.factors[k] * value;
          }
        }
#pragma unroll
        for (int c = 0; c < Columns; ++c) {
          const int column = base + 32 * c;
          if (column >= m_) continue;
#pragma unroll
          for (int k = 0; k < chunk; ++k) t_[k * stride_ + column * pitch_t_ + i] = sums[k][c];
        }
      }
    });
  }

  /// y[i, i'] (+)= Σ_k Σ_j' A'_i'j' φ_k(E'_i'j') T_k[j', i]
  template <int Columns>
  __device__ __forceinline__ void gather(const Entry* entries, float* y, bool again) const {
    for_rows(second_, m_, [&](int i2, std::uint32_t begin, std::uint32_t end) {
      for (int base = lane(); base - lane() < n_; base += 32 * Columns) {
        float sums[Columns] = {};
#pragma unroll 4
        for (std::uint32_t e = begin; e < end; ++e) {
          const Entry entry = load(entries + e);
          const float* const row = t_ + entry.column * pitch_t_;
#pragma unroll
          for (int c = 0; c < Columns; ++c) {
            const int column = min(base + 32 * c, n_ - 1);
#pragma unroll
            for (int k = 0; k < chunk; ++k) sums[c] += entry.factors[k] * row[k * stride_ + column];
          }
        }
#pragma unroll
        for (int c = 0; c < Columns; ++c) {
          const int i = base + 32 * c;
          if (i >= n_) continue;
          float& written = y[i * pitch_ + i2];
          written = again ? written + sums[c] : sums[c];
        }
      }
    });
  }

  __device__ __forceinline__ static Entry load(const Entry* entry) {
    if constexpr (sizeof(Entry) == 16) {
      const float4 words = __ldg(reinterpret_cast<const float4*>(entry));
      return {{words.x, words.y, words.z}, __float_as_uint(words.w)};
    } else {
      const float2 words = __ldg(reinterpret_cast<const float2*>(entry));
      return {{words.x}, __float_as_uint(words.y)};
    }
  }

  const Set& set_;
  int n_;
  int m_;
  int pitch_;
  int pitch_t_;
  std::uint32_t first_;
  std::uint32_t second_;
  float* t_;
  std::size_t stride_;  ///< from one T_k to the next
};

}  // namespace octile::cuda
