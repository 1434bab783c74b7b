// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/device_basis.hpp>
#include <octile/device_basis_tiles.hpp>
#include <octile/device_pairs.hpp>
#include <octile/device_walks.hpp>
#include <octile/unit_roundoff.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Rows whose Q a thread forms at a time, from so many numbers of each that it reads at a time, and columns of P' that it reads at a time.
inline constexpr int rows_of_thread = 4;
inline constexpr int vectors_at_once = 4;
inline constexpr int columns_at_once = 8;

/// Certifies pairs whose trials are products of bases (`ReducedTrials`), a team each, a thread a column of the pair:
///
///     Q_r = P_r C          for some rows, in scratch
///     N x = Σ_r Q_r P'_rᵀ   a thread has its column of P' and the rows' sums    (r is each pair of a factor and a weight)
///
/// On a GPU a warp has 32 columns, and forms both products by tiles. There is no edge in it: where vertices have many edges and a set's
/// solutions lie near few directions, this takes less than a walk.
/// A pair whose trial has a number below 0 is not proven.
template <class MemorySpace>
struct CertifyByBasis {
  CertifiedPairs<MemorySpace, float> pairs;
  FactoredEnds<MemorySpace> factors;
  BasisProducts<MemorySpace> bases;
  BasisWeights<MemorySpace> weights;
  const double* coefficients;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles(threads));
    const Sides sides = sides_of(number);
    double* const c = scratch + room_of_products(threads);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 2 * ReducedTrials::matrix), [&](int k) {
      c[k / vectors_of_basis * pitch + k % vectors_of_basis] =
          coefficients[2 * std::size_t(ReducedTrials::matrix) * static_cast<std::size_t>(number) +
                       static_cast<std::size_t>(k)];
    });
    member.team_barrier();
    const Numbers off = unknown_of(member, number, c);
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
    return Kokkos::max(room_of_products(threads) + 2 * std::size_t(vectors_of_basis) * pitch + room_of_rows,
                       room_of_sum(threads));
  }

 private:
  using Numbers = TrialValues<double>;
  /// Where the products of both graphs stand.
  struct Sides {
    const Numbers* first;
    const Numbers* second;
    const Numbers* sizes;
    const Numbers* sizes_second;
    std::size_t first_vertex;
    std::size_t second_vertex;
  };
  struct Rows {
    int begin;
    int count;
  };
  static constexpr int pitch = pitch_of_c;
  /// From row to row of x and N x where tiles leave them: lanes that write at once meet in no bank.
  KOKKOS_INLINE_FUNCTION static constexpr int pitch_of(int threads) { return threads + 4; }

  /// Doubles of scratch for the vertices of some rows.
  static constexpr std::size_t room_of_rows = rows_by_basis * sizeof(ExactVertex) / sizeof(double);
  static_assert(sizeof(ExactVertex) % sizeof(double) == 0 && alignof(ExactVertex) <= alignof(Numbers));

  /// Doubles of scratch for Q, or for what tiles leave: x, y and both products.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t room_of_products(int threads) {
    return Kokkos::max(2 * std::size_t(pitch_of_q) * columns_by_basis,
                       4 * std::size_t(rows_of_tile) * static_cast<std::size_t>(pitch_of(threads)));
  }

  KOKKOS_INLINE_FUNCTION Sides sides_of(int number) const {
    const Pair pair = pairs.trials.pairs[number];
    const std::size_t first = pairs.vertex_begin(pair.first);
    const std::size_t second = pairs.vertex_begin(pair.second);
    const auto columns = static_cast<std::size_t>(columns_of_basis(factors, weights));
    return {bases.products.data() + first * columns,
            bases.products.data() + second * columns,
            bases.sizes.data() + first,
            bases.sizes.data() + second,
            first,
            second};
  }

  /// What is unknown of N x in a row, for sizes of 1. ‖C‖ times both sizes bounds the sum of all terms of a row, for which κe's factors
  /// lack `error`, and which is rounded as often as numbers are added one after the other: in P, in its product with C and over all
  /// columns; and where x, read as a number in double, is the weighted F C F'ᵀ rounded.
  template <class Member>
  KOKKOS_INLINE_FUNCTION Numbers unknown_of(const Member& member, int number, const double* c) const {
    const auto squares_of = [&](const double* of_system) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, ReducedTrials::matrix),
          [&](int k, double& part) {
            const double value = of_system[k / vectors_of_basis * pitch + k % vectors_of_basis];
            part += value * value;
          },
          sum);
      return sum;
    };
    const Numbers squares{squares_of(c), squares_of(c + vectors_of_basis * pitch)};
    const Pair pair = pairs.trials.pairs[number];
    const double terms = pairs.most_neighbours(pair.first) + pairs.most_neighbours(pair.second) +
                         columns_of_basis(factors, weights) + 3.0 * vectors_of_basis + 2.0 * weights.terms() + 64;
    const double off = 1.0001 * (factors.error + 2 * terms * unit_roundoff);
    return {off * Kokkos::sqrt(squares.x), off * Kokkos::sqrt(squares.y)};
  }

  template <class Member, class Sums>
  KOKKOS_INLINE_FUNCTION void certify(const Member& member, const CertifiedPair& of, const Sides& sides,
                                      double* scratch, const Rows& rows, int column, const Numbers& off,
                                      Sums& sums) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    certify_by_tiles(member, of, sides, scratch, rows, column, off, sums);
