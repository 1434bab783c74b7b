// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/fixed_pointer.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/on_device/walks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile::detail {

/// An edge from one of its vertices, with its weight times a factor of κe: twice 8 bytes, which are read at once.
struct alignas(16) FactoredEnd {
  double value;
  std::uint64_t place;

  /// The other vertex, in its graph.
  KOKKOS_INLINE_FUNCTION std::uint32_t column() const { return static_cast<std::uint32_t>(place); }
};

/// The ends of all graphs for each of the factors of κe = Σ_k φ_k φ_k', up to `error`: values[k · count + e] has w φ_k. Unless κe is
/// constant there is one term more, the weight alone, with which errors that are not relative to κe are bounded.
template <class MemorySpace>
struct FactoredEnds {
  Array<FactoredEnd, MemorySpace> values;
  std::size_t count = 0;  ///< ends of all graphs
  int rank = 0;           ///< 0: there are no factors
  int terms = 0;          ///< rank, or rank + 1
  double error = 0;

  FactoredEnds() = default;
  /// Dense factors, as the first of so many terms. Waits for the copy.
  template <class ExecutionSpace>
  FactoredEnds(const ExecutionSpace& space, const ExactLists& lists, const Factors& factors, std::size_t all)
      : count(lists.ends.size()),
        rank(static_cast<int>(factors.rank)),
        terms(static_cast<int>(all)),
        error(factors.error) {
    std::vector<FactoredEnd> weighted(all * count);
    for (std::size_t e = 0; e < count; ++e) {
      for (std::size_t k = 0; k < all; ++k) {
        const double factor = k < factors.rank ? factors.values[lists.ends[e].record * factors.rank + k] : 1.0;
        weighted[k * count + e] = {lists.ends[e].weight * factor, lists.ends[e].column};
      }
    }
    values = to_memory<MemorySpace>(space, "exact_factors", weighted);
    space.fence("octile::FactoredEnds");
  }

  KOKKOS_INLINE_FUNCTION bool has_error() const { return terms > rank; }
  /// How many products of x and of y a team has in scratch: those with one graph, and where there are several terms the sum of those with both.
  KOKKOS_INLINE_FUNCTION int parts() const { return terms > 1 ? 2 : 1; }
};

/// Threads of a team that certifies by factors, and the rows that it takes at a time at most.
inline constexpr int factored_team = 128;
inline constexpr int most_rows_at_once = 16;
/// Columns, and rows, that a thread takes for each edge that it reads: more reads at once, and fewer edges read, for as many registers as four
/// teams on a multiprocessor have (measured on an H200).
inline constexpr int columns_a_thread = 4;
inline constexpr int rows_a_thread = 4;

