// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/fixed_pointer.hpp>
#include <octile/base/upper_half.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/factor_walk.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/on_device/walks.hpp>

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
/// On a GPU a team has a thread for each column, on a host one thread has all.
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
    auto* const first_products = reinterpret_cast<Products*>(rows + of.n + 1);
    // What is read of a column stands in scratch: from the memory that trials are in it would come behind those that were read ahead.
    auto* const ends_of_columns = reinterpret_cast<FactoredEnd*>(first_products + 2 * most_columns_by_rows);
    const std::uint32_t first_end = of.second[0].first_end;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, static_cast<int>(of.second[of.m].first_end - first_end)),
        [&](int k) { ends_of_columns[k] = factors.values(first_end + static_cast<std::uint32_t>(k)); });
    const TrialValues<float>* const trials = pairs.trials.values + of.begin;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n), [&](int i) { rows[i] = row_of(of, i); });
    // Something is read ahead of the row behind the last, too.
    Kokkos::single(Kokkos::PerTeam(member), [&] { rows[of.n] = row_of(of, of.n - 1); });
    constexpr int a_line = 128 / sizeof(TrialValues<float>);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n * of.m / a_line),
                         [&](int k) { fetch_to_l2(trials + k * a_line); });
    // Threads behind the last column do what that of the last one does, and their sums are forgotten: to leave them out would take a branch for
    // each thing that is done.
    const int count = columns == 1 ? 1 : Kokkos::min(of.m, +columns);
    Column column[columns];
    for (int c = 0; c < columns; ++c) {
      if (c < count) column[c] = column_of(of, Kokkos::min(member.team_rank() + c, of.m - 1), trials);
    }
    member.team_barrier();
    const std::uint32_t nothing = in_register(static_cast<std::uint32_t>(of.n) >> 24U);  // for `read_ahead`
    const std::uint32_t slot = in_register(static_cast<std::uint32_t>(member.team_rank()));
    Sums own;
    const bool two = pairs.both();
    // Two rows take turns, in what is read of them and in their products: where those of one are read, those of the next are not written.
    Ahead now[columns];
    Ahead next[columns] = {};
    read_ahead(begin_of(rows[0]), column, count, next, nothing, now);
    Products* const even = first_products;
    Products* const odd = first_products + most_columns_by_rows;
    const auto certify = [&](int i, Products* products, Ahead(&of_row)[columns], Ahead(&of_next)[columns]) {
      const Row& row = rows[i];
      const ExactVertex vertex = row.vertex;
      const RowBegin after = begin_of(rows[i + 1]);
      Products trial[columns];
      for (int c = 0; c < columns; ++c) {
        if (c >= count) break;
        const TrialValues<float> values = of_row[c].values();
        trial[c] = {values.x, two ? values.y : values.x};
        products[slot + static_cast<std::uint32_t>(c)] = multiply_row(row, column[c], of.m, of_row[c]);
      }
      read_ahead(after, column, count, of_row, nothing, of_next);
      member.team_barrier();
      for (int c = 0; c < columns; ++c) {
        if (c < count) add(own, of, vertex, column[c], of_row[c].kappa, trial[c], products, ends_of_columns);
      }
    };
    for (int i = 0; i < of.n; i += 2) {
      certify(i, even, now, next);
      if (i + 1 < of.n) certify(i + 1, odd, next, now);
    }
    if (member.team_rank() >= of.m) own = {};
    if (pairs.shortest_walk == 1) pairs.add_no_steps(member, own, of);
    member.team_barrier();
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { pairs.finish(number, of, sums, of.n * columns + levels_of_sum(member.team_size())); });
  }

  /// Doubles of scratch that a team takes for pairs whose first graph has n vertices, and the second so many ends of edges.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int n, int ends) {
    return Kokkos::max(static_cast<std::size_t>(n + 1) * (sizeof(Row) / sizeof(double)) +
                           std::size_t{4 * most_columns_by_rows} +
                           static_cast<std::size_t>(ends) * (sizeof(FactoredEnd) / sizeof(double)),
                       room_of_sum(most_columns_by_rows));
  }

 private:
  using Products = TrialValues<double>;
  using Sums = typename CertifiedPairs<MemorySpace, float>::Sums;
  static constexpr int kept = edges_by_rows;
  static constexpr int few = kept / 2;  ///< edges of a row that are read without asking whether there are so many

  /// A row's vertex, where it begins among the trials and the values of 1/κv, and its first edges. Edges that it has not are of weight 0, and lead
  /// to itself.
  struct Row {
    ExactVertex vertex;
    double weights[kept];
    std::uint32_t rows[kept];  ///< where those begin among the trials to which they lead
    std::uint32_t begin;
    std::uint32_t kappa;
  };
  /// The part of a `Row` that is needed to read ahead.
  struct RowBegin {
    std::uint32_t rows[kept];
    std::uint32_t begin;
    std::uint32_t kappa;
    bool more;  ///< whether it has more than `few` edges
  };
  /// A column's edges, and the data that certify its rows.
  struct Column {
    const TrialValues<float>* trials;
    const double* inverse_kappa;
    std::uint32_t neighbours;
    std::uint32_t first_end;  ///< in scratch
    CertifiedColumn certified;
    double weights[kept];
    std::uint32_t places[kept];
  };
  /// What is read ahead of a row in a column. 1/κv is among it since reads come back one after the other.
  struct Ahead {
    double kappa;
    std::uint64_t trial;  ///< x and y as one number, which a compiler does not take apart from row to row
    TrialValues<float> neighbours[kept];

    KOKKOS_INLINE_FUNCTION void keep(float x, float y) {
      trial = Kokkos::bit_cast<std::uint32_t>(x) | std::uint64_t(Kokkos::bit_cast<std::uint32_t>(y)) << 32U;
    }
    KOKKOS_INLINE_FUNCTION TrialValues<float> values() const {
      return {Kokkos::bit_cast<float>(static_cast<std::uint32_t>(trial)),
              Kokkos::bit_cast<float>(static_cast<std::uint32_t>(trial >> 32U))};
    }
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
  KOKKOS_INLINE_FUNCTION Column column_of(const CertifiedPair& of, int place, const TrialValues<float>* trials) const {
    const ExactVertex vertex = of.second[place];
    const bool by_record = pairs.inverse_kappa.count > 0;
    Column column{fixed_pointer(trials + place),
                  fixed_pointer(pairs.inverse_kappa.values +
                                (by_record ? vertex.record : of.begin + static_cast<std::size_t>(place))),
                  vertex.neighbours,
                  vertex.first_end - of.second[0].first_end,
                  pairs.column_of(of, vertex),
                  {},
                  {}};
    for (int k = 0; k < kept; ++k) {
      const FactoredEnd edge = edge_of(vertex, k, place);
      column.weights[k] = edge.value;
      column.places[k] = edge.column();
    }
    return column;
  }

  KOKKOS_INLINE_FUNCTION static RowBegin begin_of(const Row& row) {
    RowBegin begin{{}, row.begin, row.kappa, row.vertex.neighbours > few};
    for (int k = 0; k < kept; ++k) begin.rows[k] = row.rows[k];
    return begin;
  }
  /// Reads of a row in all columns. What was read of the row before is waited for here: reads come back one after the other, so that later on a wait
  /// for it would be one for these, too. `nothing` is a 0 that a compiler does not know, by which it seems that an address depends on it.
  KOKKOS_INLINE_FUNCTION static void read_ahead(const RowBegin& row, const Column (&column)[columns], int count,
                                                const Ahead (&before)[columns], std::uint32_t nothing,
                                                Ahead (&ahead)[columns]) {
    for (int c = 0; c < columns; ++c) {
      if (c >= count) break;
      ahead[c].kappa = column[c].inverse_kappa[row.kappa];
      const auto bits = static_cast<std::uint32_t>(before[c].trial) | upper_half(before[c].kappa);
      const TrialValues<float> trial = column[c].trials[row.begin | (bits & nothing)];
      ahead[c].keep(trial.x, trial.y);
      for (int k = 0; k < few; ++k) ahead[c].neighbours[k] = column[c].trials[row.rows[k]];
      if (row.more) {
        for (int k = few; k < kept; ++k) ahead[c].neighbours[k] = column[c].trials[row.rows[k]];
      }
    }
  }

  /// A X in a row and column.
  KOKKOS_INLINE_FUNCTION Products multiply_row(const Row& row, const Column& column, int m, const Ahead& ahead) const {
    Products sum{0, 0};
    for (int k = 0; k < few; ++k) add_product(sum, row.weights[k], ahead.neighbours[k]);
    if (row.vertex.neighbours > few) {
      for (int k = few; k < kept; ++k) add_product(sum, row.weights[k], ahead.neighbours[k]);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
      for (std::uint32_t end = row.vertex.first_end + kept; end < row.vertex.last_end(); ++end) {
        const FactoredEnd edge = factors.values(end);
        add_product(sum, edge.value, column.trials[edge.column() * static_cast<std::uint32_t>(m)]);
      }
    }
    return sum;
  }

  /// Certifies a row in a column.
  KOKKOS_INLINE_FUNCTION void add(Sums& sums, const CertifiedPair& of, const ExactVertex& row, const Column& column,
                                  double kappa, const Products& trial, const Products* products,
                                  const FactoredEnd* ends) const {
    Products product{0, 0};
    for (int k = 0; k < kept; ++k) add_product(product, column.weights[k], products[column.places[k]]);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (std::uint32_t k = kept; k < column.neighbours; ++k) {
      const FactoredEnd& edge = ends[column.first_end + k];
      add_product(product, edge.value, products[edge.column()]);
    }
    const bool two = pairs.both();
    pairs.template add_trial<false>(sums, of, row, column.certified, kappa, trial,
                                    {product.x, two ? product.y : product.x}, {0, 0});
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