#else
    certify_by_columns(member, of, sides, scratch, rows, column, off, sums);
#endif
  }

#if defined(__CUDACC__)
  template <class Member, class Sums>
  __device__ void certify_by_tiles(const Member& member, const CertifiedPair& of, const Sides& sides, double* scratch,
                                   const Rows& rows, int column, const Numbers& off, Sums& sums) const {
    const double* const c = scratch + room_of_products(member.team_size());
    auto* const q = reinterpret_cast<Numbers*>(scratch);
    const int columns = columns_of_basis(factors, weights);
    const int lane = member.team_rank() % 32;
    const int first = column - lane;
    // Read again and again below, and waited for then.
    double* const vertices = scratch + room_of_products(member.team_size()) + 2 * vectors_of_basis * pitch;
    const auto* const from_vertices = reinterpret_cast<const double*>(of.first + rows.begin);
    const int words = rows.count * static_cast<int>(sizeof(ExactVertex) / sizeof(double));
    for (int k = member.team_rank(); k < words; k += member.team_size()) vertices[k] = from_vertices[k];
    const auto add = [&](int begin, int count, BasisTiles& to) {
      BasisTiles::multiply_by_c(member, sides.first, c, of.n, begin, count, rows.begin, q);
      member.team_barrier();
      if (first < of.m) to.add(q, sides.second, begin, count, first, of.m, lane);
      member.team_barrier();
    };
    BasisTiles product{};
    for (int begin = vectors_of_basis; begin < columns; begin += columns_by_basis) {
      add(begin, Kokkos::min(+columns_by_basis, columns - begin), product);
    }
    BasisTiles trial{};
    add(0, vectors_of_basis, trial);
    // A thread has one column again: what is known of a vertex is read once for all rows.
    const int pitch_of_row = pitch_of(member.team_size());
    const int pitch_of_number = rows_of_tile * pitch_of_row;
#pragma unroll
    for (int d = 0; d < BasisTiles::down; ++d) {
      double* const to = scratch + lane / 4 * pitch_of_row + member.team_rank() - lane + lane % 4 * 2;
      for (int t = 0; t < BasisTiles::across; ++t) {
        for (int e = 0; e < 2; ++e) {
          double* const place = to + t * rows_of_tile + e;
          place[0] = trial.x[d][t][e];
          place[pitch_of_number] = trial.y[d][t][e];
          place[2 * pitch_of_number] = product.x[d][t][e];
          place[3 * pitch_of_number] = product.y[d][t][e];
        }
      }
      member.team_barrier();
      const int above = d * rows_of_tile;
      if (column < of.m) {
        const double* const from = scratch + member.team_rank();
        close(of, sides, {rows.begin + above, Kokkos::min(+rows_of_tile, rows.count - above)},
              reinterpret_cast<const ExactVertex*>(vertices) + above, column, off, sums, [&](int k) {
                const double* const at = from + k * pitch_of_row;
                return Closing{{at[0], at[pitch_of_number]}, {at[2 * pitch_of_number], at[3 * pitch_of_number]}};
              });
      }
      member.team_barrier();
    }
  }
