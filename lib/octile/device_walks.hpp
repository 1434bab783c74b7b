// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_pairs.hpp>
#include <octile/unit_roundoff.hpp>

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

/// Certifies pairs, a team each and a thread an element, with κe evaluated at every pair of ends: where κe is cheap and
/// vertices have few edges.
template <class MemorySpace, class VertexKernel, class Edges>
struct CertifyByElement {
  CertifiedPairs<MemorySpace, VertexKernel> pairs;
  Edges edges;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int threads = member.team_size();
    DeviceSums own;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n * of.m),
                         [&](int e) { add(own, of, e / of.m, e % of.m); });
    const DeviceSums sums = sum_of_team(member, own, scratch_of(member, room_of_sum(threads)));
    const int additions = of.n * of.m / threads + 1 + levels_of_sum(threads);
    Kokkos::single(Kokkos::PerTeam(member), [&] { pairs.finish(k, of, sums, additions); });
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k) const {
    const ExactEnd* const ends = pairs.ends.data();
    const std::uint32_t begin = of.second[k].first_end;
    const std::uint32_t end = of.second[k + 1].first_end;
    const std::uint32_t end_of_row = of.first[i + 1].first_end;
    const bool both = pairs.both();
    double nx = 0;
    double ny = 0;
    for (std::uint32_t one = of.first[i].first_end; one != end_of_row; ++one) {
      const ExactEnd edge = ends[one];
      const auto kappa = edges.row(edge, one);
      const std::size_t at_row = of.begin + edge.column * static_cast<std::size_t>(of.m);
      double nx_row = 0;
      double ny_row = 0;
      for (std::uint32_t other = begin; other != end; ++other) {
        const ExactEnd edge_second = ends[other];
        const double c = edge_second.weight * kappa(edge_second, other);
        nx_row += c * at_least_0(pairs.trials.x[at_row + edge_second.column]);
        if (both) ny_row += c * at_least_0(pairs.trials.y[at_row + edge_second.column]);
      }
      nx += edge.weight * nx_row;
      ny += edge.weight * ny_row;
    }
    pairs.add(sums, of, i, k, nx, ny, 0, 0);
  }
};

