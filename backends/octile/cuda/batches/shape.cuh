// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/layout/batch_slices.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/slices.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>
#include <octile/prepared_graphs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The work of a launch. Its counter is that of the first shape; `q` is the one in the right-hand side.
inline Work work_of(const BatchWork& asked, double q) {
  Work work{};
  work.pairs = asked.pairs;
  work.results = asked.results;
  work.next = asked.next;
  work.count = asked.count;
  work.right_hand_side = RightHandSide::stopping;
  work.given = asked.given;
  work.given_scale = asked.given_scale;
  work.nodewise = asked.solutions;
  work.nodewise_begin = asked.begins;
  work.scale = q * q;
  work.options = asked.options;
  return work;
}

/// The vertex kernel of a launch: 1/κv of each pair, from where the pair's solution would begin.
inline VertexTable table_by_pair(const double* reciprocals) { return {reciprocals, nullptr, 0}; }

/// A shape of `solve_pairs` for pairs of a batch, of up to `Threads` times K elements n·m. `Edges` is an edge kernel of edge_kernels.cuh.
template <class Set, class Edges, int Threads, int K>
struct BatchShape {
  static_assert(stages_vertices(VectorPlace::registers, Threads));
  static constexpr int threads = Threads;
  static constexpr int elements = Threads * K;

  static constexpr auto kernel =
      solve_pairs<Product::slices, Set, VertexTable, Edges, Threads, K, VectorPlace::registers>;

  /// Shared memory of a block for graphs of up to n vertices, and as many entries of the first one's rows, with padding.
  static std::size_t bytes(std::size_t n, std::size_t entries) {
    const ProductMemory product = Xmv<Product::slices, Set, Edges, Threads, true>::memory();
    return shared_head_bytes() + staged_vertices(sizeof(typename Set::vertex_label_type), n, n) +
           product.bytes({n, n, entries, 0}) + 2 * shared_piece(std::size_t(elements) * sizeof(float));
  }

  /// The most vertices of a graph of a pair.
  static std::size_t vertices(const Capacity& capacity) {
    return std::min<std::size_t>(capacity.vertices_of_largest, most_batch_vertices);
  }

  /// Entries of the rows of one graph for which blocks get room within `most` bytes: all that there can be, or several times the mean.
  /// A pair whose first graph has more is left out; 0: there is no room for a pair.
  static std::size_t entries(const Capacity& capacity, std::size_t most) {
    constexpr std::size_t margin = 3;
    const std::size_t n = vertices(capacity);
    const std::size_t all = std::max<std::size_t>(capacity.vertices, 1);
    const std::size_t a_vertex = std::max<std::size_t>((capacity.entries + all - 1) / all, 1);
    std::size_t entries = std::min(n * n, std::max<std::size_t>({margin * a_vertex * n, elements, n}));
    while (entries > 0 && bytes(n, entries) > most) entries -= std::min<std::size_t>(entries, 64);
    return entries;
  }

  /// The set as the launch takes it, for pairs of more than `more_than` elements whose first graphs have up to `entries`.
  static Set set_of(Set set, const BatchWork& asked, int more_than, std::size_t entries) {
    set.more_than = more_than;
    set.at_most = elements;
    set.most_entries = static_cast<std::uint32_t>(entries);
    set.found = asked.found;
    set.left = asked.given_scale;
    return set;
  }
};

/// Calls `launch.template operator()<Threads, K>(number, more_than)` for each shape in turn, by rising elements: it takes pairs that have more
/// than `more_than`. Shapes that no pair of such graphs needs are left out. Threads are many, since pairs of a step are few.
template <class Launch>
void for_each_batch_shape(const Capacity& capacity, const Launch& launch) {
  const std::size_t most = capacity.vertices_of_largest * capacity.vertices_of_largest;
  const auto take = [&]<int Threads, int K>(int number, int more_than) {
    if (most > std::size_t(more_than)) launch.template operator()<Threads, K>(number, more_than);
  };
  take.template operator()<256, 4>(0, 0);
  take.template operator()<512, 8>(1, 256 * 4);
  take.template operator()<1024, 9>(2, 512 * 8);
}
inline constexpr int batch_shapes = 3;
inline constexpr std::size_t most_batch_elements = std::size_t(1024) * 9;  ///< of the largest

}  // namespace octile::cuda