#endif

  /// x and N x in a row.
  struct Closing {
    Numbers trial;
    Numbers product;
  };

  /// Adds what some rows of a column leave, whose vertices are given; `read(k)` has x, without its weight, and N x in the k-th.
  template <class Sums, class Read>
  KOKKOS_INLINE_FUNCTION void close(const CertifiedPair& of, const Sides& sides, const Rows& rows,
                                    const ExactVertex* vertices, int column, const Numbers& off, Sums& sums,
                                    const Read& read) const {
    constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
    const PlacedVertex second = of.column(column);
    const Numbers off_column{off.x * sides.sizes_second[column].x, off.y * sides.sizes_second[column].y};
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
    for (int k = 0; k < rows.count; ++k) {
      const int row = rows.begin + k;
      Closing left = read(k);
      if (weights.count > 0) {
        const double weight = weights.product(sides.first_vertex + static_cast<std::size_t>(row),
                                              sides.second_vertex + static_cast<std::size_t>(column));
        left.trial = {weight * left.trial.x, weight * left.trial.y};
      }
      pairs.template add_trial<true>(sums, of, {row, vertices[k]}, second, left.trial, left.product,
                                     {off_column.x * sides.sizes[row].x, off_column.y * sides.sizes[row].y});
      if (left.trial.x < 0 || left.trial.y < 0) sums.x_worst = sums.y_worst = infinite;
    }
  }

  template <class Member, class Sums>
  KOKKOS_INLINE_FUNCTION void certify_by_columns(const Member& member, const CertifiedPair& of, const Sides& sides,
                                                 double* scratch, const Rows& rows, int column, const Numbers& off,
                                                 Sums& sums) const {
    const double* const c = scratch + room_of_products(member.team_size());
    auto* const q = reinterpret_cast<Numbers*>(scratch);
    Numbers product[rows_by_basis] = {};
    const int columns = columns_of_basis(factors, weights);
    const auto add = [&](int begin, int count, Numbers(&to)[rows_by_basis]) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * rows_by_basis / rows_of_thread), [&](int item) {
        const int row = item * rows_of_thread % rows_by_basis;
        const int k = item * rows_of_thread / rows_by_basis;
        multiply(sides, c, of.n, begin + k, rows.begin + row, q + k * rows_by_basis + row);
      });
      member.team_barrier();
      if (column < of.m) {
        for (int k = 0; k < count; k += columns_at_once) {
          add_columns(q, sides, k, begin, column, of.m, to);
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
    // Read by a number that is not known when this is compiled, they stand in memory; those above are in registers.
    Closing left[rows_by_basis];
    for (int k = 0; k < rows_by_basis; ++k) left[k] = {trial[k], product[k]};
    close(of, sides, rows, of.first + rows.begin, column, off, sums, [&](int k) { return left[k]; });
  }

  /// Q of some rows from `row` on in column k of all P. Rows that the graph has not are copies of its last: a thread that asked before each
  /// read would wait for one after the other.
  KOKKOS_INLINE_FUNCTION static void multiply(const Sides& sides, const double* c, int n, int k, int row, Numbers* q) {
    const int matrix = k / vectors_of_basis * vectors_of_basis;
    const int f_second = k % vectors_of_basis;
    Numbers sums[rows_of_thread] = {};
    int at[rows_of_thread];
    for (int r = 0; r < rows_of_thread; ++r) at[r] = Kokkos::min(row + r, n - 1);
    for (int begin = 0; begin < vectors_of_basis; begin += vectors_at_once) {
      Numbers read[vectors_at_once][rows_of_thread];
      for (int f = 0; f < vectors_at_once; ++f) {
        for (int r = 0; r < rows_of_thread; ++r) {
          read[f][r] = sides.first[place_in_basis(matrix + begin + f, at[r], n)];
        }
      }
      for (int f = 0; f < vectors_at_once; ++f) {
        const double of_x = c[(begin + f) * pitch + f_second];
        const double of_y = c[(vectors_of_basis + begin + f) * pitch + f_second];
        for (int r = 0; r < rows_of_thread; ++r) {
          sums[r].x += read[f][r].x * of_x;
          sums[r].y += read[f][r].y * of_y;
        }
      }
    }
    for (int r = 0; r < rows_of_thread; ++r) q[r] = sums[r];
  }

  /// Adds the products of all rows' Q with some columns of P', whose numbers are read before the first is used.
  KOKKOS_INLINE_FUNCTION static void add_columns(const Numbers* q, const Sides& sides, int k, int begin, int column,
                                                 int m, Numbers (&sums)[rows_by_basis]) {
    Numbers read[columns_at_once];
    for (int u = 0; u < columns_at_once; ++u) read[u] = sides.second[place_in_basis(begin + k + u, column, m)];
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
