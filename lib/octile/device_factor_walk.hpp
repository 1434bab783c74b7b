// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_pairs.hpp>
#include <octile/device_trials.hpp>
#include <octile/device_walks.hpp>
#include <octile/exact_lists.hpp>
#include <octile/factors.hpp>
#include <octile/fixed_pointer.hpp>
#include <octile/to_memory.hpp>
#include <octile/unit_roundoff.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile::detail {

/// The weights of ends times the factors of κe = Σ_k φ_k φ_k', up to `error`: values[k · ends + e] = w φ_k. Unless κe is
/// constant there is one term more, the weight alone, with which errors that are not relative to κe are bounded.
template <class MemorySpace>
struct FactoredEnds {
  Array<double, MemorySpace> values;
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
    std::vector<double> weighted(all * count);
    for (std::size_t e = 0; e < count; ++e) {
      for (std::size_t k = 0; k < all; ++k) {
        const double factor = k < factors.rank ? factors.values[lists.ends[e].record * factors.rank + k] : 1.0;
        weighted[k * count + e] = lists.ends[e].weight * factor;
      }
    }
    values = to_memory<MemorySpace>(space, "exact_factors", weighted);
    space.fence("octile::FactoredEnds");
  }

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
    typename decltype(pairs)::Sums own;
    for (int row = 0; row < of.n; row += rows) {
      const int count = Kokkos::min(rows, of.n - row);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (factors.parts() - 1) * rows * pitch), [&](int item) {
        products[item] = {0, 0};
      });
      for (int t = 0; t < factors.terms; ++t) {
        const double* const weights =
            fixed_pointer(factors.values.data() + static_cast<std::size_t>(t) * factors.count);
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
    const auto sums = sum_of_team(member, own, scratch);
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
    const TrialValues<Scalar>* const at_column = fixed_pointer(pairs.trials.values + of.begin + column);
    const auto m = static_cast<std::uint32_t>(of.m);
    Products sum{0, 0};
    const std::uint32_t end_of_row = of.first[row].last_end();
    for (std::uint32_t end = of.first[row].first_end; end < end_of_row; ++end) {
      add_product(sum, weights[end], at_column[pairs.ends(end).column * m]);
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

  template <class Sums>
  KOKKOS_INLINE_FUNCTION void close(Sums& sums, const CertifiedPair& of, int i, int k, const Products& product,
                                    const Products& unknown) const {
    // Each sum of a product of factors rounds by its terms, twice, and the factors by their rank; |Σ φ φ'| ≤ 1 termwise.
    const double neighbours = of.first[i].neighbours + of.second[k].neighbours;
    const double roundings = 4.0 * (neighbours + 2.0 * factors.rank + 32);
    const double off = factors.has_error() ? 1.0001 * (factors.error + roundings * unit_roundoff) : 0;
    pairs.template add<true>(sums, of, of.row(i), of.column(k), product, {off * unknown.x, off * unknown.y});
  }
};

}  // namespace octile::detail
