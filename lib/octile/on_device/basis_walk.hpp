// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/on_device/basis.hpp>
#include <octile/on_device/basis_tiles.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/walks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Rows of G that a team takes at a time, a thread a column, and columns of P of which it keeps the products with C. A device has their values,
/// not the numbers: Kokkos::min takes them with a + before.
inline constexpr int rows_by_basis = 16;
inline constexpr int columns_by_basis = 80;
/// Rows whose Q a thread forms at a time, from so many numbers of each that it reads at a time, and columns of P' that it reads at a time.
inline constexpr int rows_of_thread = 4;
inline constexpr int vectors_at_once = 4;
inline constexpr int columns_at_once = 8;
/// Tiles beside each other that a warp has by tensor cores.
inline constexpr int tiles_across = 4;
static_assert(tiles_across <= tiles_behind);

/// Certifies pairs whose trials are products of bases (`ReducedTrials`), a team each, a thread a column of the pair:
///
///     Q_r = P_r C          for some rows, in scratch
///     N x = Σ_r Q_r P'_rᵀ   a thread has its column of P' and the rows' sums    (r is each pair of a factor and a weight)
///
/// On a GPU with tensor cores a warp has 16 rows and some columns, and forms both products by tiles (`BasisTiles`); no warp waits for another. There is
/// no edge in it: where vertices have many edges and a set's solutions lie near few directions, this takes less than a walk. A pair whose trial has a
/// number below 0 is not proven.
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
      c[place_in_c(k / ReducedTrials::matrix, k / vectors_of_basis % vectors_of_basis, k % vectors_of_basis)] =
          coefficients[2 * std::size_t(ReducedTrials::matrix) * static_cast<std::size_t>(number) +
                       static_cast<std::size_t>(k)];
    });
    member.team_barrier();
    const Numbers off = unknown_of(member, number, c);
    typename decltype(pairs)::Sums own;
    const int additions = levels_of_sum(threads) + certify(member, of, sides, scratch, off, own);
    if (pairs.shortest_walk == 1) pairs.add_no_steps(member, own, of);
    member.team_barrier();
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      pairs.results[number].status = Status::converged;
      pairs.results[number].iterations = 0;
      pairs.finish(number, of, sums, additions);
    });
  }

  /// Doubles of scratch that a team takes.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int threads) {
    return Kokkos::max(room_of_products(threads) + 2 * std::size_t(ReducedTrials::matrix), room_of_sum(threads));
  }

 private:
  using Numbers = TrialValues<double>;
  /// Where the products of both graphs stand.
  struct Sides {
    const double* first;
    const double* second;
    const Numbers* sizes;
    const Numbers* sizes_second;
    std::size_t first_vertex;
    std::size_t second_vertex;
  };
  struct Rows {
    int begin;
    int count;
  };
  /// Doubles of scratch for Q of some rows, or for N x of what warps have of both systems.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t room_of_products(int threads) {
    return 2 * Kokkos::max(std::size_t{rows_by_basis} * columns_by_basis,
                           4 * std::size_t{tiles_across} * static_cast<std::size_t>(threads));
  }

  KOKKOS_INLINE_FUNCTION Sides sides_of(int number) const {
    const Pair pair = pairs.trials.pairs[number];
    const std::size_t first = pairs.vertex_begin(pair.first);
    const std::size_t second = pairs.vertex_begin(pair.second);
    const int columns = columns_of_basis(factors, weights);
    return {bases.of_graph(pair.first, columns),
            bases.of_graph(pair.second, columns),
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
          [&](int k, double& part) { part += of_system[k] * of_system[k]; }, sum);
      return sum;
    };
    const Numbers squares{squares_of(c), squares_of(c + ReducedTrials::matrix)};
    const Pair pair = pairs.trials.pairs[number];
    const double terms = pairs.most_neighbours(pair.first) + pairs.most_neighbours(pair.second) +
                         columns_of_basis(factors, weights) + 3.0 * vectors_of_basis + 2.0 * weights.terms() + 64;
    const double off = 1.0001 * (factors.error + 2 * terms * unit_roundoff);
    return {off * Kokkos::sqrt(squares.x), off * Kokkos::sqrt(squares.y)};
  }

  /// Adds what all rows of a pair leave. How many numbers a thread adds one after the other at most.
  template <class Member, class Sums>
  KOKKOS_INLINE_FUNCTION int certify(const Member& member, const CertifiedPair& of, const Sides& sides, double* scratch,
                                     const Numbers& off, Sums& sums) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const int of_warp = member.team_rank() / 32 * BasisTiles::rows;
    const int rows_of_team = member.team_size() / 32 * BasisTiles::rows;
    int rounds = 0;
    for (int column = 0; column < of.m; column += BasisTiles::width * tiles_across) {
      for (int row = of_warp; row < of.n; row += rows_of_team, ++rounds) {
        certify_by_tiles(member, of, sides, scratch, row, column, off, sums);
      }
    }
    return rounds * 4 * tiles_across;  // of the first warp, which has most and whose first thread asks
