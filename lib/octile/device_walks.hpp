// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_pairs.hpp>
#include <octile/device_trials.hpp>
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

/// sum ← sum + factor · values, in double.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void add_product(TrialValues<double>& sum, double factor, const TrialValues<Scalar>& values) {
  sum.x += factor * static_cast<double>(values.x);
  sum.y += factor * static_cast<double>(values.y);
}

/// Certifies pairs, a team each and a thread an element, with κe evaluated at every pair of ends: where κe is cheap and
/// vertices have few edges. Threads beside each other take vertices with about as many edges, so that they walk as long.
template <class MemorySpace, class Edges, class Scalar>
struct CertifyByElement {
  CertifiedPairs<MemorySpace, Scalar> pairs;
  Edges edges;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    const CertifiedPair of = pairs.pair(k);
    const int threads = member.team_size();
    DeviceSums own;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n * of.m), [&](int e) {
      const int row = e / of.m;
      add(own, of, static_cast<int>(of.first_by_degree[row]), static_cast<int>(of.second_by_degree[e - row * of.m]));
    });
    const DeviceSums sums = sum_of_team(member, own, scratch_of(member, room_of_sum(threads)));
    const int additions = of.n * of.m / threads + 1 + levels_of_sum(threads);
    Kokkos::single(Kokkos::PerTeam(member), [&] { pairs.finish(k, of, sums, additions); });
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k) const {
    const ExactEnd* const ends = pairs.ends.data();
    const ExactVertex column = of.second[k];
    const std::uint32_t end = column.last_end();
    const std::uint32_t end_of_row = of.first[i].last_end();
    TrialValues<double> product{0, 0};
    for (std::uint32_t one = of.first[i].first_end; one != end_of_row; ++one) {
      const ExactEnd edge = ends[one];
      const auto kappa = edges.row(edge, one);
      const TrialValues<Scalar>* const row =
          pairs.trials.values + of.begin + edge.column * static_cast<std::size_t>(of.m);
      TrialValues<double> of_row{0, 0};
      for (std::uint32_t other = column.first_end; other != end; ++other) {
        const ExactEnd edge_second = ends[other];
        add_product(of_row, edge_second.weight * kappa(edge_second, other), row[edge_second.column]);
      }
      add_product(product, edge.weight, of_row);
    }
    pairs.add(sums, of, i, k, product, {0, 0});
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
template <class MemorySpace, class Edges, class Scalar>
struct CertifyByEnds {
  CertifiedPairs<MemorySpace, Scalar> pairs;
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
          const std::uint32_t end = of.second[column].last_end() - part.first_end;
          Product sum{0, 0};
          for (std::uint32_t at = of.second[column].first_end - part.first_end; at < end; ++at) {
            sum.x += of_ends[at].x;
            sum.y += of_ends[at].y;
          }
          pairs.add(own, of, row + of_row, column, sum, {0, 0});
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
    const TrialValues<Scalar>* const at_from = pairs.trials.values + of.begin + of_second.column;
    const TrialValues<Scalar>* const at_to = pairs.trials.values + of.begin + ends[second.to].column;
    Both sum{{0, 0}, {0, 0}};
    const std::uint32_t end_of_row = of.first[i].last_end();
    for (std::uint32_t at = of.first[i].first_end; at < end_of_row; ++at) {
      const ExactEnd edge = ends[at];
      const std::size_t row = edge.column * static_cast<std::size_t>(of.m);
      const TrialValues<Scalar> from = at_from[row];
      const TrialValues<Scalar> to = at_to[row];
      const double c = edge.weight * kappa(edge, at);
      add_product(sum.from, c, from);
      add_product(sum.to, c, to);
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

  KOKKOS_INLINE_FUNCTION bool has_error() const { return terms > rank; }
  /// How many products of x and of y a team has in scratch: those with one graph, with both, and what these may be off.
  KOKKOS_INLINE_FUNCTION int parts() const { return has_error() ? 3 : 2; }
};

/// Threads of a team that certifies by factors, and the rows that it takes at a time at most.
inline constexpr int factored_team = 256;
inline constexpr int most_rows_at_once = 8;

/// Certifies pairs, a team each, with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, some rows at a time. For each term a team forms in scratch
///
///     U = (A ∘ φ_k) X             threads beside each other walk along the edges of the same row, and read columns beside each other
///     N x += U (A' ∘ φ_k)ᵀ        they walk along the edges of the same column, and take rows beside each other
///
/// so that they walk as long, whatever numbers of edges vertices have.
template <class MemorySpace, class Scalar>
struct CertifyByFactors {
  CertifiedPairs<MemorySpace, Scalar> pairs;
  FactoredEnds<MemorySpace> factors;
  int rows;  ///< at a time

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    const int pitch = pitch_of(of.m);
    double* const scratch =
        scratch_of(member, Kokkos::max(doubles(rows, of.m, factors.parts()), room_of_sum(member.team_size())));
    auto* const first_products = reinterpret_cast<Products*>(scratch);
    Products* const products = first_products + rows * pitch;
    Products* const errors = products + rows * pitch;  // if there are any
    DeviceSums own;
    for (int row = 0; row < of.n; row += rows) {
      const int count = Kokkos::min(rows, of.n - row);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (factors.parts() - 1) * rows * pitch), [&](int item) {
        products[item] = {0, 0};
      });
      for (int t = 0; t < factors.terms; ++t) {
        const double* const weights = factors.values.data() + static_cast<std::size_t>(t) * factors.count;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * of.m), [&](int item) {
          const int of_row = item / of.m;
          const int column = item - of_row * of.m;
          first_products[of_row * pitch + column] = of_first(of, weights, row + of_row, column);
        });
        member.team_barrier();
        Products* const to = t == factors.rank ? errors : products;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * of.m), [&](int item) {
          const int place = item / count;
          const int at_row = (item - place * count) * pitch;
          const auto column = static_cast<int>(of.second_by_degree[place]);
          add_of_second(of, weights, column, first_products + at_row, to[at_row + column]);
        });
        member.team_barrier();
      }
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * of.m), [&](int item) {
        const int of_row = item / of.m;
        const int column = item - of_row * of.m;
        const int at = of_row * pitch + column;
        const Products unknown = factors.has_error() ? errors[at] : Products{0, 0};
        close(own, of, row + of_row, column, products[at], unknown);
      });
      member.team_barrier();
    }
    const DeviceSums sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      const int of_thread = of.n * of.m / member.team_size();
      const int strips = (of.n + rows - 1) / rows;
      const int additions = of_thread + strips + levels_of_sum(member.team_size());
      pairs.finish(number, of, sums, additions);
    });
  }

  /// Doubles of scratch that so many rows take of a pair whose second graph has m vertices.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int rows, int m, int parts) {
    return 2 * static_cast<std::size_t>(parts) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(pitch_of(m));
  }

 private:
  using Products = TrialValues<double>;

  /// From row to row: odd, so that threads with rows beside each other do not meet in a bank.
  KOKKOS_INLINE_FUNCTION static constexpr int pitch_of(int m) { return m % 2 == 0 ? m + 1 : m; }

  /// (A ∘ φ) X in a row and column.
  KOKKOS_INLINE_FUNCTION Products of_first(const CertifiedPair& of, const double* weights, int row, int column) const {
    const TrialValues<Scalar>* const at_column = pairs.trials.values + of.begin + column;
    Products sum{0, 0};
    const std::uint32_t end_of_row = of.first[row].last_end();
    for (std::uint32_t end = of.first[row].first_end; end < end_of_row; ++end) {
      add_product(sum, weights[end], at_column[pairs.ends(end).column * static_cast<std::size_t>(of.m)]);
    }
    return sum;
  }

  /// Adds a row of that times (A' ∘ φ)ᵀ in a column.
  KOKKOS_INLINE_FUNCTION void add_of_second(const CertifiedPair& of, const double* weights, int column,
                                            const Products* row, Products& to) const {
    Products sum{0, 0};
    const std::uint32_t end_of_column = of.second[column].last_end();
    for (std::uint32_t end = of.second[column].first_end; end < end_of_column; ++end) {
      add_product(sum, weights[end], row[pairs.ends(end).column]);
    }
    to = {to.x + sum.x, to.y + sum.y};
  }

  KOKKOS_INLINE_FUNCTION void close(DeviceSums& sums, const CertifiedPair& of, int i, int k, const Products& product,
                                    const Products& unknown) const {
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const double neighbours = of.first[i].neighbours + of.second[k].neighbours;
    const double roundings = 4.0 * (neighbours + 2.0 * factors.rank + 32);
    const double off = factors.has_error() ? 1.0001 * (factors.error + roundings * unit_roundoff) : 0;
    pairs.add(sums, of, i, k, product, {off * unknown.x, off * unknown.y});
  }
};

/// Adds corrections to trial solutions of one of the two systems, a team a pair. What comes out below 0 becomes 0.
template <class MemorySpace>
struct Correct {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  const Pair* pairs;
  const std::size_t* begin;
  double* trial;  ///< the first, with those of the other system between them
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
      const double corrected = trial[2 * at] + corrections[at];
      trial[2 * at] = corrected > 0 ? corrected : 0.0;
    });
  }
};

}  // namespace octile::detail