/// Certifies pairs, a team each, with N x = Σ_k (A ∘ φ_k) X (A' ∘ φ_k)ᵀ, some rows at a time. For each term a team forms in scratch
///
///     U = (A ∘ φ_k) X             threads beside each other walk along the edges of the same row, and read columns beside each other
///     N x += U (A' ∘ φ_k)ᵀ        they walk along the edges of the same column, and take rows beside each other
///
/// so that they walk as long, whatever numbers of edges vertices have. A thread takes several columns, and several rows, for each edge that it
/// reads. With the last term a row and column of N x are complete, and are certified as they are.
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
    auto* const of_first = reinterpret_cast<Products*>(scratch);
    Products* const of_both = of_first + rows * pitch;  // if there are several terms
    const int column_groups = (of.m + columns_a_thread - 1) / columns_a_thread;
    typename decltype(pairs)::Sums own;
    for (int row = 0; row < of.n; row += rows) {
      const int count = Kokkos::min(rows, of.n - row);
      const int row_groups = (count + rows_a_thread - 1) / rows_a_thread;
      for (int t = 0; t < factors.terms; ++t) {
        const FactoredEnd* const ends =
            fixed_pointer(factors.values.data() + static_cast<std::size_t>(t) * factors.count);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * column_groups), [&](int item) {
          const int at_row = item / column_groups;
          const Places<columns_a_thread> columns(item - at_row * column_groups, column_groups, of.m);
          multiply_first(of, ends, row + at_row, columns, of_first + at_row * pitch);
        });
        member.team_barrier();
        const bool last = t + 1 == factors.terms;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, row_groups * of.m), [&](int item) {
          const int place = item / row_groups;
          const Places<rows_a_thread> at_rows(item - place * row_groups, row_groups, count);
          const auto column = static_cast<int>(of.second_by_degree[place]);
          Products found[rows_a_thread];
          multiply_second(of, ends, column, of_first, pitch, at_rows, found);
          for (int r = 0; r < rows_a_thread; ++r) {
            if (at_rows.repeats(r)) continue;
            Products* const before = of_both + at_rows.at[r] * pitch + column;
            if (last) {
              finish(own, of, row + at_rows.at[r], column, found[r], before);
            } else {
              *before = t == 0 ? found[r] : Products{before->x + found[r].x, before->y + found[r].y};
            }
          }
        });
        member.team_barrier();
      }
    }
    const auto sums = sum_of_team(member, own, scratch);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      // In each strip a thread takes one item more than others at most, and the last item of a column may have fewer rows.
      const int strips = (of.n + rows - 1) / rows;
      const int of_thread =
          (of.n + (rows_a_thread - 1) * strips) * of.m / member.team_size() + (rows_a_thread + 1) * strips;
      pairs.finish(number, of, sums, of_thread + levels_of_sum(member.team_size()));
    });
  }

  /// Doubles of scratch that so many rows take of a pair whose second graph has m vertices.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t doubles(int rows, int m, int parts) {
    return 2 * static_cast<std::size_t>(parts) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(pitch_of(m));
  }

 private:
  using Products = TrialValues<double>;

  /// Several of `count` rows or columns, one of each group; in place of those that there are not the first one.
  template <int several>
  struct Places {
    int at[several];
    KOKKOS_INLINE_FUNCTION Places(int first, int groups, int count) {
      for (int s = 0; s < several; ++s) at[s] = first + s * groups < count ? first + s * groups : first;
    }
    KOKKOS_INLINE_FUNCTION bool repeats(int s) const { return s > 0 && at[s] == at[0]; }
  };

  /// From row to row: odd, so that threads with rows beside each other do not meet in a bank.
  KOKKOS_INLINE_FUNCTION static constexpr int pitch_of(int m) { return m % 2 == 0 ? m + 1 : m; }

  /// (A ∘ φ) X in a row and several columns.
  KOKKOS_INLINE_FUNCTION void multiply_first(const CertifiedPair& of, const FactoredEnd* ends, int row,
                                             const Places<columns_a_thread>& columns, Products* products) const {
    const TrialValues<Scalar>* at_column[columns_a_thread];
    Products found[columns_a_thread];
    for (int c = 0; c < columns_a_thread; ++c) {
      at_column[c] = fixed_pointer(pairs.trials.values + of.begin + columns.at[c]);
      found[c] = {0, 0};
    }
    const auto m = static_cast<std::uint32_t>(of.m);
    const std::uint32_t end_of_row = of.first[row].last_end();
    for (std::uint32_t end = of.first[row].first_end; end < end_of_row; ++end) {
      const FactoredEnd edge = ends[end];
      const std::uint32_t place = edge.column() * m;
      for (int c = 0; c < columns_a_thread; ++c) add_product(found[c], edge.value, at_column[c][place]);
    }
    for (int c = 0; c < columns_a_thread; ++c) products[columns.at[c]] = found[c];
  }

  /// Several rows of that times (A' ∘ φ)ᵀ, in a column.
  KOKKOS_INLINE_FUNCTION void multiply_second(const CertifiedPair& of, const FactoredEnd* ends, int column,
                                              const Products* products, int pitch, const Places<rows_a_thread>& at_rows,
                                              Products (&found)[rows_a_thread]) const {
    const Products* at_row[rows_a_thread];
    for (int r = 0; r < rows_a_thread; ++r) {
      at_row[r] = products + at_rows.at[r] * pitch;
      found[r] = {0, 0};
    }
    const std::uint32_t end_of_column = of.second[column].last_end();
    for (std::uint32_t end = of.second[column].first_end; end < end_of_column; ++end) {
      const FactoredEnd edge = ends[end];
      for (int r = 0; r < rows_a_thread; ++r) add_product(found[r], edge.value, at_row[r][edge.column()]);
    }
  }

  /// Certifies a row i and column k, of which the last term and the sum of those before are known. A constant κe has one term.
  template <class Sums>
  KOKKOS_INLINE_FUNCTION void finish(Sums& sums, const CertifiedPair& of, int i, int k, const Products& last,
                                     const Products* before) const {
    if (!factors.has_error()) {
      pairs.template add<false>(sums, of, of.row(i), of.column(k), last, {0, 0});
      return;
    }
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const double neighbours = of.first[i].neighbours + of.second[k].neighbours;
    const double roundings = 4.0 * (neighbours + 2.0 * factors.rank + 32);
    const double off = 1.0001 * (factors.error + roundings * unit_roundoff);
    pairs.template add<true>(sums, of, of.row(i), of.column(k), *before, {off * last.x, off * last.y});
  }
};

}  // namespace octile::detail
