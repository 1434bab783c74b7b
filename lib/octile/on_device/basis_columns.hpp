// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/on_device/basis.hpp>
#include <octile/on_device/basis_tiles.hpp>
#include <octile/on_device/trials.hpp>

#include <Kokkos_Core.hpp>

// Products of bases where there are no tensor cores: a thread has a column (`CertifyByBasis`).
namespace octile::detail {

/// Rows of G that a team takes at a time, a thread a column, and columns of P of which it keeps the products with C. A device has their values,
/// not the numbers: Kokkos::min takes them with a + before.
inline constexpr int rows_by_basis = 16;
inline constexpr int columns_by_basis = 80;
/// Rows whose Q a thread forms at a time, from so many numbers of each that it reads at a time, and columns of P' that it reads at a time.
inline constexpr int rows_of_thread = 4;
inline constexpr int vectors_at_once = 4;
inline constexpr int columns_at_once = 8;

/// Q of some rows from `row` on in column k of all P. Rows that the graph has not are copies of its last: a thread that asked before each
/// read would wait for one after the other.
KOKKOS_INLINE_FUNCTION void multiply_by_c(const double* first, const double* c, int n, int k, int row,
                                          TrialValues<double>* q) {
  const int matrix = k / vectors_of_basis * vectors_of_basis;
  const int f_second = k % vectors_of_basis;
  TrialValues<double> sums[rows_of_thread] = {};
  int at[rows_of_thread];
  for (int r = 0; r < rows_of_thread; ++r) at[r] = Kokkos::min(row + r, n - 1);
  for (int begin = 0; begin < vectors_of_basis; begin += vectors_at_once) {
    TrialValues<double> read[vectors_at_once][rows_of_thread];
    for (int f = 0; f < vectors_at_once; ++f) {
      for (int r = 0; r < rows_of_thread; ++r) {
        read[f][r] = {first[place_in_basis(0, matrix + begin + f, at[r], tiles_of(n))],
                      first[place_in_basis(1, matrix + begin + f, at[r], tiles_of(n))]};
      }
    }
    for (int f = 0; f < vectors_at_once; ++f) {
      const double of_x = c[place_in_c(0, begin + f, f_second)];
      const double of_y = c[place_in_c(1, begin + f, f_second)];
      for (int r = 0; r < rows_of_thread; ++r) {
        sums[r].x += read[f][r].x * of_x;
        sums[r].y += read[f][r].y * of_y;
      }
    }
  }
  for (int r = 0; r < rows_of_thread; ++r) q[r] = sums[r];
}

/// Adds the products of all rows' Q with some columns of P', whose numbers are read before the first is used.
KOKKOS_INLINE_FUNCTION void add_columns(const TrialValues<double>* q, const double* second, int k, int begin,
                                        int column, int m, TrialValues<double> (&sums)[rows_by_basis]) {
  TrialValues<double> read[columns_at_once];
  for (int u = 0; u < columns_at_once; ++u) {
    read[u] = {second[place_in_basis(0, begin + k + u, column, tiles_of(m))],
               second[place_in_basis(1, begin + k + u, column, tiles_of(m))]};
  }
  for (int u = 0; u < columns_at_once; ++u) {
    for (int row = 0; row < rows_by_basis; ++row) {
      const TrialValues<double> of_row = q[(k + u) * rows_by_basis + row];
      sums[row].x += of_row.x * read[u].x;
      sums[row].y += of_row.y * read[u].y;
    }
  }
}

}  // namespace octile::detail
