// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/factored_product.hpp>
#include <octile/portable/xmv/factored_set.hpp>
#include <octile/portable/xmv/team_scratch.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::portable {

/// Work space of the factored products: a row for each pair that is solved concurrently.
template <class Scalar, class MemorySpace>
using FactoredSpace = Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace>;

/// The factored product for dense factors:
///
///     y = Σ_k (A ⊙ φ_k) x (A' ⊙ φ_k)ᵀ,     rank · (nnz m + n nnz') products and sums
///
/// in blocks of rows of G, so that T, the result of the first stage, stays in a near cache:
///
///                            j'                      T: m × rank × 8           i'
///     8 rows i of G   x_j ──gather──► t[j'][k][b] = (A ⊙ φ_k)_i,: x_:,j' ──scatter──► y[i][i']
///
/// On a CPU one thread forms it, and both stages are vector operations on contiguous memory. It takes fewer factors where the residual is
/// small already. On a GPU each thread of a team forms elements of T, then elements of y.
template <class Scalar, class MemorySpace, bool Gpu>
class FactoredXmv {
 public:
  /// Rows of G that a team of a GPU multiplies together.
  static constexpr int block = 32 / static_cast<int>(sizeof(Scalar));

  FactoredXmv(int threads, FactoredSpace<Scalar, MemorySpace> space) : threads_(threads), space_(std::move(space)) {}
  /// For factors that the device counts: of each entry `used` of them, at most the rank of the set, padded on a CPU.
  /// Factors of one entry follow those of the entry before.
  FactoredXmv(int threads, FactoredSpace<Scalar, MemorySpace> space, Kokkos::View<int, MemorySpace> used)
      : threads_(threads), space_(std::move(space)), used_(std::move(used)) {}

  /// Elements of work space for a pair of up to n and m vertices.
  static std::size_t elements(std::size_t n, std::size_t m, std::size_t rank) {
    if constexpr (Gpu) return padded_columns<Scalar>(m) * rank * static_cast<std::size_t>(block);
    return factored_work<Scalar>(n, m, rank);
  }

  int threads() const { return threads_; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel&, const Scalar* x, Scalar* y,
                             TeamScratch, double slack = 0) const {
    int pitch = system.set.rank;
    if (used_.data() != nullptr) pitch = Gpu ? used_() : padded_factors(used_());
    const int rank = Gpu || slack == 0 ? pitch : enough(system.set, pitch, slack);
    const auto rows = [&system, rank, pitch](std::uint32_t first) {
      return FactoredRows<Scalar>{system.set.row_begin.data() + first, system.set.columns.data(),
                                  system.set.factors.data(), rank, pitch};
    };
    Scalar* work = &space_(member.league_rank(), 0);
    if constexpr (Gpu) {
      apply_together(member, system, rows(system.first_vertex), rows(system.second_vertex), x, y, work);
    } else {
      factored_product(rows(system.first_vertex), rows(system.second_vertex), system.n, system.m, x, y, work);
    }
  }

 private:
  /// How much of κe a product may leave out where the residual is as large as what it is to become, and at most: what products leave out
  /// is not in the residual that a solve ends with, which is recomputed by all factors. Where an estimate ends it, `slack` is less.
  static constexpr double relaxation = 2;
  static constexpr double most_left_out = 0.125;

  /// How many of all factors a product with so much slack takes (see `iterate`).
  template <class Set>
  KOKKOS_FUNCTION static int enough(const Set& set, int all, double slack) {
    const auto known = static_cast<int>(set.errors.extent(0));
    if (known == 0) return all;
    const double allowed = Kokkos::min(relaxation * Kokkos::sqrt(slack), most_left_out);
    return Kokkos::min(enough_factors(set.errors, known - 1, allowed), all);
  }

