// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_owned.cuh>
#include <octile/cuda_set.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The product of an edge kernel with one factor, Y = (A ⊙ φ) P (A' ⊙ φ')ᵀ, by a block of Warps warps, for pairs of up to
/// 32 Columns × Warps Rounds vertices. A warp has rows of G' to the end: it forms them of Y, in registers, and keeps the
/// other vectors of the same elements.
///
///     T = (A ⊙ φ) P       a warp has a row i of G, its lanes columns i' of P
///     Y = T (A' ⊙ φ')ᵀ    a warp has a row i' of G', its lanes rows i of T
///
///          P   n × m          T   m × n, transposed        Y   a thread's share
///        j ┌────────────┐  j' ┌────────────┐        i'  warp w: row w, 2 W − 1 − w, 2 W + w, …
///          │ ← lanes →  │     │ ← lanes →  │        i   lane l: rows l, l + 32, …
///          └────────────┘     └────────────┘
///
/// All lanes of a warp follow the same edges, two of them in one load. Pitches are odd and known to the compiler. What a
/// load of shared memory costs is the registers that it fills, so where all edges of a graph are Alike only the ends of two
/// are kept, in one word, and N p lacks their factor; the second of an odd row's last two ends in a row of zeros.
template <int Warps_, int Rounds_, int Columns_, bool Alike>
struct StripProduct {
  static constexpr int Warps = Warps_;
  static constexpr int Rounds = Rounds_;
  static constexpr int Columns = Columns_;
  static constexpr int threads = 32 * Warps;
  static constexpr int rows = 32 * Columns;
  static constexpr int columns = Warps * Rounds;
  static constexpr int pitch = columns | 1;
  static constexpr int pitch_t = rows | 1;
  static constexpr int places = Rounds * Columns;
  static constexpr std::size_t p_floats = std::size_t{rows + Alike} * pitch;
  static constexpr int blocks = (places <= 18 ? 1024 : 512) / threads;  ///< a multiprocessor: 64 or 128 registers
  static_assert(columns % 32 == 0, "lanes read whole rows of P");
  static constexpr std::size_t own_floats = 0;
  using Labels = OwnLabels;
  using Reader = OwnReader;
  using Direction = InSingle;
  static constexpr bool starts = false;
  using Solution = OwnInGlobal<threads, places>;
  using Residual = OwnInRegisters<threads, places>;
  using Result = Registers<places>;

  /// T, and of both graphs where rows begin and end, and entries.
  static std::size_t bytes(const ProductSizes& pair) {
    return t_bytes + begin_bytes + shared_piece(sizeof(Entries) * ((pair.entries + pair.entries_second) / 2));
  }
  static std::size_t least_bytes(const ProductSizes& pair) { return bytes(pair); }

  double first_scale;
  double second_scale;

  /// What it keeps goes to shared memory at `kept`, and zeros behind p: a barrier of the block has to follow.
  template <class Set, class EdgeKernel, class System>
  __device__ StripProduct(const Set& set, const EdgeKernel&, const System& system, float* p, unsigned char* kept,
                          const unsigned char* /*end*/)
      : first_scale(scale(set, system.first_vertex, system.n)),
        second_scale(scale(set, system.second_vertex, system.m)),
        n(system.n),
        m(system.m),
        t(reinterpret_cast<float*>(kept)) {
    auto* const rows_kept = reinterpret_cast<std::uint32_t*>(kept + t_bytes);
    auto* const entries_kept = reinterpret_cast<Entries*>(kept + t_bytes + begin_bytes);
    rows_first = rows_kept;
    rows_second = rows_kept + rows;
    entries = entries_kept;
    const std::uint32_t count = keep<pitch, rows>(set, system.first_vertex, n, rows_kept, 0, entries_kept);
    keep<pitch_t, columns>(set, system.second_vertex, m, rows_kept + rows, count, entries_kept);
    if constexpr (Alike) {
      for (int k = static_cast<int>(threadIdx.x); k < pitch; k += threads) p[rows * pitch + k] = 0;
      for (int k = static_cast<int>(threadIdx.x); k < pitch_t; k += threads) t[columns * pitch_t + k] = 0;
    }
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  /// The row that a warp has in a round.
  __device__ static int row(int round) { return dealt<Warps>(round); }

  /// Where the thread's element of a place is, as i and i'.
  __device__ __forceinline__ static OwnSlot slot(int place) {
    const int i = lane() + 32 * (place % Columns);
    const int j = row(place / Columns);
    return {place, i, j, i * pitch + j};
  }

  /// y ← N p. A barrier inside, none before or behind.
  __device__ __forceinline__ void apply(const InSingle& p, Result& y, float /*slack*/) const {
    constexpr int columns_a_lane = columns / 32;
    const float* const from = p.values + lane();
    for (int round = 0; round * Warps < n; ++round) {
      const int i = row(round);
      if (i >= n) continue;
      float sums[columns_a_lane] = {};
      follow(rows_first + i, from, sums);
      float* const target = t + lane() * pitch_t + i;
#pragma unroll
      for (int c = 0; c < columns_a_lane; ++c) target[32 * c * pitch_t] = sums[c];
    }
    block_barrier<threads>();
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
      const int i2 = row(round);
      float sums[Columns] = {};
      if (i2 < m) follow(rows_second + i2, t + lane(), sums);
#pragma unroll
      for (int c = 0; c < Columns; ++c) y.values[round * Columns + c] = lane() + 32 * c < n ? sums[c] : 0.0F;
    }
  }

