// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/device_basis.hpp>
#include <octile/device_pairs.hpp>
#include <octile/device_walks.hpp>
#include <octile/unit_roundoff.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Rows of G that a team takes at a time by bases, and columns of P of which it keeps the products with C. A device has their values, not
/// the numbers: Kokkos::min takes them with a + before.
inline constexpr int rows_by_basis = 16;
inline constexpr int columns_by_basis = 80;
/// Rows whose Q a thread forms at a time, from so many numbers of each that it reads at a time, and columns of P' that it reads at a time.
inline constexpr int rows_of_thread = 4;
inline constexpr int vectors_at_once = 4;
inline constexpr int columns_at_once = 8;

/// Certifies pairs whose trials are products of bases (`ReducedTrials`), a team each, a thread a column of the pair:
///
///     Q_r = P_r C          for some rows, in scratch
///     N x = Σ_r Q_r P'_rᵀ   a thread has its column of P' and the rows' sums
///
/// There is no edge in it: where vertices have many edges and a set's solutions lie near few directions, this takes less than a walk.
/// A pair whose trial has a number below 0 is not proven.
template <class MemorySpace>
struct CertifyByBasis {
  CertifiedPairs<MemorySpace, float> pairs;
  FactoredEnds<MemorySpace> factors;
  BasisProducts<MemorySpace> of_x;
  BasisProducts<MemorySpace> of_y;
  const double* coefficients;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles(threads));
    const Sides sides = sides_of(number);
    double* const c = scratch + 2 * std::size_t(rows_by_basis) * columns_by_basis;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 2 * ReducedTrials::matrix), [&](int k) {
      c[k] = coefficients[2 * std::size_t(ReducedTrials::matrix) * static_cast<std::size_t>(number) +
                          static_cast<std::size_t>(k)];
    });
    member.team_barrier();
    const Numbers off = unknown_of(number, c);
    typename decltype(pairs)::Sums own;
    int additions = levels_of_sum(threads);
    for (int from = 0; from < of.m; from += threads) {
      const int column = from + member.team_rank();
      for (int row = 0; row < of.n; row += rows_by_basis) {
        certify(member, of, sides, scratch, {row, Kokkos::min(+rows_by_basis, of.n - row)}, column, off, own);
      }
      additions += of.n;
    }
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      pairs.results[number].status = Status::converged;
      pairs.results[number].iterations = 0;
      pairs.finish(number, of, sums, additions);
    });
  }

  /// Doubles of scratch that a team takes.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int threads) {
    return Kokkos::max(2 * std::size_t(rows_by_basis) * columns_by_basis + 2 * std::size_t(ReducedTrials::matrix),
                       room_of_sum(threads));
  }

 private:
  using Numbers = TrialValues<double>;
  /// Where the products of both graphs stand.
  struct Sides {
    const double* x;
    const double* y;
    const double* x_second;
    const double* y_second;
    const double* size_x;
    const double* size_y;
    const double* size_x_second;
    const double* size_y_second;
  };
  struct Rows {
    int begin;
    int count;
  };

  KOKKOS_INLINE_FUNCTION Sides sides_of(int number) const {
    const Pair pair = pairs.trials.pairs[number];
    const std::size_t first = pairs.vertex_begin(pair.first);
    const std::size_t second = pairs.vertex_begin(pair.second);
    const auto columns = static_cast<std::size_t>(columns_of_basis(factors));
    return {of_x.products.data() + first * columns,
            of_y.products.data() + first * columns,
            of_x.products.data() + second * columns,
            of_y.products.data() + second * columns,
            of_x.sizes.data() + first,
            of_y.sizes.data() + first,
            of_x.sizes.data() + second,
            of_y.sizes.data() + second};
  }

  /// What is unknown of N x in a row, for sizes of 1. ‖C‖ times both sizes bounds the sum of all terms of a row, for which κe's factors
  /// lack `error`, and which is rounded as often as numbers are added one after the other: in P, in its product with C and over all
  /// columns; and where x, read as a number in double, is F C F'ᵀ rounded.
  KOKKOS_INLINE_FUNCTION Numbers unknown_of(int number, const double* c) const {
    Numbers squares{0, 0};
    for (int k = 0; k < ReducedTrials::matrix; ++k) {
      squares.x += c[k] * c[k];
      squares.y += c[ReducedTrials::matrix + k] * c[ReducedTrials::matrix + k];
    }
    const Pair pair = pairs.trials.pairs[number];
    const double terms = pairs.most_neighbours(pair.first) + pairs.most_neighbours(pair.second) +
                         columns_of_basis(factors) + 3.0 * vectors_of_basis + 64;
    const double off = 1.0001 * (factors.error + 2 * terms * unit_roundoff);
    return {off * Kokkos::sqrt(squares.x), off * Kokkos::sqrt(squares.y)};
  }

  template <class Member, class Sums>
  KOKKOS_INLINE_FUNCTION void certify(const Member& member, const CertifiedPair& of, const Sides& sides,
                                      double* scratch, const Rows& rows, int column, const Numbers& off,
                                      Sums& sums) const {
    const double* const c = scratch + 2 * std::size_t(rows_by_basis) * columns_by_basis;
    auto* const q = reinterpret_cast<Numbers*>(scratch);
    Numbers product[rows_by_basis] = {};
    const int columns = columns_of_basis(factors);
    const auto add = [&](int begin, int count, Numbers(&to)[rows_by_basis]) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * rows_by_basis / rows_of_thread), [&](int item) {
        const int row = item * rows_of_thread % rows_by_basis;
        const int k = item * rows_of_thread / rows_by_basis;
        multiply(sides, c, of.n, begin + k, rows.begin + row, q + k * rows_by_basis + row);
      });
      member.team_barrier();
      if (column < of.m) {
        for (int k = 0; k < count; k += columns_at_once) {
          add_columns(q, sides, k, (begin + k) * of.m + column, of.m, to);
        }
      }
      member.team_barrier();
    };
    for (int begin = vectors_of_basis; begin < columns; begin += columns_by_basis) {
      add(begin, Kokkos::min(+columns_by_basis, columns - begin), product);
    }
    // x itself comes last: before, its sums would take registers from those of N x.
    Numbers trial[rows_by_basis] = {};
    add(0, vectors_of_basis, trial);
    if (column >= of.m) return;
    constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
    const PlacedVertex second = of.column(column);
    const double off_x = off.x * sides.size_x_second[column];
    const double off_y = off.y * sides.size_y_second[column];
    // Read by a number that is not known when this is compiled, they stand in memory; those above are in registers.
    Numbers left[2 * rows_by_basis];
    for (int k = 0; k < rows_by_basis; ++k) {
      left[2 * k] = trial[k];
      left[2 * k + 1] = product[k];
    }
    for (int k = 0; k < rows.count; ++k) {
      const int row = rows.begin + k;
      pairs.template add_trial<true>(sums, of, of.row(row), second, left[2 * k], left[2 * k + 1],
                                     {off_x * sides.size_x[row], off_y * sides.size_y[row]});
      if (left[2 * k].x < 0 || left[2 * k].y < 0) sums.x_worst = sums.y_worst = infinite;
    }
  }

  /// Q of some rows from `row` on in column k of all P. Rows that the graph has not are copies of its last: a thread that asked before each
  /// read would wait for one after the other.
  KOKKOS_INLINE_FUNCTION static void multiply(const Sides& sides, const double* c, int n, int k, int row, Numbers* q) {
    const int matrix = k / vectors_of_basis * vectors_of_basis;
    const int f_second = k % vectors_of_basis;
    Numbers sums[rows_of_thread] = {};
    int at[rows_of_thread];
    for (int r = 0; r < rows_of_thread; ++r) at[r] = matrix * n + Kokkos::min(row + r, n - 1);
    for (int begin = 0; begin < vectors_of_basis; begin += vectors_at_once) {
      Numbers read[vectors_at_once][rows_of_thread];
      for (int f = 0; f < vectors_at_once; ++f) {
        for (int r = 0; r < rows_of_thread; ++r) {
          read[f][r] = {sides.x[at[r] + (begin + f) * n], sides.y[at[r] + (begin + f) * n]};
        }
      }
      for (int f = 0; f < vectors_at_once; ++f) {
        const double of_x = c[(begin + f) * vectors_of_basis + f_second];
        const double of_y = c[ReducedTrials::matrix + (begin + f) * vectors_of_basis + f_second];
        for (int r = 0; r < rows_of_thread; ++r) {
          sums[r].x += read[f][r].x * of_x;
          sums[r].y += read[f][r].y * of_y;
        }
      }
    }
    for (int r = 0; r < rows_of_thread; ++r) q[r] = sums[r];
  }

  /// Adds the products of all rows' Q with some columns of P', whose numbers are read before the first is used.
  KOKKOS_INLINE_FUNCTION static void add_columns(const Numbers* q, const Sides& sides, int k, int at, int m,
                                                 Numbers (&sums)[rows_by_basis]) {
    Numbers read[columns_at_once];
    for (int u = 0; u < columns_at_once; ++u) read[u] = {sides.x_second[at + u * m], sides.y_second[at + u * m]};
    for (int u = 0; u < columns_at_once; ++u) {
      for (int row = 0; row < rows_by_basis; ++row) {
        const Numbers of_row = q[(k + u) * rows_by_basis + row];
        sums[row].x += of_row.x * read[u].x;
        sums[row].y += of_row.y * read[u].y;
      }
    }
  }
};

}  // namespace octile::detail