#else
    const int threads = member.team_size();
    int additions = 0;
    for (int from = 0; from < of.m; from += threads) {
      for (int row = 0; row < of.n; row += rows_by_basis) {
        certify_by_columns(member, of, sides, scratch, {row, Kokkos::min(+rows_by_basis, of.n - row)},
                           from + member.team_rank(), off, sums);
      }
      additions += of.n;
    }
    return additions;
#endif
  }

#if defined(__CUDACC__)
  /// Adds what some rows and columns leave, by a warp. N x of both systems stays in scratch until x is there, since both would take too many
  /// registers.
  template <class Member, class Sums>
  __device__ void certify_by_tiles(const Member& member, const CertifiedPair& of, const Sides& sides, double* scratch,
                                   int first_row, int first_column, const Numbers& off, Sums& sums) const {
    using Tiles = BasisTiles;
    const int threads = member.team_size();
    const int lane = member.team_rank() % 32;
    const double* const c = scratch + room_of_products(threads) + Tiles::of_lane(lane);
    auto* const kept = reinterpret_cast<Numbers*>(scratch) + member.team_rank();
    const double* const first = sides.first + first_row / vertices_of_tile * numbers_of_tile + Tiles::of_lane(lane);
    const double* const second =
        sides.second + first_column / vertices_of_tile * numbers_of_tile + Tiles::of_lane(lane);
    const std::size_t ahead_first = static_cast<std::size_t>(tiles_of(of.n)) * numbers_of_tile;
    const std::size_t ahead_second = static_cast<std::size_t>(tiles_of(of.m)) * numbers_of_tile;
    const int blocks = columns_of_basis(factors, weights) / vectors_of_basis;
    const int nothing = blocks >> 24;  // for `settled`
    Tiles::Product product_x[tiles_across] = {};
    Tiles::Product product_y[tiles_across] = {};
    const double* left_at = first + ahead_first;
    const double* right_at = second + ahead_second;
    // P of the next columns is on its way while these are multiplied.
    Tiles::Left p_x = Tiles::read_left(0, left_at);
    Tiles::Left p_y = Tiles::read_left(1, left_at);
    for (int block = 1; block < blocks; ++block, right_at += ahead_second) {
      const Tiles::Left x = Tiles::settled(Tiles::times_c(0, p_x, c), nothing);
      const Tiles::Left y = Tiles::settled(Tiles::times_c(1, p_y, c), nothing);
      left_at = block + 1 < blocks ? left_at + ahead_first : first;
      p_x = Tiles::read_left(0, left_at);
      p_y = Tiles::read_left(1, left_at);
      for (int t = 0; t < tiles_across; ++t) {
        product_x[t].add(x, Tiles::read(0, right_at + t * numbers_of_tile));
        product_y[t].add(y, Tiles::read(1, right_at + t * numbers_of_tile));
      }
    }
    for (int t = 0; t < tiles_across; ++t) {
      for (int i = 0; i < 4; ++i) kept[(4 * t + i) * threads] = {product_x[t].of[i], product_y[t].of[i]};
    }
    // The last that were read are those of F.
    const Tiles::Left x = Tiles::times_c(0, p_x, c);
    const Tiles::Left y = Tiles::times_c(1, p_y, c);
    const Beside rows[2] = {beside(of.first, sides.sizes, first_row + lane / 4, of.n),
                            beside(of.first, sides.sizes, first_row + lane / 4 + 8, of.n)};
    int signs = 0;
#pragma unroll 1
    for (int t = 0; t < tiles_across; ++t) {
      const int begin = first_column + t * Tiles::width + lane % 4 * 2;
      const Beside columns[2] = {beside(of.second, sides.sizes_second, begin, of.m),
                                 beside(of.second, sides.sizes_second, begin + 1, of.m)};
      Tiles::Product trial_x{};
      Tiles::Product trial_y{};
      trial_x.add(x, Tiles::read(0, second + t * numbers_of_tile));
      trial_y.add(y, Tiles::read(1, second + t * numbers_of_tile));
      double weight[4];
      weigh(sides, rows, columns, weight);
      const CertifiedColumn certified[2] = {pairs.column_of(of, columns[0].at.vertex),
                                            pairs.column_of(of, columns[1].at.vertex)};
      for (int i = 0; i < 4; ++i) {
        const Beside& row = rows[i / 2];
        const Beside& column = columns[i % 2];
        // With a sum of 0 there is no -0.
        const Numbers trial{Kokkos::fma(weight[i], trial_x.of[i], 0.0), Kokkos::fma(weight[i], trial_y.of[i], 0.0)};
        signs |= __double2hiint(trial.x) | __double2hiint(trial.y);
        const double kappa = pairs.inverse_kappa.in_table(row.at.vertex.record, column.at.vertex.record);
        const Numbers unknown{off.x * column.size.x * row.size.x, off.y * column.size.y * row.size.y};
        pairs.template add_trial<true>(sums, of, row.at.vertex, certified[i % 2], kappa, trial,
                                       kept[(4 * t + i) * threads], unknown);
      }
    }
    if (signs < 0) refuse(sums);
  }

  /// A vertex of a tile, and its size. Behind a graph's last one stands a vertex that adds nothing to a sum: what is read of tiles there is 0 or the next
  /// graph's, and is multiplied by 0. A lane that asked before it reads would wait. Where a vertex of the pair has no start, the largest row of y is
  /// unbounded, with these vertices as without.
  struct Beside {
    PlacedVertex at;
    Numbers size;
    double inside;  ///< 1 or 0
  };
  __device__ static Beside beside(const ExactVertex* vertices, const Numbers* sizes, int vertex, int count) {
    const bool inside = vertex < count;
    const int place = inside ? vertex : count - 1;
    Beside found{{place, vertices[place]}, sizes[place], inside ? 1.0 : 0.0};
    if (!inside) {
      found.at.vertex.degree = 1;
      found.at.vertex.inverse_degree = found.at.vertex.start = found.at.vertex.inverse_start = 0;
      found.size = {0, 0};
    }
    return found;
  }

  /// What trials of two rows in two columns are weighted by.
  __device__ void weigh(const Sides& sides, const Beside (&rows)[2], const Beside (&columns)[2],
                        double (&weight)[4]) const {
    for (int i = 0; i < 4; ++i) weight[i] = weights.count > 0 ? 0.0 : 1.0;
    const double* of_rows[2];
    const double* of_columns[2];
    const auto terms = static_cast<std::size_t>(weights.count);
    for (int k = 0; k < 2; ++k) {
      of_rows[k] = weights.values.data() + (sides.first_vertex + static_cast<std::size_t>(rows[k].at.place)) * terms;
      of_columns[k] =
          weights.values.data() + (sides.second_vertex + static_cast<std::size_t>(columns[k].at.place)) * terms;
    }
    for (int t = 0; t < weights.count; ++t) {
      for (int i = 0; i < 4; ++i) weight[i] += of_rows[i / 2][t] * of_columns[i % 2][t];
    }
    for (int i = 0; i < 4; ++i) weight[i] *= rows[i / 2].inside * columns[i % 2].inside;
  }
