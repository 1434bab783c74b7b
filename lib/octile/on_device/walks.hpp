// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/fixed_pointer.hpp>
#include <octile/base/launch.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/trials.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Threads of a team.
template <class MemorySpace>
inline constexpr int certifying_team = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ? 1 : 128;

/// A team's scratch as numbers.
template <class Member>
KOKKOS_INLINE_FUNCTION double* scratch_of(const Member& member, std::size_t doubles) {
  return static_cast<double*>(member.team_scratch(0).get_shmem_aligned(sizeof(double) * doubles, 2 * sizeof(double)));
}

/// Queues teams of `size` threads with so many doubles of scratch, and with registers for `teams` teams of `threads` on a multiprocessor.
template <unsigned threads, unsigned teams, class ExecutionSpace, class Walk>
void launch_teams(const ExecutionSpace& space, const char* name, std::size_t count, std::size_t doubles,
                  const Walk& walk, int size = threads) {
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, teams>> policy(space, static_cast<int>(count), size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(double) * (doubles + 2))));
  Kokkos::parallel_for(name, without_waiting(policy), walk);
}

/// sum ← sum + factor · values, in double.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void add_product(TrialValues<double>& sum, double factor, const TrialValues<Scalar>& values) {
  sum.x += factor * static_cast<double>(values.x);
  sum.y += factor * static_cast<double>(values.y);
}

/// How the threads of a team share a rectangle: `width` of them, a power of 2 of which the team's size is a multiple, take columns beside
/// each other of the same row, and `groups` such rows are taken at a time.
struct SharedRectangle {
  int width;
  int groups;

  KOKKOS_INLINE_FUNCTION SharedRectangle(int columns, int threads) : width(Kokkos::min(32, threads)) {
    while (width > 1 && width / 2 >= columns) width /= 2;
    groups = threads / width;
  }
};

/// What a thread takes of a rectangle of items, row by row: items `rank`, `rank + threads` and so on, with a division once and not for
/// each. Behind the last row `column` is still one of the rectangle's.
struct RectangleWalk {
  int columns;
  int row;
  int column;

  KOKKOS_INLINE_FUNCTION RectangleWalk(int width, int rank, int threads)
      : columns(width),
        row(rank / width),
        column(rank - row * width),
        rows_ahead(threads / width),
        columns_ahead(threads - rows_ahead * width) {}

  KOKKOS_INLINE_FUNCTION void advance() {
    row += rows_ahead;
    column += columns_ahead;
    if (column >= columns) {
      column -= columns;
      ++row;
    }
  }

 private:
  int rows_ahead;
  int columns_ahead;
};

