// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/graph.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/solve.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace octile {

/// The cost of an element of the product A× ⊙ E× on the fly: X operations (κe, three products, one sum; the paper's
/// table of counts), and the bytes of a weight and of an edge label.
struct ElementCost {
  double operations = 4;
  double scalar_bytes = 4;
  double label_bytes = 4;
};

/// The operations of one CG iteration of a pair, and the bytes that it must move between memory and the processor
/// if nothing is kept but registers.
struct IterationCount {
  double operations;
  double bytes;
};

/// Sums over one pair or all pairs of a set, with n and m vertices and nnz and nnz' elements each.
struct PairSums {
  double pairs = 0;
  double element_pairs = 0;     ///< Σ nnz nnz'
  double element_vertices = 0;  ///< Σ nnz m + n nnz'
  double vertex_pairs = 0;      ///< Σ n m
  double row_pairs = 0;         ///< Σ (r m + n r') / 2, r and r' vertices that have edges
  double vertex_cubes = 0;      ///< Σ n³, of the graphs
};

/// The cost of one CG iteration of a pair in arbitrary units, the same for every
/// backend. It sorts pairs costliest first and measures progress.
///
///     c_xmv · nnz nnz' + c_vector · n m        nnz = both triangles
///
/// The ratio is `vector_in_edge_pairs`.
class CostModel {
 public:
  explicit CostModel(std::span<const Graph> graphs) : sizes_(graphs.size()) {
    constexpr std::size_t graphs_at_once = 64;
    in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) {
        const Graph& graph = graphs[g];
        sizes_[g] = {static_cast<double>(2 * graph.edge_count()), static_cast<double>(graph.vertex_count()),
                     static_cast<double>(vertices_with_edges(graph))};
      }
    });
  }

  double operator()(Pair pair) const {
    const Size& first = size(pair.first);
    const Size& second = size(pair.second);
    return first.elements * second.elements + vector_in_edge_pairs * first.vertices * second.vertices;
  }

  /// Counts one iteration (conjugate_gradient.hpp) of a pair by a sparse primitive:
  ///
  ///     operations   X nnz nnz' + 16 n m     products M p − a, pᵀa (4), x, r (4), ‖M⁻¹r‖², rᵀM⁻¹r (5), p (3)
  ///     bytes        (nnz + nnz') (F + E)    both graphs once
  ///                  + 17 n m F              a ← N p (2), M p − a (4), x and r (7), p (4 vectors)
  IterationCount count(Pair pair, const ElementCost& element) const {
    const Size& first = size(pair.first);
    const Size& second = size(pair.second);
    const double vector = first.vertices * second.vertices;
    return {element.operations * first.elements * second.elements + 16 * vector,
            (first.elements + second.elements) * (element.scalar_bytes + element.label_bytes) +
                17 * vector * element.scalar_bytes};
  }

  /// The sums of one pair, the same if its graphs are swapped. `vertex_cubes` is 0.
  PairSums sums(Pair pair) const {
    const Size& first = size(pair.first);
    const Size& second = size(pair.second);
    PairSums sums;
    sums.pairs = 1;
    sums.element_pairs = first.elements * second.elements;
    sums.element_vertices = first.elements * second.vertices + first.vertices * second.elements;
    sums.vertex_pairs = first.vertices * second.vertices;
    sums.row_pairs = (first.rows * second.vertices + first.vertices * second.rows) / 2;
    return sums;
  }

  /// The sums over all pairs i ≤ j of the set, on which the choice of a lowering is based.
  PairSums sums() const {
    PairSums sums;
    double elements = 0;
    double vertices = 0;
    double rows = 0;
    for (const Size& size : sizes_) {
      // Adds this graph's pairs with all graphs before it and with itself.
      elements += size.elements;
      vertices += size.vertices;
      rows += size.rows;
      sums.element_pairs += size.elements * elements;
      sums.vertex_pairs += size.vertices * vertices;
      sums.row_pairs += (size.rows * vertices + size.vertices * rows) / 2;
      sums.element_vertices += size.elements * vertices + size.vertices * elements;
      sums.vertex_cubes += size.vertices * size.vertices * size.vertices;
    }
    sums.pairs = static_cast<double>(sizes_.size()) * static_cast<double>(sizes_.size() + 1) / 2;
    return sums;
  }

  std::size_t graph_count() const { return sizes_.size(); }

  /// The sizes of a graph that the model uses.
  struct Size {
    double elements;
    double vertices;
    double rows;  ///< vertices that have edges

    bool operator<(const Size& other) const {
      return std::tie(elements, vertices, rows) < std::tie(other.elements, other.vertices, other.rows);
    }
  };
  const Size& size(std::int32_t graph) const { return sizes_[static_cast<std::size_t>(graph)]; }

 private:
  static std::ptrdiff_t vertices_with_edges(const Graph& graph) {
    std::vector<bool> has(static_cast<std::size_t>(graph.vertex_count()), false);
    for (const Edge& edge : graph.edges()) {
      has[static_cast<std::size_t>(edge.i)] = true;
      has[static_cast<std::size_t>(edge.j)] = true;
    }
    return std::ranges::count(has, true);
  }

  std::vector<Size> sizes_;
};

}  // namespace octile
