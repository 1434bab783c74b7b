// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/on_device/basis_steps.hpp>
#include <octile/on_device/exact_lists.hpp>
#include <octile/on_device/factor_walk.hpp>
#include <octile/on_device/pairs.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace octile {

/// Vectors of the basis F that each graph has for one of the two systems.
inline constexpr int vectors_of_basis = 16;

/// Trial solutions of the two systems of pairs that are products of bases, x = F C F'ᵀ, or that times `BasisWeights` element by element: of
/// pair k, C of x stands row major at 2 · 16² k, and that of y behind it. κv must have a table.
struct ReducedTrials {
  static constexpr int matrix = vectors_of_basis * vectors_of_basis;

  const Pair* pairs;
  const std::size_t* begin;
  const double* coefficients;
  detail::ReducedSteps steps;
};

/// What products of bases are weighted by: x_ii' = (Σ_t χ_t(i) χ_t(i')) (F C F'ᵀ)_ii'. χ_t of vertex v stands at v · count + t. With a count
/// of 0 they are not weighted.
template <class MemorySpace>
struct BasisWeights {
  Array<double, MemorySpace> values;
  int count = 0;

  /// Terms of a sum over all χ_t.
  KOKKOS_INLINE_FUNCTION int terms() const { return count > 0 ? count : 1; }
  KOKKOS_INLINE_FUNCTION double of(std::size_t v, int t) const {
    return count > 0 ? values(v * static_cast<std::size_t>(count) + static_cast<std::size_t>(t)) : 1.0;
  }
  /// Σ_t χ_t(v) χ_t(w).
  KOKKOS_INLINE_FUNCTION double product(std::size_t v, std::size_t w) const {
    double sum = 0;
    for (int t = 0; t < terms(); ++t) sum += of(v, t) * of(w, t);
    return sum;
  }
};

namespace detail {

/// Vertices of a tile; numbers of a tile in 8 columns of one system; numbers of a tile in 16 columns of both systems.
inline constexpr int vertices_of_tile = 8;
inline constexpr int numbers_of_half = 8 * vertices_of_tile;
inline constexpr int numbers_of_tile = 4 * numbers_of_half;
/// Tiles that may be read behind a graph's own, which are those of the next graph or, behind the last one, 0: a warp has so many beside each other.
inline constexpr int tiles_behind = 8;

KOKKOS_INLINE_FUNCTION constexpr int tiles_of(int vertices) {
  return (vertices + vertices_of_tile - 1) / vertices_of_tile;
}

/// What makes N x of weighted x = F C F'ᵀ a product of few columns of each graph, for both systems,
///
///     N x = Σ_rt P_rt C P'_rtᵀ,      P_rt = (A ∘ φ_r) (χ_t ∘ F)       κe = Σ_r φ_r φ_r', up to an error
///
/// F is number 0 and P_rt is number 1 + r · weights + t; column f of number k is column 16 k + f of a graph.
/// `tile_begin` says for each graph how many tiles of 8 vertices those before it have. A graph's numbers begin at
/// `numbers_of_tile` times that for each 16 columns, and lie as `place_in_basis` says. `sizes` is Σ_j A_ij ‖χ(j)‖ ‖F_j‖
/// for each vertex, so that no sum of terms |P| |C| |P'| of a row of N x is above ‖C‖ times the product of both sizes.
template <class MemorySpace>
struct BasisProducts {
  Array<std::uint32_t, MemorySpace> tile_begin;
  Array<double, MemorySpace> products;
  Array<TrialValues<double>, MemorySpace> sizes;

  /// Where the numbers of a graph begin.
  KOKKOS_INLINE_FUNCTION double* of_graph(std::size_t graph, int columns) const {
    return products.data() + std::size_t(tile_begin(graph)) * static_cast<std::size_t>(columns / vectors_of_basis) *
                                 std::size_t{numbers_of_tile};
  }
};

/// How many columns F and all P_rt have together.
template <class MemorySpace>
KOKKOS_INLINE_FUNCTION int columns_of_basis(const FactoredEnds<MemorySpace>& factors,
                                            const BasisWeights<MemorySpace>& weights) {
  return (factors.rank * weights.terms() + 1) * vectors_of_basis;
}

/// Where the number of a vertex in a column lies among those of a graph of so many tiles; `system` is 0 for x and 1 for
/// y. A tile has four halves: columns 0 to 7 of x, columns 8 to 15 of x, and the same columns of y. In a half each
/// vertex has its eight columns, each beside the fourth one after it, since lanes of a warp read these two together.
KOKKOS_INLINE_FUNCTION constexpr int place_in_basis(int system, int column, int vertex, int tiles) {
  const int tile = column / vectors_of_basis * tiles + vertex / vertices_of_tile;
  const int half = tile * 4 + system * 2 + column % vectors_of_basis / 8;
  return half * numbers_of_half + vertex % vertices_of_tile * 8 + column % 4 * 2 + column / 4 % 2;
}

/// Forms `BasisProducts` of F of one system, which has 16 numbers for each vertex: a team a graph and k, and one a graph for F and sizes.
template <class MemorySpace>
struct FormBasisProducts {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<ExactVertex, MemorySpace> vertices;
  Array<ExactEnd, MemorySpace> ends;
  FactoredEnds<MemorySpace> factors;
  BasisWeights<MemorySpace> weights;
  Array<double, MemorySpace> basis;
  BasisProducts<MemorySpace> formed;
  bool of_x;  ///< or of y