/// Certifies pairs, a team each, of several warps or one, and a thread a column, with κe evaluated at every pair of ends: where κe is
/// cheap and vertices have few edges. What a thread reads of its column it keeps while it walks down the rows. Threads beside each other take columns beside
/// each other of the same row: its edges they read together, and of x and y the same rows. Those of the next row are on their way by then.
template <class MemorySpace, class Edges, class Scalar>
struct CertifyByColumn {
  CertifiedPairs<MemorySpace, Scalar, true> pairs;  // few edges round little
  Edges edges;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int threads = member.team_size();
    const auto [width, groups] = SharedRectangle(of.m, threads);
    const int group = member.team_rank() / width;
    const TrialValues<Scalar>* const values = pairs.trials.values + of.begin;
    typename decltype(pairs)::Sums own;
    for (int column = member.team_rank() - group * width; column < of.m; column += width) {
      const Column held(of, pairs.ends.data(), column);
      // What a row reads first is read while the row before it is walked, and its number of edges one row earlier.
      RowEnds here = ends_of(of, group);
      RowEnds next = ends_of(of, group + groups);
      ExactEnd edge = pairs.ends(here.first);
      for (int row = group; row < of.n; row += groups) {
        if (row + groups < of.n) fetch_early(values + of.at(row + groups, column));
        const ExactEnd edge_of_next = pairs.ends(next.first);
        const RowEnds after = ends_of(of, row + 2 * groups);
        add(own, of, held, row, here, edge);
        here = next;
        next = after;
        edge = edge_of_next;
      }
    }
    const auto sums = sum_of_team(member, own, scratch_of(member, room_of_sum(threads)));
    const int of_thread = ((of.m + width - 1) / width) * ((of.n + groups - 1) / groups);
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { pairs.finish(number, of, sums, of_thread + levels_of_sum(threads)); });
  }

 private:
  /// Where the edges of a row stand.
  struct RowEnds {
    std::uint32_t first;
    std::uint32_t count;
  };
  /// Where the edges of row `row` stand. Row n is the vertex behind the graph, which the list always has and whose
  /// edges nobody walks.
  KOKKOS_INLINE_FUNCTION static RowEnds ends_of(const CertifiedPair& of, int row) {
    const ExactVertex& vertex = of.first[Kokkos::min(row, of.n)];
    return {vertex.first_end, vertex.neighbours};
  }

  /// A column with its first edges, as a thread keeps it.
  struct Column {
    static constexpr std::uint32_t most_held = 4;
    int place;
    ExactVertex vertex;
    ExactEnd ends[most_held];

    KOKKOS_INLINE_FUNCTION Column(const CertifiedPair& of, const ExactEnd* all, int column)
        : place(column), vertex(of.second[column]) {
      for (std::uint32_t e = 0; e < most_held; ++e) {
        ends[e] = e < vertex.neighbours ? all[vertex.first_end + e] : ExactEnd{0, 0, 0};
      }
    }
  };

  template <class Sums>
  KOKKOS_INLINE_FUNCTION void add(Sums& sums, const CertifiedPair& of, const Column& column, int i,
                                  const RowEnds& row_ends, ExactEnd next) const {
    const ExactEnd* const ends = pairs.ends.data();
    const TrialValues<Scalar>* const values = fixed_pointer(pairs.trials.values + of.begin);
    const ExactVertex row = of.first[i];
    const std::uint32_t end = column.vertex.last_end();
    const std::uint32_t end_of_row = row_ends.first + row_ends.count;
    TrialValues<double> product{0, 0};
    for (std::uint32_t one = row_ends.first; one < end_of_row; ++one) {
      const ExactEnd edge = next;
      next = ends[one + 1];
      const auto kappa = edges.row(edge, one);
      const std::uint32_t at_row = edge.column * static_cast<std::uint32_t>(of.m);
      TrialValues<double> of_row{0, 0};
      for (std::uint32_t e = 0; e < Column::most_held; ++e) {
        if (e < column.vertex.neighbours) {
          const ExactEnd& held = column.ends[e];
          add_product(of_row, held.weight * kappa(held, column.vertex.first_end + e), values[at_row + held.column]);
        }
      }
      for (std::uint32_t other = column.vertex.first_end + Column::most_held; other < end; ++other) {
        const ExactEnd edge_second = ends[other];
        add_product(of_row, edge_second.weight * kappa(edge_second, other), values[at_row + edge_second.column]);
      }
      add_product(product, edge.weight, of_row);
    }
    pairs.template add<false>(sums, of, {i, row}, {column.place, column.vertex}, product, {0, 0});
  }
};

/// How several teams share each pair: each takes some of its rows, and leaves its sums to be joined.
struct SharedPairs {
  int teams = 1;  ///< of a pair
  double* left =
      nullptr;  ///< if they are several, for each team the numbers of its sums, and how many additions made one

  template <class Sums>
  static constexpr std::size_t stride = Sums::count + 1;