  template <class Member, class System>
  KOKKOS_FUNCTION static void apply_together(const Member& member, const System& system,
                                             const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                             const Scalar* x, Scalar* y, Scalar* t) {
    const int m = system.m;
    const int rank = first.rank;
    for (int i = 0; i < system.n; i += block) {
      const int count = system.n - i < block ? system.n - i : block;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, m * count), [&](int task) {
        const int b = task % count;
        const int j = task / count;
        for (int k = 0; k < rank; ++k) {
          Scalar sum = 0;
          for (std::uint32_t e = first.row_begin[i + b]; e < first.row_begin[i + b + 1]; ++e) {
            sum += first.factors[std::size_t(e) * rank + k] * x[std::size_t(first.columns[e]) * m + j];
          }
          t[(std::size_t(j) * rank + k) * block + b] = sum;
        }
      });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, m * count), [&](int task) {
        const int b = task % count;
        const int j = task / count;
        Scalar sum = 0;
        for (std::uint32_t e = second.row_begin[j]; e < second.row_begin[j + 1]; ++e) {
          const Scalar* row = t + std::size_t(second.columns[e]) * rank * block + b;
          for (int k = 0; k < rank; ++k) sum += second.factors[std::size_t(e) * rank + k] * row[k * block];
        }
        y[std::size_t(i + b) * m + j] = sum;
      });
      member.team_barrier();
    }
  }

  int threads_;
  FactoredSpace<Scalar, MemorySpace> space_;
  Kokkos::View<int, MemorySpace> used_;  ///< factors, where they are counted on the device
};

/// The factored product for sparse factors, one row of G at a time. T is rank × m. A row of G fills the rows k of T for
/// its elements' terms, and clears them at its end, so that T is zero between rows. The work does not depend on the rank.
template <class Scalar, class MemorySpace>
class SparselyFactoredXmv {
 public:
  SparselyFactoredXmv(int threads, FactoredSpace<Scalar, MemorySpace> space)
      : threads_(threads), space_(std::move(space)) {}

  static std::size_t elements(std::size_t /*n*/, std::size_t m, std::size_t rank) { return m * rank; }

  int threads() const { return threads_; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel&, const Scalar* x, Scalar* y,
                             TeamScratch) const {
    const auto& set = system.set;
    const int m = system.m;
    const auto terms = static_cast<std::size_t>(set.terms);
    Scalar* t = &space_(member.league_rank(), 0);
    // f(e, place of the term, its row of T) for all terms of row v
    const auto for_each_term = [&set, terms, m, t](std::uint32_t v, const auto& f) {
      for (std::size_t e = set.row_begin(v); e < set.row_begin(v + 1); ++e) {
        for (std::size_t term = e * terms; term < (e + 1) * terms; ++term) {
          f(e, term, t + std::size_t(set.indices(term)) * m);
        }
      }
    };
    for (int i = 0; i < system.n; ++i) {
      for_each_term(system.first_vertex + i, [&](std::size_t e, std::size_t term, Scalar* row) {
        const Scalar factor = set.factors(term);
        const Scalar* x_row = x + std::size_t(set.columns(e)) * m;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(member, m), [&](int j) { row[j] += factor * x_row[j]; });
      });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, m), [&](int j) {
        Scalar sum = 0;
        for_each_term(system.second_vertex + j, [&](std::size_t e, std::size_t term, const Scalar* row) {
          sum += set.factors(term) * row[set.columns(e)];
        });
        y[std::size_t(i) * m + j] = sum;
      });
      member.team_barrier();
      for_each_term(system.first_vertex + i, [&](std::size_t, std::size_t, Scalar* row) {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(member, m), [&](int j) { row[j] = 0; });
      });
      member.team_barrier();
    }
  }

 private:
  int threads_;
  FactoredSpace<Scalar, MemorySpace> space_;
};

/// Makes a factored product with work space for given pairs (see `Solver`).
template <class Xmv, class Scalar, class MemorySpace>
struct FactoredRoom {
  int team;
  std::size_t rank;
  std::vector<std::size_t> vertices;  ///< of each graph

  int threads() const { return team; }

  std::size_t elements(std::span<const Pair> pairs) const {
    std::size_t most = 1;
    for (const Pair& pair : pairs) {
      most = std::max(most, Xmv::elements(vertices[static_cast<std::size_t>(pair.first)],
                                          vertices[static_cast<std::size_t>(pair.second)], rank));
    }
    return most;
  }

  std::size_t pair_bytes(std::size_t /*elements*/, std::span<const Pair> pairs) const {
    return elements(pairs) * sizeof(Scalar);
  }

  template <class ExecutionSpace>
  Xmv make(const ExecutionSpace& space, std::size_t slots, std::size_t /*elements*/,
           std::span<const Pair> pairs) const {
    return Xmv(team, FactoredSpace<Scalar, MemorySpace>(Kokkos::view_alloc(space, "octile::factored_work"), slots,
                                                        elements(pairs)));
  }
};

}  // namespace octile::portable