  /// Teams of a graph.
  int parts() const { return factors.rank * weights.terms() + 1; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int parts = member.league_size() / (static_cast<int>(vertex_begin.extent(0)) - 1);
    const int graph = member.league_rank() / parts;
    const int part = member.league_rank() % parts;
    const auto first = vertex_begin(graph);
    const auto n = static_cast<int>(vertex_begin(graph + 1) - first);
    const double* const of_graph = basis.data() + std::size_t(first) * vectors_of_basis;
    double* const to = formed.of_graph(static_cast<std::size_t>(graph), columns_of_basis(factors, weights));
    if (part > 0) {
      form_products(member, first, n, part, of_graph, to);
      return;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n * vectors_of_basis), [&](int item) {
      const int v = item % n;
      const int f = item / n;
      to[place_in_basis(of_x ? 0 : 1, f, v, tiles_of(n))] = of_graph[v * vectors_of_basis + f];
    });
    form_sizes(member, first, n, of_graph);
  }

 private:
  /// Forms P_rt, which is number k = 1 + r · weights + t of `BasisProducts`.
  template <class Member>
  KOKKOS_FUNCTION void form_products(const Member& member, std::uint32_t first, int n, int k, const double* of_graph,
                                     double* to) const {
    const int t = (k - 1) % weights.terms();
    const FactoredEnd* const of_factor =
        factors.values.data() + static_cast<std::size_t>((k - 1) / weights.terms()) * factors.count;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n * vectors_of_basis), [&](int item) {
      const int v = item / vectors_of_basis;
      const int f = item % vectors_of_basis;
      const ExactVertex vertex = vertices(first + static_cast<std::uint32_t>(v));
      double sum = 0;
      for (std::uint32_t end = vertex.first_end; end < vertex.last_end(); ++end) {
        const FactoredEnd edge = of_factor[end];
        sum += edge.value * weights.of(first + edge.column(), t) *
               of_graph[edge.column() * std::uint32_t(vectors_of_basis) + std::uint32_t(f)];
      }
      to[place_in_basis(of_x ? 0 : 1, k * vectors_of_basis + f, v, tiles_of(n))] = sum;
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void form_sizes(const Member& member, std::uint32_t first, int n, const double* of_graph) const {
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
        const std::size_t neighbour = first + edge.column;
        size += edge.weight * Kokkos::sqrt(squares * weights.product(neighbour, neighbour));
      }
      TrialValues<double>& both = formed.sizes(first + static_cast<std::uint32_t>(v));
      (of_x ? both.x : both.y) = size;
    });
  }
};

/// What trials that are products of bases take of a set; nothing where they are not cheaper than a walk.
template <class MemorySpace>
struct BasisReduction {
  FactoredEnds<MemorySpace> factors;
  BasisWeights<MemorySpace> weights;
  BasisProducts<MemorySpace> of;
  std::size_t most_terms = 0;  ///< factors times weights
  std::size_t most_bytes = 0;
  std::size_t tiles = 0;  ///< of all graphs

  /// What factors may leave of κe, since these trials are for accuracies of 1e-8 at best, and by how many factors.
  static constexpr double error = 1e-11;
  static constexpr std::size_t most_factors = 24;

  BasisReduction() = default;
  /// For a set, if it takes at most so many bytes.
  template <class ExecutionSpace>
  BasisReduction(const ExecutionSpace& space, const LoweredKernel& edge, const ExactLists& lists,
                 std::size_t bytes_at_most) {
    const double most = std::min<double>(most_factors, lists.ends_a_vertex() * lists.ends_a_vertex() / pairs_of_factor);
    if (bytes_at_most == 0 || most < 1) return;
    const std::optional<Factors> found = factorize(edge, error, static_cast<std::size_t>(most));
    if (!found || found->sparse() || found->error > 2 * error || found->rank == 0) return;
    if (sizeof(double) * found->rank * lists.ends.size() > bytes_at_most) return;
    most_terms = static_cast<std::size_t>(most);
    most_bytes = bytes_at_most;
    std::vector<std::uint32_t> tile_begin{0};
    for (std::size_t g = 0; g + 1 < lists.vertex_begin.size(); ++g) {
      const auto n = static_cast<int>(lists.vertex_begin[g + 1] - lists.vertex_begin[g]);
      tile_begin.push_back(tile_begin.back() + static_cast<std::uint32_t>(detail::tiles_of(n)));
    }
    tiles = tile_begin.back();
    of.tile_begin = to_memory<MemorySpace>(space, "tile_begin", tile_begin);
    space.fence("octile::BasisReduction");  // before the host's places go
    factors = FactoredEnds<MemorySpace>(space, lists, *found, found->rank);
  }

  /// Whether so many weights leave it cheaper than a walk, and within the memory.
  bool allows(std::size_t count) const {
    const std::size_t terms = static_cast<std::size_t>(factors.rank) * std::max<std::size_t>(count, 1);
    const std::size_t columns = (terms + 1) * static_cast<std::size_t>(vectors_of_basis);
    return factors.rank > 0 && terms <= most_terms &&
           sizeof(double) * (factors.values.extent(0) + numbers(columns)) <= most_bytes;
  }
  /// Room for the products.
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& space, std::size_t vertices) {
    const std::size_t length = numbers(static_cast<std::size_t>(columns_of_basis(factors, weights)));
    if (of.products.extent(0) != length) {
      // What is behind a graph's last vertex in its last tile stays 0.
      of.products =
          Array<double, MemorySpace>(Kokkos::view_alloc(space, std::string("octile::basis_products")), length);
    }
    if (of.sizes.extent(0) != vertices) {
      of.sizes = Array<TrialValues<double>, MemorySpace>(
          Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("octile::basis_sizes")), vertices);
    }
  }

 private:
  std::size_t numbers(std::size_t columns) const {
    return (tiles * (columns / std::size_t{vectors_of_basis}) + std::size_t{tiles_behind}) *
           std::size_t{numbers_of_tile};
  }
};

}  // namespace detail
}  // namespace octile
