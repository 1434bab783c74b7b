// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/base/uninitialized.hpp>
#include <octile/cuda/start/projection_terms.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/rows.hpp>
#include <octile/graphs/start_unit.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/request.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// A start for CG from projected systems. Each graph has a basis F of few vectors. The residual of x = F C F'ᵀ is
// orthogonal to f f'ᵀ for all basis vectors f of G and f' of G' if
//
//     Σ_t σ_t B_t C B'_t = (Fᵀ d) (F'ᵀ d')ᵀ,        B_t = Fᵀ (D ⊙ χ_t) F, or Fᵀ (A ⊙ φ_k) F with σ = −1
//
// which is a system of 16 × 16 unknowns (terms: `ProjectionTerms`). Where κv is not constant and has few terms χ_t, x = κv ∘ (F C F'ᵀ)
// instead, whose residual is orthogonal to κv ∘ (f f'ᵀ) if
//
//     Σ_t B_t C B'_t − Σ_stk B_stk C B'_stkᵀ = Σ_t (Fᵀ (χ_t ∘ d)) (F'ᵀ (χ_t ∘ d'))ᵀ,    B_stk = Fᵀ (χ_s ∘ (A ⊙ φ_k) (χ_t ∘ F))
//
// and F spans the leading eigenvectors of D^1/2 (x / κv) D^1/2. F comes from a rough solution x of the graph's pair
// with itself: it spans the leading eigenvectors of D^1/2 x D^1/2, times D^-1/2. The adjoint system has starting probabilities p in
// place of d, and bases of its own, from y: those of x save it one iteration of five to eight, its own save four or five.
//
//     pairs (G, G), roughly ─► x ─► form_basis ─► F, B_t, Fᵀ d     one block a graph
//                                        │
//     pairs ────────────────────────► solve_projected ─► C         one warp a pair ─► ProjectedStart in the pair's CG
//
// The start is a guess: it affects the number of iterations and not the result. So the small systems' vectors are halves, and B_t where a
// direction is multiplied. F, C and, in residuals of the small systems, B_t are sums of two halves, since their rounding would be noise in
// x⁰, which CG takes longest to reduce.
namespace octile::cuda {

using octile::plan::LoweredSet;

/// The vectors of a graph's basis.
inline constexpr int basis_size = 16;

/// Graphs of more vertices have no basis.
inline constexpr std::uint32_t most_based = 128;

/// The tolerance of the solutions that bases are formed from. With 0.1 the pairs need more iterations; 0.01 is not cheaper.
inline constexpr double rough_tolerance = 1e-3;
/// The tolerance of the solutions that bases are formed from, where a precise basis saves iterations that are dear, or
/// is to prove values.
inline constexpr double precise_rough_tolerance = 3e-4;

/// The threads of a block that forms a basis: one for each element of a tile.
inline constexpr int basis_threads = basis_size * basis_size;

/// How many terms of the edges are projected at once.
inline constexpr int basis_terms = 8;

/// Shared memory of a block of `form_basis`: Y, Z of each term, square roots of degrees, sums, squares of columns.
KOKKOS_INLINE_FUNCTION constexpr std::size_t basis_bytes(std::size_t vertices) {
  return sizeof(float) * ((1 + basis_terms) * basis_size * vertices + vertices + basis_threads + basis_size);
}

/// The words of a *tile*, a 16 × 16 matrix of halves that a warp reads with one load a lane. It has the form of operand
/// A of `multiply_add`; a symmetric or transposed matrix also gives both 16 × 8 halves of operand B.
inline constexpr std::size_t words_a_tile = 128;

/// The number of element (row, column) in a tile.
KOKKOS_INLINE_FUNCTION constexpr int number_in_tile(int row, int column) {
  const int lane = row % 8 * 4 + column % 8 / 2;
  const int word = row / 8 + column / 8 * 2;
  return (lane * 4 + word) * 2 + column % 2;
}

/// The data of starts from projected systems, as kernels read them. Vertices are in the order of the solver's set. A
/// graph's weights and degrees are divided by its largest degree.
struct ProjectionView {
  const std::uint32_t* vertex_begin;  ///< graphs + 1
  const std::uint32_t* row_begin;     ///< vertices + 1
  const std::uint32_t* columns;       ///< one an element, a vertex of the graph from 0
  const std::uint32_t* records;
  const float* edge_weights;
  const float* degrees;  ///< one a vertex
  const float* right;    ///< one a vertex: d, or p in a scale by which y is that of the stored systems (`GraphScales`)
  const std::uint32_t* ids;
  const float* vertex_terms;  ///< χ_t(id) at t · id_count + id
  const float* reciprocals;   ///< 1/κv at id · id_count + id', if x is weighted by κv; else null
  const float* weights;       ///< then χ_t of vertex v at v · vertex_term_count + t
  const float* edge_terms;    ///< φ_k(record) at record · rank + k
  const float* signs;
  const std::uint32_t* tile_begin;  ///< graphs + 1: where a graph's tiles in `basis` begin; none if it has no basis
  std::uint32_t* basis;             ///< for each 16 vertices two tiles: rounded halves, and remainders
  std::uint32_t* projections;       ///< graph by graph, two tiles for each term: rounded halves, and remainders
  float* right_projections;  ///< Fᵀ d or Fᵀ p, or Fᵀ (χ_t ∘ d) for each χ_t: `basis_size` numbers each, graph by graph
  std::uint32_t id_count;
  int vertex_term_count;
  int rank;