  KOKKOS_INLINE_FUNCTION int pair(int team) const { return team / teams; }
  struct Rows {
    int begin;
    int end;
  };
  KOKKOS_INLINE_FUNCTION Rows rows(int team, int n) const {
    const int part = team % teams;
    return {n * part / teams, n * (part + 1) / teams};
  }
  /// Sums what the threads of a team have of a pair, and finishes that, or leaves the sums where several teams share it.
  template <class Member, class Pairs>
  KOKKOS_INLINE_FUNCTION void finish(const Member& member, const Pairs& pairs, const CertifiedPair& of,
                                     const typename Pairs::Sums& own, double* scratch, int additions) const {
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      if (teams == 1) {
        pairs.finish(pair(member.league_rank()), of, sums, additions);
      } else {
        leave(member.league_rank(), sums, additions);
      }
    });
  }

 private:
  template <class Sums>
  KOKKOS_INLINE_FUNCTION void leave(int team, const Sums& sums, int additions) const {
    double* const to = left + static_cast<std::size_t>(team) * stride<Sums>;
    const typename Sums::Numbers numbers = sums.numbers();
    for (int k = 0; k < Sums::count; ++k) to[k] = numbers[k];
    to[Sums::count] = additions;
  }
};

/// Joins what the teams of each pair have left, in their order.
template <class Pairs>
struct JoinTeams {
  using Sums = typename Pairs::Sums;

  Pairs pairs;
  SharedPairs shared;

  KOKKOS_FUNCTION void operator()(const int number) const {
    constexpr std::size_t stride = SharedPairs::stride<Sums>;
    const double* from =
        shared.left + static_cast<std::size_t>(number) * static_cast<std::size_t>(shared.teams) * stride;
    typename Sums::Numbers all;
    for (int k = 0; k < Sums::count; ++k) all[k] = from[k];
    double additions = from[Sums::count];
    for (int team = 1; team < shared.teams; ++team) {
      from += stride;
      for (int k = 0; k < Sums::count; ++k) all[k] = k < Sums::added ? all[k] + from[k] : larger(all[k], from[k]);
      additions = Kokkos::max(additions, from[Sums::count]);
    }
    pairs.finish(number, pairs.pair(number), Sums::of(all), additions + shared.teams);
  }
};