 private:
  /// Two edges: where their columns' rows begin, with their factors or without.
  using Entries = std::conditional_t<Alike, std::uint32_t, uint4>;

  static constexpr std::size_t t_bytes = shared_piece(sizeof(float) * (columns + Alike) * pitch_t);
  static constexpr std::size_t begin_bytes = shared_piece(sizeof(std::uint32_t) * (rows + columns));
  static_assert((rows + 1) * pitch <= 0xFFFF && (columns + 1) * pitch_t <= 0xFFFF, "two places in a word");

  /// The factor of a graph's edges, if it is one.
  template <class Set>
  __device__ static double scale(const Set& set, std::uint32_t first_vertex, int count) {
    const std::uint32_t first = set.row_begin(first_vertex);
    if (!Alike || set.row_begin(first_vertex + count) == first) return 1;
    return static_cast<double>(__uint_as_float(set.entries(2 * std::size_t{first})));
  }

  /// Copies a graph's rows behind the `before` pairs of entries that are there: gives how many are then.
  template <int Pitch, int Zeros, class Set>
  __device__ static std::uint32_t keep(const Set& set, std::uint32_t first_vertex, int count, std::uint32_t* rows_kept,
                                       std::uint32_t before, Entries* entries_kept) {
    const std::uint32_t first = set.row_begin(first_vertex) / 2;
    const std::uint32_t number = set.row_begin(first_vertex + count) / 2 - first;
    const auto* const stored = reinterpret_cast<const uint4*>(set.entries.data()) + first;
    for (int v = static_cast<int>(threadIdx.x); v < count; v += threads) {
      const std::uint32_t begin = before + set.row_begin(first_vertex + v) / 2 - first;
      const std::uint32_t end = before + set.row_begin(first_vertex + v + 1) / 2 - first;
      rows_kept[v] = begin | end << 16;
    }
    for (std::uint32_t e = threadIdx.x; e < number; e += threads) {
      uint4 two = __ldg(stored + e);
      if constexpr (Alike) {
        entries_kept[before + e] = two.y * Pitch | (two.z == 0 ? Zeros : two.w) * Pitch << 16;
      } else {
        two.y *= Pitch;
        two.w *= Pitch;
        entries_kept[before + e] = two;
      }
    }
    return before + number;
  }

  /// sums[c] += Σ_e factor(e) from[row of column(e) + 32 c] over a row's entries, two at once.
  template <int Count>
  __device__ __forceinline__ void follow(const std::uint32_t* row, const float* from, float (&sums)[Count]) const {
    const std::uint32_t both = *row;
    const std::uint32_t end = both >> 16;
#pragma unroll 2
    for (std::uint32_t e = both & 0xFFFF; e < end; ++e) {
      const Entries two = entries[e];
      if constexpr (Alike) {
        const float* const first = from + (two & 0xFFFF);
        const float* const second = from + (two >> 16);
#pragma unroll
        for (int c = 0; c < Count; ++c) sums[c] += first[32 * c] + second[32 * c];
      } else {
        const float* const first = from + two.y;
        const float* const second = from + two.w;
#pragma unroll
        for (int c = 0; c < Count; ++c) sums[c] += __uint_as_float(two.x) * first[32 * c];
#pragma unroll
        for (int c = 0; c < Count; ++c) sums[c] += __uint_as_float(two.z) * second[32 * c];
      }
    }
  }

  const std::uint32_t* rows_first;  ///< of each row, where its entries begin and end
  const std::uint32_t* rows_second;
  const Entries* entries;
  int n;
  int m;
  float* t;
};

}  // namespace octile::cuda