/// Certifies pairs, a team each. For some rows i a thread takes an edge of G' between k and l, evaluates κe with the edges of i, and
/// multiplies with it from both ends:
///
///     product(i, k → l) = w_kl Σ_j w_ij κe(ij, kl) x_jl          N x at i, k is the sum over k's ends
///     product(i, l → k) = w_kl Σ_j w_ij κe(ij, kl) x_jk
///
/// Threads beside each other walk along the same edges, and read l's beside each other of the same rows of x. Where G' has more edges
/// than scratch has room for, its columns are taken in parts, and edges that lead from one to another are evaluated in each.
template <class MemorySpace, class VertexKernel, class Edges>
struct CertifyByEnds {
  CertifiedPairs<MemorySpace, VertexKernel> pairs;
  Edges edges;
  int room;  ///< products that scratch holds, at least the most edges of a vertex

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int threads = member.team_size();
    double* const scratch = scratch_of(member, doubles(room, threads));
    auto* const products = reinterpret_cast<Product*>(scratch);
    DeviceSums own;
    int additions = levels_of_sum(threads);
    for (int from = 0; from < of.m;) {
      const Part part = part_of(of, from);
      const int columns = part.to - from;
      const int rows = part.ends > 0 ? Kokkos::min(of.n, room / part.ends) : of.n;
      for (int row = 0; row < of.n; row += rows) {
        const int count = Kokkos::min(rows, of.n - row);
        multiply(member, of, part, row, count, products);
        member.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * columns), [&](int item) {
          const int of_row = item / columns;
          const int column = from + item - of_row * columns;
          const Product* const of_ends = products + of_row * part.ends;
          const std::uint32_t end = of.second[column + 1].first_end - part.first_end;
          Product sum{0, 0};
          for (std::uint32_t at = of.second[column].first_end - part.first_end; at < end; ++at) {
            sum.x += of_ends[at].x;
            sum.y += of_ends[at].y;
          }
          pairs.add(own, of, row + of_row, column, sum.x, sum.y, 0, 0);
        });
        member.team_barrier();
        additions += count * columns / threads + 1;
      }
      from = part.to;
    }
    const DeviceSums sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] { pairs.finish(number, of, sums, additions); });
  }

  /// Doubles of scratch that a team takes.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int room, int threads) {
    return Kokkos::max(2 * static_cast<std::size_t>(room), room_of_sum(threads));
  }

 private:
  struct Product {
    double x;
    double y;
  };
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
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * part.edges), [&](int item) {
      const int of_row = item / part.edges;
      const ExactEdge edge = pairs.edges(part.first_edge + static_cast<std::uint32_t>(item - of_row * part.edges));
      Product* const of_ends = products + of_row * part.ends;
      const auto later = static_cast<int>(pairs.ends(edge.from).column);
      const Both both = products_of(of, row + of_row, edge);
      of_ends[edge.from - part.first_end] = both.from;
      if (later < part.to) of_ends[edge.to - part.first_end] = both.to;
    });
    if (part.from == 0) return;
    // Edges from columns of an earlier part.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * part.ends), [&](int item) {
      const int of_row = item / part.ends;
      const std::uint32_t end = part.first_end + static_cast<std::uint32_t>(item - of_row * part.ends);
      if (static_cast<int>(pairs.ends(end).column) >= part.from) return;
      products[item] = products_of(of, row + of_row, {end, end}).from;
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
    const bool two = pairs.both();
    const std::size_t at_from = of.begin + of_second.column;
    const std::size_t at_to = of.begin + ends[second.to].column;
    Both sum{{0, 0}, {0, 0}};
    for (std::uint32_t at = of.first[i].first_end; at < of.first[i + 1].first_end; ++at) {
      const ExactEnd edge = ends[at];
      const double c = edge.weight * kappa(edge, at);
      const std::size_t row = edge.column * static_cast<std::size_t>(of.m);
      sum.from.x += c * at_least_0(pairs.trials.x[at_from + row]);
      sum.to.x += c * at_least_0(pairs.trials.x[at_to + row]);
      if (two) {
        sum.from.y += c * at_least_0(pairs.trials.y[at_from + row]);
        sum.to.y += c * at_least_0(pairs.trials.y[at_to + row]);
      }
    }
    const double weight = of_second.weight;
    return {{weight * sum.from.x, weight * sum.from.y}, {weight * sum.to.x, weight * sum.to.y}};
  }
};

/// The weights of ends times the factors of κe = Σ_k φ_k φ_k', up to `error`: values[k · ends + e] = w φ_k. Unless κe is
/// constant there is one term more, the weight alone, with which errors that are not relative to κe are bounded.
template <class MemorySpace>
struct FactoredEnds {
  Array<double, MemorySpace> values;
  std::size_t count = 0;  ///< ends of all graphs
  int rank = 0;           ///< 0: there are no factors
  int terms = 0;          ///< rank, or rank + 1
  double error = 0;
};

/// Threads of a team that certifies by factors, and the columns of a strip of the second graph at most.
inline constexpr int factored_team = 256;
inline constexpr int most_strip = 16;
/// Doubles of scratch for each row and column of a strip: a product with the second graph of x and of y, and the products with
/// both of x and y, with κe and without.
inline constexpr std::size_t strip_doubles = 6;

