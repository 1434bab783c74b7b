// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/on_device/basis.hpp>
#include <octile/on_device/trials.hpp>

#include <Kokkos_Core.hpp>

namespace octile::detail {

/// Where element (row, column) of C lies; `system` is 0 for x and 1 for y. C lies as the lanes of a warp read it as the
/// right operand of a product. Of eight columns, column 4 (k mod 2) + k / 2 stands at place k: so a lane has those
/// numbers of P C that it needs of it as the left operand of the next product.
KOKKOS_INLINE_FUNCTION constexpr int place_in_c(int system, int row, int column) {
  const int of_lanes = (system * 2 + row / 8) * 2 + column / 8;
  return ((of_lanes * 8 + column % 4 * 2 + column / 4 % 2) * 4 + row % 4) * 2 + row / 4 % 2;
}

#if defined(__CUDACC__)
/// c += A B by a warp, on tensor cores in double: a lane has element (lane / 4, lane mod 4) of A, 8 × 4, (lane mod 4, lane / 4) of B, 4 × 8, and
/// (lane / 4, 2 (lane mod 4)) of c and the one beside it. Each product is added with one rounding, as by a multiply-add.
__device__ inline void multiply_tiles([[maybe_unused]] double& c_even, [[maybe_unused]] double& c_odd,
                                      [[maybe_unused]] double a, [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c_even), "+d"(c_odd)
      : "d"(a), "d"(b));
#endif
}

/// c += A B by a warp, on tensor cores in double, with A of 16 × 8, B of 8 × 8 and c of 16 × 8. A lane has in
///
///     a[i]    row lane / 4 + 8 (i mod 2), column lane mod 4 + 4 (i / 2)
///     b[i]    row lane mod 4 + 4 i, column lane / 4
///     c[i]    row lane / 4 + 8 (i / 2), column 2 (lane mod 4) + i mod 2
///
/// An H200 takes half the time that the four smaller products take.
__device__ inline void multiply_tiles(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  for (int i = 0; i < 2; ++i) {
    multiply_tiles(c[0], c[1], a[2 * i], b[i]);
    multiply_tiles(c[2], c[3], a[2 * i + 1], b[i]);
  }
#endif
}

/// Q P'ᵀ of a system in 16 rows and some columns of a pair, by a warp: Q = P C stays in the lanes that multiply it again. Numbers of a graph are given
/// from where a lane's begin in their first tile (`place_in_basis`); all others are a known way from there. Behind a graph's last vertex other
/// numbers are read, which change no row and no column of a product but those that they stand in.
struct BasisTiles {
  static constexpr int rows = 16;
  static constexpr int width = vertices_of_tile;  ///< columns of a tile

  /// 16 × 16 numbers as the left one of two matrices, columns 0 to 7 and 8 to 15.
  struct Left {
    double half[2][4];
  };
  /// 16 × 8 as the right one, rows 0 to 7 and 8 to 15.
  struct Right {
    double half[2][2];
  };
  /// 16 × 8 as their product.
  struct Product {
    double of[4];

    __device__ void add(const Left& left, const Right& right) {
      for (int h = 0; h < 2; ++h) multiply_tiles(of, left.half[h], right.half[h]);
    }
  };

  /// Where the numbers of a lane begin in a tile.
  __device__ static int of_lane(int lane) { return 2 * lane; }

  /// P in 16 columns and the vertices of two tiles.
  __device__ static Left read_left(int system, const double* first) {
    Left p;
    for (int r = 0; r < 2; ++r) {
      for (int h = 0; h < 2; ++h) {
        const double2 both = pair_at(first + r * numbers_of_tile + (system * 2 + h) * numbers_of_half);
        p.half[h][r] = both.x;
        p.half[h][2 + r] = both.y;
      }
    }
    return p;
  }

  /// P C.
  __device__ static Left times_c(int system, const Left& p, const double* c) {
    Left q;
    for (int half = 0; half < 2; ++half) {
      double product[4] = {};
      for (int h = 0; h < 2; ++h) {
        const double2 both = pair_at(c + ((system * 2 + h) * 2 + half) * numbers_of_half);
        multiply_tiles(product, p.half[h], {both.x, both.y});
      }
      for (int i = 0; i < 4; ++i) q.half[half][i % 2 * 2 + i / 2] = product[i];
    }
    return q;
  }

  /// The numbers of `left`, in registers that a product can take them from. `nothing` is a 0 that the compiler does not
  /// know, which hides where they come from: otherwise the compiler would move them to such registers again for each
  /// product.
  __device__ static Left settled(const Left& left, int nothing) {
    Left same;
    for (int h = 0; h < 2; ++h) {
      for (int i = 0; i < 4; ++i) {
        const double number = left.half[h][i];
        same.half[h][i] = __hiloint2double(__double2hiint(number) ^ nothing, __double2loint(number) ^ nothing);
      }
    }
    return same;
  }

  /// P' in 16 columns and the vertices of a tile.
  __device__ static Right read(int system, const double* second) {
    Right right;
    for (int h = 0; h < 2; ++h) {
      const double2 both = pair_at(second + (system * 2 + h) * numbers_of_half);
      right.half[h][0] = both.x;
      right.half[h][1] = both.y;
    }
    return right;
  }

 private:
  __device__ static double2 pair_at(const double* at) { return *reinterpret_cast<const double2*>(at); }
};
#endif

}  // namespace octile::detail