  KOKKOS_INLINE_FUNCTION bool weighted() const { return weights != nullptr; }
  KOKKOS_INLINE_FUNCTION int terms() const {
    return vertex_term_count + (weighted() ? vertex_term_count * vertex_term_count : 1) * rank;
  }
  /// Vectors of right-hand sides of a graph.
  KOKKOS_INLINE_FUNCTION int rights() const { return weighted() ? vertex_term_count : 1; }
};

/// The arrays of `ProjectionView` in one memory space.
template <class MemorySpace>
class ProjectionSet {
 public:
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  ProjectionSet() = default;

  /// `orders` has the vertices of each graph in the order of the solver's set; empty where the graph's own order is
  /// kept. `weight_scales` has the factors by which that set multiplies the weights of each graph. Copies on `space`, with a fence.
  template <class Space>
  ProjectionSet(const Space& space, std::span<const Graph> graphs, const Stopping& stopping, const LoweredSet& lowered,
                const ProjectionTerms& terms, const std::vector<VertexOrder>& orders,
                const std::vector<double>& weight_scales) {
    std::vector<std::uint32_t> vertex_begin{0};
    std::vector<std::uint32_t> element_begin{0};
    std::vector<std::uint32_t> tile_begin{0};
    for (const Graph& graph : graphs) {
      const auto count = static_cast<std::uint32_t>(graph.vertex_count());
      const bool based = count <= most_based;
      tile_begin.push_back(tile_begin.back() + (based ? (count + basis_size - 1) / basis_size : 0));
      vertex_begin.push_back(vertex_begin.back() + (based ? count : 0));
      element_begin.push_back(element_begin.back() + (based ? static_cast<std::uint32_t>(2 * graph.edge_count()) : 0));
    }
    std::vector<std::uint32_t> row_begin(vertex_begin.back() + 1, 0);
    UninitializedVector<std::uint32_t> columns(element_begin.back());
    UninitializedVector<std::uint32_t> records(element_begin.back());
    UninitializedVector<float> weights(element_begin.back());
    UninitializedVector<float> degrees(vertex_begin.back());
    UninitializedVector<float> starting(vertex_begin.back());
    UninitializedVector<std::uint32_t> ids(vertex_begin.back());
    const auto lay_out = [&](std::size_t g) {
      const Graph& graph = graphs[g];
      const std::uint32_t count = vertex_begin[g + 1] - vertex_begin[g];
      if (count == 0) return;
      const std::vector<double> degree = stopping.degrees(graph.weighted_degrees(), graph.stopping_scale());
      const double scale = 1 / *std::ranges::max_element(degree);
      const std::span<const double> start = graph.starting_probability();
      const double scale_of_start = scale / weight_scales[g] / start_unit_of(start);
      std::vector<std::uint32_t> place(count);
      for (std::uint32_t k = 0; k < count; ++k) place[vertex_at(orders[g], k)] = k;
      const std::vector<std::vector<RowElement>> rows = rows_of(graph);
      std::uint32_t next = element_begin[g];
      for (std::uint32_t k = 0; k < count; ++k) {
        const std::size_t v = vertex_at(orders[g], k);
        for (const RowElement& element : rows[v]) {
          columns[next] = place[element.column];
          records[next] = lowered.edge.ids[g][element.edge];
          weights[next] = static_cast<float>(graph.edges()[element.edge].weight * scale);
          ++next;
        }
        row_begin[vertex_begin[g] + k + 1] = next;
        degrees[vertex_begin[g] + k] = static_cast<float>(degree[v] * scale);
        starting[vertex_begin[g] + k] = static_cast<float>(start[v] * scale_of_start);
        ids[vertex_begin[g] + k] = lowered.vertex.constant() ? 0 : lowered.vertex.ids[g][v];
      }
    };
    constexpr std::size_t graphs_at_once = 8;
    in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) lay_out(g);
    });
    const auto copy = [&](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    vertex_begin_ = copy("projection_vertex_begin", vertex_begin);
    row_begin_ = copy("projection_row_begin", row_begin);
    columns_ = copy("projection_columns", columns);
    records_ = copy("projection_records", records);
    edge_weights_ = copy("projection_weights", weights);
    degrees_ = copy("projection_degrees", degrees);
    starting_ = copy("projection_starting", starting);
    ids_ = copy("projection_ids", ids);
    vertex_terms_ = copy("projection_vertex_terms", terms.vertex);
    reciprocals_ = copy("projection_reciprocals", terms.reciprocals);
    weights_ = copy("projection_weights_of_x", terms.weighted ? weights_of(terms, ids) : std::vector<float>());
    edge_terms_ = copy("projection_edge_terms", terms.edge);
    signs_ = copy("projection_signs", terms.signs);
    tile_begin_ = copy("projection_tile_begin", tile_begin);
    const auto room = [&](const std::string& name, std::size_t length) {
      return Array<std::uint32_t>(Kokkos::view_alloc(space, name), length);
    };
    for (const RightHandSide side : {RightHandSide::stopping, RightHandSide::starting}) {
      Bases& bases = bases_[index(side)];
      ProjectionView& view = views_[index(side)];
      bases.basis = room("octile::basis", tile_begin.back() * 2 * words_a_tile);
      view = {vertex_begin_.data(),
              row_begin_.data(),
              columns_.data(),
              records_.data(),
              edge_weights_.data(),
              degrees_.data(),
              side == RightHandSide::stopping ? degrees_.data() : starting_.data(),
              ids_.data(),
              vertex_terms_.data(),
              terms.weighted ? reciprocals_.data() : nullptr,
              terms.weighted ? weights_.data() : nullptr,
              edge_terms_.data(),
              signs_.data(),
              tile_begin_.data(),
              bases.basis.data(),
              nullptr,
              nullptr,
              static_cast<std::uint32_t>(terms.ids),
              static_cast<int>(terms.vertex_terms),
              static_cast<int>(terms.rank)};
      bases.projections =
          room("octile::projections", graphs.size() * static_cast<std::size_t>(view.terms()) * 2 * words_a_tile);
      bases.right = Array<float>(Kokkos::view_alloc(space, std::string("octile::right_projections")),
                                 graphs.size() * static_cast<std::size_t>(view.rights()) * basis_size);
      view.projections = bases.projections.data();
      view.right_projections = bases.right.data();
    }
    space.fence("octile::ProjectionSet");
  }

  /// The arrays for kernels, of the system with this right-hand side; null pointers if pairs start at 0.
  const ProjectionView& view(RightHandSide side) const { return views_[index(side)]; }
  bool given() const { return views_[0].basis != nullptr; }
  /// Numbers χ_t of each vertex, by whose terms x is weighted; 0 if it is not.
  std::size_t weights_a_vertex() const {
    return views_[0].weighted() ? static_cast<std::size_t>(views_[0].vertex_term_count) : 0;
  }

 private:
  /// What is formed of each of the two systems.
  struct Bases {
    Array<std::uint32_t> basis;
    Array<std::uint32_t> projections;
    Array<float> right;
  };

  /// χ_t of all vertices.
  static std::vector<float> weights_of(const ProjectionTerms& terms, std::span<const std::uint32_t> ids) {
    std::vector<float> weights(ids.size() * terms.vertex_terms);
    for (std::size_t v = 0; v < ids.size(); ++v) {
      for (std::size_t t = 0; t < terms.vertex_terms; ++t) {
        weights[v * terms.vertex_terms + t] = terms.vertex[t * terms.ids + ids[v]];
      }
    }
    return weights;
  }

  static std::size_t index(RightHandSide side) { return side == RightHandSide::stopping ? 0 : 1; }

  Array<std::uint32_t> vertex_begin_;
  Array<std::uint32_t> row_begin_;
  Array<std::uint32_t> columns_;
  Array<std::uint32_t> records_;
  Array<float> edge_weights_;
  Array<float> degrees_;
  Array<float> starting_;
  Array<std::uint32_t> ids_;
  Array<float> vertex_terms_;
  Array<float> reciprocals_;
  Array<float> weights_;
  Array<float> edge_terms_;
  Array<float> signs_;
  Array<std::uint32_t> tile_begin_;
  std::array<Bases, 2> bases_;
  std::array<ProjectionView, 2> views_{};
};

}  // namespace octile::cuda