/// Certifies pairs, a team each, with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, strip by strip of the columns of G'.
template <class MemorySpace>
struct CertifyByFactors {
  CertifiedPairs<MemorySpace, InverseTable> pairs;
  FactoredEnds<MemorySpace> factors;
  int strip;  ///< columns at a time

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int size = of.n * strip;
    const Strip at{scratch_of(member, Kokkos::max(strip_doubles * static_cast<std::size_t>(size),
                                                  room_of_sum(member.team_size()))),
                   size};
    DeviceSums own;
    for (int first = 0; first < of.m; first += strip) {
      const int columns = Kokkos::min(strip, of.m - first);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
        for (int part = 2; part < static_cast<int>(strip_doubles); ++part) at.part(part)[e] = 0;
      });
      for (int t = 0; t < factors.terms; ++t) {
        const double* const weights = factors.values.data() + static_cast<std::size_t>(t) * factors.count;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_second(of, at, weights, e, first);
        });
        member.team_barrier();
        const int to = t == factors.rank ? 4 : 2;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
          if (e % strip < columns) multiply_first(of, at, weights, e, to);
        });
        member.team_barrier();
      }
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int e) {
        if (e % strip < columns) close(own, of, at, e, first);
      });
      member.team_barrier();
    }
    const DeviceSums sums = sum_of_team(member, own, at.values);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      const int of_thread = of.n * of.m / member.team_size();
      const int strips = (of.m + strip - 1) / strip;
      const int additions = of_thread + 2 * strips + levels_of_sum(member.team_size());
      pairs.finish(k, of, sums, additions);
    });
  }

 private:
  struct Strip {
    double* values;
    int size;
    KOKKOS_INLINE_FUNCTION double* part(int number) const {
      return values + static_cast<std::size_t>(number) * static_cast<std::size_t>(size);
    }
  };

  /// X (A' ∘ φ)ᵀ in row and column e of the strip.
  KOKKOS_INLINE_FUNCTION void multiply_second(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                              int first) const {
    const ExactVertex* const column = of.second + first + e % strip;
    const std::size_t row = of.begin + static_cast<std::size_t>(e / strip) * static_cast<std::size_t>(of.m);
    double x = 0;
    double y = 0;
    for (std::uint32_t end = column->first_end; end < column[1].first_end; ++end) {
      const std::size_t from = row + pairs.ends(end).column;
      x += weights[end] * at_least_0(pairs.trials.x[from]);
      if (pairs.both()) y += weights[end] * at_least_0(pairs.trials.y[from]);
    }
    at.part(0)[e] = x;
    at.part(1)[e] = y;
  }

  /// Adds (A ∘ φ) times that to parts `to` and `to` + 1.
  KOKKOS_INLINE_FUNCTION void multiply_first(const CertifiedPair& of, const Strip& at, const double* weights, int e,
                                             int to) const {
    const ExactVertex* const row = of.first + e / strip;
    double x = 0;
    double y = 0;
    for (std::uint32_t end = row->first_end; end < row[1].first_end; ++end) {
      const std::size_t from = static_cast<std::size_t>(pairs.ends(end).column) * static_cast<std::size_t>(strip) +
                               static_cast<std::size_t>(e % strip);
      x += weights[end] * at.part(0)[from];
      y += weights[end] * at.part(1)[from];
    }
    at.part(to)[e] += x;
    at.part(to + 1)[e] += y;
  }

  KOKKOS_INLINE_FUNCTION void close(DeviceSums& sums, const CertifiedPair& of, const Strip& at, int e,
                                    int first) const {
    const int i = e / strip;
    const int k = first + e % strip;
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const auto neighbours = [](const ExactVertex* vertex) { return vertex[1].first_end - vertex[0].first_end; };
    const double roundings = 4.0 * (neighbours(of.first + i) + neighbours(of.second + k) + 2.0 * factors.rank + 32);
    const double off = factors.terms > factors.rank ? 1.0001 * (factors.error + roundings * unit_roundoff) : 0;
    pairs.add(sums, of, i, k, at.part(2)[e], at.part(3)[e], off * at.part(4)[e], off * at.part(5)[e]);
  }
};

/// Adds corrections to trial solutions, a team a pair.
template <class MemorySpace>
struct Correct {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  const Pair* pairs;
  const std::size_t* begin;
  double* trial;
  const double* corrections;
  const PairResult* solved;
  PairResult* results;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    Kokkos::single(Kokkos::PerTeam(member), [&] { results[k].iterations += solved[k].iterations; });
    const auto size = [&](std::int32_t graph) {
      return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size(pairs[k].first) * size(pairs[k].second)), [&](int e) {
      const std::size_t at = begin[k] + static_cast<std::size_t>(e);
      trial[at] += corrections[at];
    });
  }
};

}  // namespace octile::detail
