// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_factor_walk.hpp>
#include <octile/device_pairs.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile {

/// Vectors of the basis F that each graph has for one of the two systems.
inline constexpr int vectors_of_basis = 16;

/// Trial solutions of the two systems of pairs that are products of bases, x = F C F'ᵀ: of pair k, C of x stands row major at
/// 2 · 16² k, and that of y behind it. κv must have a table.
struct ReducedTrials {
  static constexpr int matrix = vectors_of_basis * vectors_of_basis;

  const Pair* pairs;
  const std::size_t* begin;
  const double* coefficients;
};

namespace detail {

/// For one of the two systems, what makes N x of x = F C F'ᵀ a product of few columns of each graph,
///
///     N x = Σ_r P_r C P'_rᵀ,      P_r = (A ∘ φ_r) F       κe = Σ_r φ_r φ_r', up to an error
///
/// F comes first, as P_0, and the factors of κe from r = 1 on. Of a graph of n vertices that begin at v, column f of P_r begins at
/// v · columns + (16 r + f) n. `sizes` is Σ_j A_ij ‖F_j‖ for each vertex, so that no sum of terms |P| |C| |P'| of a row of N x is above
/// ‖C‖ times the product of both sizes.
template <class MemorySpace>
struct BasisProducts {
  Array<double, MemorySpace> products;
  Array<double, MemorySpace> sizes;
};

/// How many columns F and all P_r have together.
template <class MemorySpace>
KOKKOS_INLINE_FUNCTION int columns_of_basis(const FactoredEnds<MemorySpace>& factors) {
  return (factors.rank + 1) * vectors_of_basis;
}

/// Forms `BasisProducts` of F, which has 16 numbers for each vertex, a team a graph.
template <class MemorySpace>
struct FormBasisProducts {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<ExactVertex, MemorySpace> vertices;
  Array<ExactEnd, MemorySpace> ends;
  FactoredEnds<MemorySpace> factors;
  Array<double, MemorySpace> basis;
  BasisProducts<MemorySpace> formed;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto first = vertex_begin(member.league_rank());
    const auto n = static_cast<int>(vertex_begin(member.league_rank() + 1) - first);
    const double* const of_graph = basis.data() + std::size_t(first) * vectors_of_basis;
    double* const to =
        formed.products.data() + std::size_t(first) * static_cast<std::size_t>(columns_of_basis(factors));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n * vectors_of_basis), [&](int item) {
      const int v = item % n;
      const int f = item / n;
      const ExactVertex vertex = vertices(first + static_cast<std::uint32_t>(v));
      to[f * n + v] = of_graph[v * vectors_of_basis + f];
      for (int r = 0; r < factors.rank; ++r) {
        const double* const weights = factors.values.data() + static_cast<std::size_t>(r) * factors.count;
        double sum = 0;
        for (std::uint32_t end = vertex.first_end; end < vertex.last_end(); ++end) {
          sum += weights[end] * of_graph[ends(end).column * std::uint32_t(vectors_of_basis) + std::uint32_t(f)];
        }
        to[((r + 1) * vectors_of_basis + f) * n + v] = sum;
      }
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [&](int v) {
      const ExactVertex vertex = vertices(first + static_cast<std::uint32_t>(v));
      double size = 0;
      for (std::uint32_t end = vertex.first_end; end < vertex.last_end(); ++end) {
        const ExactEnd edge = ends(end);
        double squares = 0;
        for (int f = 0; f < vectors_of_basis; ++f) {
          const double value = of_graph[edge.column * std::uint32_t(vectors_of_basis) + std::uint32_t(f)];
          squares += value * value;
        }
        size += edge.weight * Kokkos::sqrt(squares);
      }
      formed.sizes(first + static_cast<std::uint32_t>(v)) = size;
    });
  }
};

}  // namespace detail
}  // namespace octile
