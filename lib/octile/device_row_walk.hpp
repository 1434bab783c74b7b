// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/device_factor_walk.hpp>
#include <octile/device_pairs.hpp>
#include <octile/device_trials.hpp>
#include <octile/device_walks.hpp>
#include <octile/exact_lists.hpp>
#include <octile/fixed_pointer.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Columns of a pair that a team has at most when it certifies row by row, and ends of edges of a graph for which it has scratch.
inline constexpr int most_columns_by_rows = 128;
inline constexpr int most_ends_by_rows = 1024;
/// Edges of a vertex that are kept, of a row and of a column; others are read where they stand.
inline constexpr int edges_by_rows = 4;

/// Certifies pairs, a team each, row by row with N x = A X A'ᵀ, where κe is constant and graphs have few vertices:
///
///     u = A X in a row                 each thread has a column of X, of which the rows that the row's edges lead to were read
///                                      while the row before was certified
///     u A'ᵀ, and the row is certified  a thread reads u where the edges of its column lead to, in scratch
///
/// A thread keeps what it knows of its column, with its first edges, while it walks down the rows. What is known of a row all threads read from scratch.
/// A team has at least a thread for each `columns` columns.
template <class MemorySpace, int columns>
struct CertifyByRows {
  CertifiedPairs<MemorySpace, float> pairs;
  FactoredEnds<MemorySpace> factors;
  int most_ends;  ///< of a graph

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int number = member.league_rank();
    const CertifiedPair of = pairs.pair(number);
    double* const scratch = scratch_of(member, doubles(of.n, most_ends));
    auto* const rows = reinterpret_cast<Row*>(scratch);
    auto* const first_products = reinterpret_cast<Products*>(rows + of.n);
    // What is read of a column stands in scratch: from the memory that trials are in it would come behind those that were read ahead.
    auto* const ends_of_columns = reinterpret_cast<FactoredEnd*>(first_products + 2 * most_columns_by_rows);
    const std::uint32_t first_end = of.second[0].first_end;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, static_cast<int>(of.second[of.m].first_end - first_end)),
        [&](int k) { ends_of_columns[k] = factors.values(first_end + static_cast<std::uint32_t>(k)); });
    const bool by_place = pairs.inverse_kappa.count == 0;
    const double* const inverse_kappa = fixed_pointer(pairs.inverse_kappa.values + (by_place ? of.begin : 0));
    const TrialValues<float>* const trials = fixed_pointer(pairs.trials.values + of.begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n), [&](int i) { rows[i] = row_of(of, i); });
    // Of a thread's columns, which may be none.
    const int count = Kokkos::min((of.m - member.team_rank() + member.team_size() - 1) / member.team_size(), +columns);
    Column column[columns];
    for (int c = 0; c < columns; ++c) {
      if (c < count) column[c] = column_of(of, member.team_rank() + c * member.team_size());
    }
    member.team_barrier();
    Ahead ahead[columns];
    read_ahead(trials, inverse_kappa, rows[0], column, count, ahead);
    typename decltype(pairs)::Sums own;
    for (int i = 0; i < of.n; ++i) {
      // Two rows of products take turns: where one is read, the next one is not written.
      Products* const products = first_products + i % 2 * most_columns_by_rows;
      // Read before what is read ahead, for which it would wait.
      const PlacedVertex row{i, rows[i].vertex};
      TrialValues<float> trial[columns];
      double kappa[columns];
      for (int c = 0; c < columns; ++c) {
        if (c >= count) break;
        products[column[c].place] = multiply_row(trials, of.m, rows[i], column[c].place, ahead[c]);
        trial[c] = ahead[c].trial;
        kappa[c] = ahead[c].kappa;
      }
      if (i + 1 < of.n) read_ahead(trials, inverse_kappa, rows[i + 1], column, count, ahead);
      member.team_barrier();
      for (int c = 0; c < columns; ++c) {
        if (c >= count) break;
        add(own, of, row, column[c], kappa[c], trial[c], products, ends_of_columns);
      }
    }
    member.team_barrier();
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { pairs.finish(number, of, sums, of.n * columns + levels_of_sum(member.team_size())); });
  }

  /// Doubles of scratch that a team takes for pairs whose first graph has n vertices, and the second so many ends of edges.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int n, int ends) {
    return Kokkos::max(static_cast<std::size_t>(n) * (sizeof(Row) / sizeof(double)) +
                           std::size_t{4 * most_columns_by_rows} +
                           static_cast<std::size_t>(ends) * (sizeof(FactoredEnd) / sizeof(double)),
                       room_of_sum(most_columns_by_rows));
  }

 private:
  using Products = TrialValues<double>;
  static constexpr int kept = edges_by_rows;

  /// A row's vertex, where it begins among the trials and the values of 1/κv, and its first edges.
  struct Row {
    ExactVertex vertex;
    double weights[kept];
    std::uint32_t rows[kept];  ///< where those begin among the trials to which they lead
    std::uint32_t begin;
    std::uint32_t kappa;
  };
  /// The same of a column. Edges that it has not are of weight 0, and lead to itself.
  struct Column {
    int place;
    std::uint32_t kappa;
    std::uint32_t first_end;  ///< in scratch
    ExactVertex vertex;
    double weights[kept];
    std::uint32_t places[kept];
  };
  /// What is read ahead of a row in a column. 1/κv is among it since reads come back one after the other.
  struct Ahead {
    double kappa;
    TrialValues<float> trial;
    TrialValues<float> neighbours[kept];
  };

  KOKKOS_INLINE_FUNCTION FactoredEnd edge_of(const ExactVertex& vertex, int k, int itself) const {
    if (static_cast<std::uint32_t>(k) >= vertex.neighbours) return {0, static_cast<std::uint64_t>(itself)};
    return factors.values(vertex.first_end + static_cast<std::uint32_t>(k));
  }
  KOKKOS_INLINE_FUNCTION Row row_of(const CertifiedPair& of, int i) const {
    Row row{of.first[i], {}, {}, of.at(i, 0), 0};
    row.kappa = pairs.inverse_kappa.count > 0 ? row.vertex.record * pairs.inverse_kappa.count : row.begin;
    for (int k = 0; k < kept; ++k) {
      const FactoredEnd edge = edge_of(row.vertex, k, i);
      row.weights[k] = edge.value;
      row.rows[k] = of.at(static_cast<int>(edge.column()), 0);
    }
    return row;
  }
  KOKKOS_INLINE_FUNCTION Column column_of(const CertifiedPair& of, int place) const {
    Column column{place, static_cast<std::uint32_t>(place), 0, of.second[place], {}, {}};
    column.first_end = column.vertex.first_end - of.second[0].first_end;
    if (pairs.inverse_kappa.count > 0) column.kappa = column.vertex.record;
    for (int k = 0; k < kept; ++k) {
      const FactoredEnd edge = edge_of(column.vertex, k, place);
      column.weights[k] = edge.value;
      column.places[k] = edge.column();
    }
    return column;
  }

  KOKKOS_INLINE_FUNCTION static void read_ahead(const TrialValues<float>* trials, const double* inverse_kappa,
                                                const Row& row, const Column (&column)[columns], int count,
                                                Ahead (&ahead)[columns]) {
    for (int c = 0; c < columns; ++c) {
      if (c >= count) break;
      const TrialValues<float>* const of_column = trials + column[c].place;
      ahead[c].kappa = inverse_kappa[row.kappa + column[c].kappa];
      ahead[c].trial = of_column[row.begin];
      for (int k = 0; k < kept; ++k) {
        if (static_cast<std::uint32_t>(k) < row.vertex.neighbours) ahead[c].neighbours[k] = of_column[row.rows[k]];
      }
    }
  }

  /// A X in a row and column.
  KOKKOS_INLINE_FUNCTION Products multiply_row(const TrialValues<float>* trials, int m, const Row& row, int column,
                                               const Ahead& ahead) const {
    Products sum{0, 0};
    for (int k = 0; k < kept; ++k) {
      if (static_cast<std::uint32_t>(k) < row.vertex.neighbours) add_product(sum, row.weights[k], ahead.neighbours[k]);
    }
    for (std::uint32_t end = row.vertex.first_end + kept; end < row.vertex.last_end(); ++end) {
      const FactoredEnd edge = factors.values(end);
      add_product(sum, edge.value,
                  trials[edge.column() * static_cast<std::uint32_t>(m) + static_cast<std::uint32_t>(column)]);
    }
    return sum;
  }

  /// Certifies a row in a column.
  template <class Sums>
  KOKKOS_INLINE_FUNCTION void add(Sums& sums, const CertifiedPair& of, const PlacedVertex& row, const Column& column,
                                  double kappa, const TrialValues<float>& trial, const Products* products,
                                  const FactoredEnd* ends) const {
    Products product{0, 0};
    for (int k = 0; k < kept; ++k) add_product(product, column.weights[k], products[column.places[k]]);
    for (std::uint32_t k = kept; k < column.vertex.neighbours; ++k) {
      const FactoredEnd& edge = ends[column.first_end + k];
      add_product(product, edge.value, products[edge.column()]);
    }
    const bool two = pairs.both();
    pairs.template add_trial<false>(sums, of, row, {column.place, column.vertex}, kappa,
                                    {trial.x, two ? trial.y : trial.x}, {product.x, two ? product.y : product.x},
                                    {0, 0});
  }
};

