// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/launch.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/on_device/basis.hpp>
#include <octile/on_device/basis_columns.hpp>
#include <octile/on_device/basis_tiles.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/walks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

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
/// number below 0 is not proven. With `steps`, trials that are one step nearer go where `ReducedSteps` says.
template <class MemorySpace, bool steps>
struct CertifyByBasis {
  CertifiedPairs<MemorySpace, float> pairs;
  FactoredEnds<MemorySpace> factors;
  BasisProducts<MemorySpace> bases;
  BasisWeights<MemorySpace> weights;
  const double* coefficients;
  ReducedSteps stepped;

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
    const Numbers squares = squares_of(member, c);
    const Numbers off = unknown_of(number, squares);
    if constexpr (steps) {
      Kokkos::single(Kokkos::PerTeam(member), [&] { stepped.scale(number, squares, c + place_of_scales); });
      member.team_barrier();
    }
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
    constexpr std::size_t of_steps = steps ? ReducedSteps::doubles : 0;
    return Kokkos::max(room_of_products(threads) + place_of_scales + of_steps, room_of_sum(threads));
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
  /// Where the scales of steps stand, behind C of both systems.
  static constexpr std::size_t place_of_scales = 2 * std::size_t(ReducedTrials::matrix);
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

  /// ‖C‖² of both systems.
  template <class Member>
  KOKKOS_INLINE_FUNCTION static Numbers squares_of(const Member& member, const double* c) {
    const auto of_system = [&](const double* numbers) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, ReducedTrials::matrix),
          [&](int k, double& part) { part += numbers[k] * numbers[k]; }, sum);
      return sum;
    };
    return {of_system(c), of_system(c + ReducedTrials::matrix)};
  }

  /// What is unknown of N x in a row, for sizes of 1. ‖C‖ times both sizes bounds the sum of all terms of a row, for which κe's factors
  /// lack `error`, and which is rounded as often as numbers are added one after the other: in P, in its product with C and over all
  /// columns; and where x, read as a number in double, is the weighted F C F'ᵀ rounded.
  KOKKOS_INLINE_FUNCTION Numbers unknown_of(int number, const Numbers& squares) const {
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
        const Numbers left = pairs.template add_trial<true>(sums, of, row.at.vertex, certified[i % 2], kappa, trial,
                                                            kept[(4 * t + i) * threads], unknown);
        if constexpr (steps) {
          if (row.inside * column.inside > 0)
            stepped.keep(of, scratch + room_of_products(threads) + place_of_scales, row.at, column.at, kappa, trial,
                         left);
        }
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
        multiply_by_c(sides.first, c, of.n, begin + k, rows.begin + row, q + k * rows_by_basis + row);
      });
      member.team_barrier();
      if (column < of.m) {
        for (int k = 0; k < count; k += columns_at_once) {
          add_columns(q, sides.second, k, begin, column, of.m, to);
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
      const double inverse_kappa = pairs.inverse_kappa.in_table(first.record, second.record);
      const Numbers left = pairs.template add_trial<true>(sums, of, first, certified, inverse_kappa, x, product[k],
                                                          {off_column.x * size.x, off_column.y * size.y});
      if constexpr (steps)
        stepped.keep(of, c + place_of_scales, {row, first}, {column, second}, inverse_kappa, x, left);
      if (x.x < 0 || x.y < 0) refuse(sums);
    }
  }
};

/// Queues such certificates of `count` pairs.
template <bool steps, class ExecutionSpace, class MemorySpace>
void certify_by_basis(const ExecutionSpace& space, const CertifiedPairs<MemorySpace, float>& pairs,
                      const BasisReduction<MemorySpace>& reducing, const ReducedTrials& trials, std::size_t count) {
  using Walk = CertifyByBasis<MemorySpace, steps>;
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  // Three warps by four teams, with 168 registers a thread: a warp has 16 rows at a time.
  constexpr int threads = on_host ? 1 : 96;
  launch_teams<threads, 4>(
      space, "octile::certify_by_basis", count, Walk::doubles(threads),
      Walk{pairs, reducing.factors, reducing.of, reducing.weights, trials.coefficients, trials.steps});
}

}  // namespace octile::detail
