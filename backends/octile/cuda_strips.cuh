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
/// All lanes of a warp follow the same edges, two of them in one load. Pitches are odd and known to the compiler.
template <int Warps_, int Rounds_, int Columns_>
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
  static constexpr int blocks = (places <= 18 ? 1024 : 512) / threads;  ///< a multiprocessor: 64 or 128 registers
  static_assert(columns % 32 == 0, "lanes read whole rows of P");
  using Result = Registers<places>;
  using Elements = OwnElements<StripProduct>;

  /// T.
  static constexpr std::size_t bytes = shared_piece(sizeof(float) * columns * pitch_t);

  const std::uint32_t* rows_first;
  const std::uint32_t* rows_second;
  const uint4* entries;
  int n;
  int m;
  float* t;

  template <class Set, class System>
  __device__ StripProduct(const Set& set, const System& system, float* shared)
      : rows_first(&set.row_begin(system.first_vertex)),
        rows_second(&set.row_begin(system.second_vertex)),
        entries(reinterpret_cast<const uint4*>(set.entries.data())),
        n(system.n),
        m(system.m),
        t(shared) {}

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  /// The row that a warp has in a round: dealt forth and back, since rows come by falling length.
  __device__ static int row(int round) { return round * Warps + (round % 2 == 0 ? warp() : Warps - 1 - warp()); }

  /// Where the thread's element of a place is, as i and i'.
  template <int Place>
  __device__ static OwnSlot slot() {
    const int i = lane() + 32 * (Place % Columns);
    const int j = row(Place / Columns);
    return {Place, i, j, i * pitch + j};
  }

  /// y ← N p. A barrier inside, none before or behind.
  __device__ __forceinline__ void apply(const float* p, Result& y, double /*slack*/) const {
    constexpr int columns_a_lane = columns / 32;
    const float* const from = p + lane();
    for (int round = 0; round * Warps < n; ++round) {
      const int i = row(round);
      if (i >= n) continue;
      float sums[columns_a_lane] = {};
      follow<pitch>(rows_first + i, from, sums);
      float* const target = t + lane() * pitch_t + i;
#pragma unroll
      for (int c = 0; c < columns_a_lane; ++c) target[32 * c * pitch_t] = sums[c];
    }
    block_barrier<threads>();
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
      const int i2 = row(round);
      float sums[Columns] = {};
      if (i2 < m) follow<pitch_t>(rows_second + i2, t + lane(), sums);
#pragma unroll
      for (int c = 0; c < Columns; ++c) y.values[round * Columns + c] = lane() + 32 * c < n ? sums[c] : 0.0F;
    }
  }

 private:
  /// sums[c] += Σ_e factor(e) from[column(e) Pitch + 32 c] over a row's entries, two at once.
  template <int Pitch, int Count>
  __device__ __forceinline__ void follow(const std::uint32_t* row, const float* from, float (&sums)[Count]) const {
    const std::uint32_t end = __ldg(row + 1) / 2;
#pragma unroll 2
    for (std::uint32_t e = __ldg(row) / 2; e < end; ++e) {
      const uint4 two = __ldg(entries + e);
      const float* const first = from + two.y * Pitch;
      const float* const second = from + two.w * Pitch;
#pragma unroll
      for (int c = 0; c < Count; ++c) sums[c] += __uint_as_float(two.x) * first[32 * c];
#pragma unroll
      for (int c = 0; c < Count; ++c) sums[c] += __uint_as_float(two.z) * second[32 * c];
    }
  }
};

}  // namespace octile::cuda