/// The most ends of edges of a graph, if a set's graphs have so few vertices and edges that pairs are certified row by row; or else 0.
inline int ends_by_rows(const ExactLists& lists) {
  const std::size_t most_ends = lists.most_ends();
  const bool few = lists.most_vertices() <= std::size_t{most_columns_by_rows} &&
                   most_ends <= std::size_t{most_ends_by_rows} && lists.ends_a_vertex() <= edges_by_rows;
  return few ? static_cast<int>(most_ends) : 0;
}

/// Queues it for `count` pairs of graphs of so many vertices and ends of edges at most.
template <class MemorySpace, class ExecutionSpace>
void certify_by_rows(const ExecutionSpace& space, std::size_t count, const CertifiedPairs<MemorySpace, float>& pairs,
                     const FactoredEnds<MemorySpace>& factors, std::size_t most_vertices, int most_ends) {
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  constexpr int most = on_host ? 1 : most_columns_by_rows;
  using Walk = CertifyByRows<MemorySpace, most_columns_by_rows / most>;
  const auto vertices = static_cast<int>(most_vertices);
  launch_teams<most, 4>(space, "octile::certify_by_rows", count, Walk::doubles(vertices, most_ends),
                        Walk{pairs, factors, most_ends}, on_host ? 1 : (vertices + 31) / 32 * 32);
}

}  // namespace octile::detail
