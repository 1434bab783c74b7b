// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/device_basis.hpp>
#include <octile/device_trials.hpp>

#include <Kokkos_Core.hpp>

namespace octile::detail {

/// Rows of G that a team takes at a time by bases, and columns of P of which it keeps the products with C. A device has their values, not
/// the numbers: Kokkos::min takes them with a + before.
inline constexpr int rows_by_basis = 16;
inline constexpr int columns_by_basis = 80;
/// Rows of a warp's tile, and columns that it takes at a time.
inline constexpr int rows_of_tile = 8;
inline constexpr int columns_of_warp = 32;
/// From row to row of C, and from column to column of Q by tiles: lanes that read at once meet in no bank.
inline constexpr int pitch_of_c = vectors_of_basis + 4;
inline constexpr int pitch_of_q = rows_by_basis + 2;

#if defined(__CUDACC__)
/// c += A B by a warp, on tensor cores in double: a lane has element (lane / 4, lane mod 4) of A, 8 × 4, (lane mod 4, lane / 4) of B, 4 × 8, and
/// (lane / 4, 2 (lane mod 4)) of c and the one beside it. Each product is added with one rounding, as by a multiply-add.
__device__ inline void multiply_tiles([[maybe_unused]] double (&c)[2], [[maybe_unused]] double a,
                                      [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#endif
}

/// Some rows of a product Q P'ᵀ of both systems in 32 columns, by a warp: tiles below each other and beside each other.
struct BasisTiles {
  using Numbers = TrialValues<double>;
  static constexpr int down = rows_by_basis / rows_of_tile;
  static constexpr int across = columns_of_warp / rows_of_tile;
  double x[down][across][2];
  double y[down][across][2];

  /// Q of some rows in the columns of P from `begin` on, 16 columns a warp at a time.
  template <class Member>
  __device__ static void multiply_by_c(const Member& member, const Numbers* first, const double* c, int n, int begin,
                                       int count, int first_row, Numbers* q) {
    const int lane = member.team_rank() % 32;
    constexpr int halves = vectors_of_basis / rows_of_tile;
    for (int block = member.team_rank() / 32 * vectors_of_basis; block < count;
         block += member.team_size() / 32 * vectors_of_basis) {
      Numbers a[vectors_of_basis / 4][down];
      for (int f = 0; f < vectors_of_basis / 4; ++f) {
        for (int d = 0; d < down; ++d) {
          const int row = Kokkos::min(first_row + d * rows_of_tile + lane / 4, n - 1);
          a[f][d] = first[place_in_basis(begin + block + 4 * f + lane % 4, row, n)];
        }
      }
      double of_x[down][halves][2] = {};
      double of_y[down][halves][2] = {};
      for (int f = 0; f < vectors_of_basis / 4; ++f) {
        for (int h = 0; h < halves; ++h) {
          const double* const at = c + (4 * f + lane % 4) * pitch_of_c + h * rows_of_tile + lane / 4;
          for (int d = 0; d < down; ++d) {
            multiply_tiles(of_x[d][h], a[f][d].x, at[0]);
            multiply_tiles(of_y[d][h], a[f][d].y, at[vectors_of_basis * pitch_of_c]);
          }
        }
      }
      for (int d = 0; d < down; ++d) {
        for (int h = 0; h < halves; ++h) {
          for (int e = 0; e < 2; ++e) {
            q[(block + h * rows_of_tile + lane % 4 * 2 + e) * pitch_of_q + d * rows_of_tile + lane / 4] = {
                of_x[d][h][e], of_y[d][h][e]};
          }
        }
      }
    }
  }

  /// Adds Q P'ᵀ over some columns of P and P' in the 32 columns of the pair from `first` on. What is read for the next four columns is on its
  /// way while these are multiplied.
  __device__ void add(const Numbers* q, const Numbers* second, int begin, int count, int first, int m, int lane) {
    const Numbers* at[across];
    Numbers next[across];
    for (int t = 0; t < across; ++t) {
      const int column = Kokkos::min(first + t * rows_of_tile + lane / 4, m - 1);
      at[t] = second + place_in_basis(begin + lane % 4, column, m);
      next[t] = *at[t];
    }
    const Numbers* const of_lane = q + lane % 4 * pitch_of_q + lane / 4;
#pragma unroll 2
    for (int k = 0; k < count; k += 4) {
      Numbers b[across];
      for (int t = 0; t < across; ++t) {
        b[t] = next[t];
        if (k + 4 < count) next[t] = at[t][(k + 4) * m];
      }
      for (int d = 0; d < down; ++d) {
        const Numbers a = of_lane[k * pitch_of_q + d * rows_of_tile];
        for (int t = 0; t < across; ++t) {
          multiply_tiles(x[d][t], a.x, b[t].x);
          multiply_tiles(y[d][t], a.y, b[t].y);
        }
      }
    }
  }
};
#endif

}  // namespace octile::detail