/// Certifies pairs, a team each. For some rows i a thread takes an edge of G' between k and l, evaluates κe with the edges of i, and
/// multiplies with it from both ends:
///
///     product(i, k → l) = w_kl Σ_j w_ij κe(ij, kl) x_jl          N x at i, k is the sum over k's ends
///     product(i, l → k) = w_kl Σ_j w_ij κe(ij, kl) x_jk
///
/// Threads beside each other walk along the same edges, and read l's beside each other of the same rows of x. Where G' has more edges
/// than scratch has room for, its columns are taken in parts, and edges that lead from one to another are evaluated in each. Several teams
/// may share a pair, each with as many rows as the others (`SharedPairs`).
template <class MemorySpace, class Edges, class Scalar>
struct CertifyByEnds {
  CertifiedPairs<MemorySpace, Scalar> pairs;
  Edges edges;
  int room;  ///< products that scratch holds, at least the most edges of a vertex
  SharedPairs shared;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const CertifiedPair of = pairs.pair(shared.pair(member.league_rank()));
    const auto [first_row, end_row] = shared.rows(member.league_rank(), of.n);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles(room, threads));
    auto* const products = reinterpret_cast<Product*>(scratch);
    typename decltype(pairs)::Sums own;
    int additions = levels_of_sum(threads);
    for (int from = 0; from < of.m;) {
      const Part part = part_of(of, from);
      const int columns = part.to - from;
      const int rows = part.ends > 0 ? Kokkos::min(of.n, room / part.ends) : of.n;
      for (int row = first_row; row < end_row; row += rows) {
        const int count = Kokkos::min(rows, end_row - row);
        multiply(member, of, part, row, count, products);
        member.team_barrier();
        for (RectangleWalk walk(columns, member.team_rank(), threads); walk.row < count; walk.advance()) {
          const PlacedVertex column = of.column(from + walk.column);
          const Product* const of_ends = products + walk.row * part.ends;
          const std::uint32_t end = column.vertex.last_end() - part.first_end;
          Product sum{0, 0};
          for (std::uint32_t at = column.vertex.first_end - part.first_end; at < end; ++at) {
            sum.x += of_ends[at].x;
            sum.y += of_ends[at].y;
          }
          pairs.template add<false>(own, of, of.row(row + walk.row), column, sum, {0, 0});
        }
        member.team_barrier();
        additions += count * columns / threads + 1;
      }
      from = part.to;
    }
    shared.finish(member, pairs, of, own, scratch, additions);
  }

  /// Doubles of scratch that a team takes.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int room, int threads) {
    return Kokkos::max(2 * static_cast<std::size_t>(room), room_of_sum(threads));
  }

 private:
  using Product = TrialValues<double>;
  /// The columns from `from` up to `to`, with their ends, and the edges that lead from them to later vertices.
  struct Part {
    int from;
    int to;
    std::uint32_t first_end;
    int ends;
    std::uint32_t first_edge;
    int edges;
  };

  /// The columns from `from` on whose ends fit the room.
  KOKKOS_INLINE_FUNCTION Part part_of(const CertifiedPair& of, int from) const {
    const ExactVertex first = of.second[from];
    const std::uint32_t most = first.first_end + static_cast<std::uint32_t>(room);
    int to = of.m;
    if (of.second[to].first_end > most) {
      to = from + 1;
      while (to < of.m && of.second[to + 1].first_end <= most) ++to;
    }
    const ExactVertex last = of.second[to];
    return {from,
            to,
            first.first_end,
            static_cast<int>(last.first_end - first.first_end),
            first.first_edge,
            static_cast<int>(last.first_edge - first.first_edge)};
  }

  /// The products of `count` rows from `row` on with all ends of a part.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void multiply(const Member& member, const CertifiedPair& of, const Part& part, int row,
                                       int count, Product* products) const {
    if (part.edges > 0) {
      RectangleWalk walk(part.edges, member.team_rank(), member.team_size());
      ExactEdge edge = pairs.edges(part.first_edge + static_cast<std::uint32_t>(walk.column));
      while (walk.row < count) {
        const int of_row = walk.row;
        walk.advance();
        const ExactEdge next = pairs.edges(part.first_edge + static_cast<std::uint32_t>(walk.column));
        Product* const of_ends = products + of_row * part.ends;
        const Both both = products_of(of, row + of_row, edge);
        of_ends[edge.from - part.first_end] = both.from;
        if (static_cast<int>(edge.later) < part.to) of_ends[edge.to - part.first_end] = both.to;
        edge = next;
      }
    }
    if (part.from == 0) return;
    // Edges from columns of an earlier part.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * part.ends), [&](int item) {
      const int of_row = item / part.ends;
      const std::uint32_t end = part.first_end + static_cast<std::uint32_t>(item - of_row * part.ends);
      const std::uint32_t other = pairs.ends(end).column;
      if (static_cast<int>(other) >= part.from) return;
      products[item] = products_of(of, row + of_row, {end, end, other, other}).from;
    });
  }

  struct Both {
    Product from;
    Product to;
  };

  /// The products of row i with an edge from both of its ends.
  KOKKOS_INLINE_FUNCTION Both products_of(const CertifiedPair& of, int i, ExactEdge second) const {
    const ExactEnd* const ends = pairs.ends.data();
    const ExactEnd of_second = ends[second.from];
    const auto kappa = edges.row(of_second, second.from);
    const TrialValues<Scalar>* const values = pairs.trials.values + of.begin;
    const TrialValues<Scalar>* const at_from = fixed_pointer(values + second.later);
    const TrialValues<Scalar>* const at_to = fixed_pointer(values + second.earlier);
    Both sum{{0, 0}, {0, 0}};
    const std::uint32_t end_of_row = of.first[i].last_end();
    for (std::uint32_t at = of.first[i].first_end; at < end_of_row; ++at) {
      const ExactEnd edge = ends[at];
      const std::uint32_t at_row = edge.column * static_cast<std::uint32_t>(of.m);
      const TrialValues<Scalar> from = at_from[at_row];
      const TrialValues<Scalar> to = at_to[at_row];
      const double c = edge.weight * kappa(edge, at);
      add_product(sum.from, c, from);
      add_product(sum.to, c, to);
    }
    const double weight = of_second.weight;
    return {{weight * sum.from.x, weight * sum.from.y}, {weight * sum.to.x, weight * sum.to.y}};
  }
};

}  // namespace octile::detail