#endif

  /// Leaves a pair unproven.
  template <class Sums>
  KOKKOS_INLINE_FUNCTION static void refuse(Sums& sums) {
    sums.x_worst.add(Kokkos::Experimental::infinity_v<double>);
    sums.y_worst = sums.x_worst;
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
    const ExactVertex second = of.second[column];
    const CertifiedColumn certified = pairs.column_of(of, second);
    const Numbers off_column{off.x * sides.sizes_second[column].x, off.y * sides.sizes_second[column].y};
    for (int k = 0; k < rows.count; ++k) {
      const int row = rows.begin + k;
      const double weight = weights.product(sides.first_vertex + static_cast<std::size_t>(row),
                                            sides.second_vertex + static_cast<std::size_t>(column));
      const Numbers size = sides.sizes[row];
      const Numbers x{weight * trial[k].x, weight * trial[k].y};
      const ExactVertex first = of.first[row];
      pairs.template add_trial<true>(sums, of, first, certified,
                                     pairs.inverse_kappa.in_table(first.record, second.record), x, product[k],
                                     {off_column.x * size.x, off_column.y * size.y});
      if (x.x < 0 || x.y < 0) refuse(sums);
    }
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
          read[f][r] = {sides.first[place_in_basis(0, matrix + begin + f, at[r], tiles_of(n))],
                        sides.first[place_in_basis(1, matrix + begin + f, at[r], tiles_of(n))]};
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
  KOKKOS_INLINE_FUNCTION static void add_columns(const Numbers* q, const Sides& sides, int k, int begin, int column,
                                                 int m, Numbers (&sums)[rows_by_basis]) {
    Numbers read[columns_at_once];
    for (int u = 0; u < columns_at_once; ++u) {
      read[u] = {sides.second[place_in_basis(0, begin + k + u, column, tiles_of(m))],
                 sides.second[place_in_basis(1, begin + k + u, column, tiles_of(m))]};
    }
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
