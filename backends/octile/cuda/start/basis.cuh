// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/start/projection.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// F, its projections and Fᵀ d or Fᵀ p of a graph: block b forms those of graphs[b], from x or y at snapshots + snapshot_begin[graph].
class BasisFormer {
 public:
  __device__ BasisFormer(const ProjectionView& set, std::uint32_t graph, const double* x, float* place)
      : set_(set),
        graph_(graph),
        x_(x),
        first_(set.vertex_begin[graph]),
        n_(static_cast<int>(set.vertex_begin[graph + 1] - first_)),
        y_(place),
        z_(y_ + basis_size * n_),
        root_(z_ + basis_terms * basis_size * n_),
        sums_(root_ + n_),
        squares_(sums_ + basis_threads) {}

  __device__ void run() {
    for (int v = thread(); v < n_; v += basis_threads) root_[v] = sqrtf(set_.degrees[first_ + v]);
    block_barrier<basis_threads>();
    for (int k = thread(); k < basis_size * n_; k += basis_threads) y_[k] = first_guess(k / basis_size, k % basis_size);
    block_barrier<basis_threads>();
    for (int power = 0; power < 2; ++power) {
      if (set_.weighted()) {
        multiply<true>();
      } else {
        multiply<false>();
      }
      orthonormalize();
    }
    keep_basis();
    project();
  }

 private:
  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  /// The thread's column of Y, and its first row; it takes every 16th row from there.
  __device__ static int column() { return thread() % basis_size; }
  __device__ static int row() { return thread() / basis_size; }

  /// The first guess of Y: D^1/2 times the constant vector, and 15 columns of noise.
  __device__ float first_guess(int v, int s) const {
    if (s == 0) return root_[v];
    const std::uint32_t mixed = (static_cast<std::uint32_t>(v * basis_size + s) * 2654435761U) ^ 0x9E3779B9U;
    const std::uint32_t bits = (mixed ^ (mixed >> 15)) * 2246822519U;
    return static_cast<float>((bits >> 8) & 0xFFFF) * 0x1p-15F - 1.0F;
  }

  /// Y ← D^1/2 x D^1/2 Y, with x without κv if it is weighted by that. A thread forms all of its rows at once, and none of them behind a branch, so
  /// that many loads are in flight.
  template <bool Weighted>
  __device__ void multiply() {
    constexpr int rows = static_cast<int>(most_based) / basis_size;
    const int s = column();
    float sums[rows] = {};
#pragma unroll 4
    for (int j = 0; j < n_; ++j) {
      const float y = root_[j] * y_[j * basis_size + s];
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        const int v = min(row() + k * basis_size, n_ - 1);
        auto value = static_cast<float>(x_[v * n_ + j]);
        if constexpr (Weighted) value *= set_.reciprocals[set_.ids[first_ + v] * set_.id_count + set_.ids[first_ + j]];
        sums[k] += value * y;
      }
    }
    block_barrier<basis_threads>();
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      const int v = row() + k * basis_size;
      if (v < n_) y_[v * basis_size + s] = root_[v] * sums[k];
    }
    block_barrier<basis_threads>();
  }

  /// χ_t of a vertex of the graph.
  __device__ float weight(int v, int t) const {
    return set_.weights[(first_ + v) * static_cast<std::uint32_t>(set_.vertex_term_count) + t];
  }

  /// The sum of `mine` over all threads of the calling thread's column.
  __device__ float over_rows(float mine) {
    block_barrier<basis_threads>();
    leave_for_column(mine);
    block_barrier<basis_threads>();
    return left_for_column(column());
  }
  /// Leaves a number of each thread for sums over columns, once for the two threads of a column that a warp has. No barrier.
  __device__ void leave_for_column(float mine) {
    mine += __shfl_xor_sync(0xFFFFFFFFU, mine, basis_size);
    if (thread() % 32 < basis_size) sums_[thread() / 32 * basis_size + column()] = mine;
  }
  __device__ float left_for_column(int s) const {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < basis_threads / 32; ++warp) sum += sums_[warp * basis_size + s];
    return sum;
  }

  /// Modified Gram–Schmidt: each column in turn is removed from all later ones. A linearly dependent column becomes 0.
  __device__ void orthonormalize() {
    const int s = column();
    float before = 0;
    for (int v = row(); v < n_; v += basis_size) before += y_[v * basis_size + s] * y_[v * basis_size + s];
    before = over_rows(before);
    if (row() == 0) squares_[s] = before;
    block_barrier<basis_threads>();
    float scale = 0;
    for (int c = 0; c < basis_size; ++c) {
      float product = 0;
      for (int v = row(); v < n_; v += basis_size) product += y_[v * basis_size + c] * y_[v * basis_size + s];
      leave_for_column(product);
      block_barrier<basis_threads>();
      const float square = left_for_column(c);
      const float inverse = square > least_left * squares_[c] ? 1 / square : 0.0F;
      if (s == c) scale = sqrtf(inverse);
      if (s > c) {
        const float part = left_for_column(s) * inverse;
        for (int v = row(); v < n_; v += basis_size) y_[v * basis_size + s] -= part * y_[v * basis_size + c];
      }
      block_barrier<basis_threads>();
    }
    for (int v = row(); v < n_; v += basis_size) y_[v * basis_size + s] *= scale;
    block_barrier<basis_threads>();
  }

  /// F = (Σ d)^1/2 D^-1/2 Y, written over Y, and as tiles of halves to the set.
  __device__ void keep_basis() {
    float mine = 0;
    for (int v = thread(); v < n_; v += basis_threads) mine += root_[v] * root_[v];
    float all = over_rows(mine);
    block_barrier<basis_threads>();
    sums_[thread()] = all;
    block_barrier<basis_threads>();
    all = 0;
    for (int s = 0; s < basis_size; ++s) all += sums_[s];
    inverse_volume_ = 1 / all;
    const float scale = sqrtf(all);
    auto* const numbers = reinterpret_cast<std::uint16_t*>(set_.basis + set_.tile_begin[graph_] * 2 * words_a_tile);
    const int s = column();
    for (int v = row(); v < (n_ + basis_size - 1) / basis_size * basis_size; v += basis_size) {
      const float value = v < n_ ? scale * y_[v * basis_size + s] / root_[v] : 0.0F;
      const std::uint16_t high = half_bits(value);
      std::uint16_t* const tiles = numbers + v / basis_size * int(4 * words_a_tile) + number_in_tile(v % basis_size, s);
      tiles[0] = high;
      tiles[2 * words_a_tile] = half_bits(value - half_value(high));
      if (v < n_) y_[v * basis_size + s] = value;
    }
    block_barrier<basis_threads>();
  }

  __device__ void project() {
    const int s = column();
    for (int t = 0; t < set_.vertex_term_count; t += basis_terms) {
      const int count = min(basis_terms, set_.vertex_term_count - t);
      for (int v = row(); v < n_; v += basis_size) {
        const float whole = root_[v] * root_[v] * y_[v * basis_size + s];
        const float* const shares =
            set_.vertex_terms + static_cast<std::uint32_t>(t) * set_.id_count + set_.ids[first_ + v];
        for (int e = 0; e < count; ++e) {
          z_[(e * n_ + v) * basis_size + s] = whole * shares[static_cast<std::uint32_t>(e) * set_.id_count];
        }
      }
      keep_projections(t, count);
    }
    project_edges();
    for (int t = 0; t < set_.rights(); ++t) {
      float right = 0;
      for (int v = row(); v < n_; v += basis_size) {
        const float share = set_.weighted() ? weight(v, t) : 1.0F;
        right += y_[v * basis_size + s] * share * set_.right[first_ + v];
      }
      right = over_rows(right);
      const std::size_t number = std::size_t{graph_} * static_cast<std::size_t>(set_.rights()) + t;
      if (row() == 0) set_.right_projections[number * basis_size + s] = inverse_volume_ * right;
    }
  }

  /// The projections of the edges' terms on F or, if F is weighted by χ, of A ⊙ φ_k on χ_s ∘ F from the left and χ_t ∘ F from the right, for
  /// all s and t.
  __device__ void project_edges() {
    const int all = (set_.weighted() ? set_.vertex_term_count : 1) * set_.rank;
    for (int first = 0; first < all; first += basis_terms) {
      const int count = min(basis_terms, all - first);
      for (int v = row(); v < n_; v += basis_size) {
        float sums[basis_terms] = {};
        if (set_.weighted()) {
          edge_products<true>(first, count, v, sums);
        } else {
          edge_products<false>(first, count, v, sums);
        }
#pragma unroll
        for (int e = 0; e < basis_terms; ++e) z_[(e * n_ + v) * basis_size + column()] = sums[e];
      }
      if (set_.weighted()) {
        keep_weighted(first, count);
      } else {
        keep_projections(set_.vertex_term_count + first, count);
      }
    }
  }

  /// Writes Fᵀ Z of the `count` matrices in Z as the projections of terms `term`, `term` + 1, …
  __device__ void keep_projections(int term, int count) {
    block_barrier<basis_threads>();
    keep_sums(
        count, [&](int v) { return y_[v * basis_size + row()]; },
        [&](int v, int e) { return z_[(e * n_ + v) * basis_size + column()]; }, [&](int e) { return term + e; });
    block_barrier<basis_threads>();
  }

  /// Writes (χ_s ∘ F)ᵀ Z for all s as projections. Matrix e in Z is that of t and k with t rank + k = `first` + e.
  __device__ void keep_weighted(int first, int count) {
    block_barrier<basis_threads>();
    const int terms = set_.vertex_term_count;
    for (int e = 0; e < count; ++e) {
      const int t = (first + e) / set_.rank;
      const int k = (first + e) % set_.rank;
      for (int begin = 0; begin < terms; begin += basis_terms) {
        keep_sums(
            terms - begin, [&](int v) { return y_[v * basis_size + row()] * z_[(e * n_ + v) * basis_size + column()]; },
            [&](int v, int s) { return weight(v, begin + s); },
            [&](int s) { return terms + (t * terms + begin + s) * set_.rank + k; });
      }
    }
    block_barrier<basis_threads>();
  }

  /// Keeps Σ_v common(v) each(v, k) as the projection of term number term_of(k), for k < `count`, but for `basis_terms` at most.
  template <class Common, class Each, class TermOf>
  __device__ void keep_sums(int count, const Common& common, const Each& each, const TermOf& term_of) const {
    float sums[basis_terms] = {};
#pragma unroll 2
    for (int v = 0; v < n_; ++v) {
      const float of_all = common(v);
#pragma unroll
      for (int k = 0; k < basis_terms; ++k) {
        if (k < count) sums[k] += each(v, k) * of_all;
      }
    }
#pragma unroll
    for (int k = 0; k < basis_terms; ++k) {
      if (k < count) keep_projection(term_of(k), sums[k]);
    }
  }

  /// Writes the thread's number of a term's projection.
  __device__ void keep_projection(int term, float sum) const {
    const std::size_t number = std::size_t{graph_} * static_cast<std::size_t>(set_.terms()) + term;
    auto* const tiles = reinterpret_cast<std::uint16_t*>(set_.projections + number * 2 * words_a_tile);
    const float value = inverse_volume_ * sum;
    const std::uint16_t high = half_bits(value);
    std::uint16_t* const place = tiles + number_in_tile(row(), column());
    place[0] = high;
    place[2 * words_a_tile] = half_bits(value - half_value(high));
  }

  /// The elements in row v and the thread's column of (A ⊙ φ_k) F or, if weighted, of (A ⊙ φ_k) (χ_t ∘ F), for `count` numbers t rank + k from
  /// `first` on.
  template <bool Weighted>
  __device__ void edge_products(int first, int count, int v, float (&sums)[basis_terms]) const {
    const std::uint32_t end = set_.row_begin[first_ + v + 1];
#pragma unroll 4
    for (std::uint32_t e = set_.row_begin[first_ + v]; e < end; ++e) {
      const float* const factors = set_.edge_terms + set_.records[e] * static_cast<std::uint32_t>(set_.rank);
      const auto to = static_cast<int>(set_.columns[e]);
      const float weighted = set_.edge_weights[e] * y_[to * basis_size + column()];
#pragma unroll
      for (int f = 0; f < basis_terms; ++f) {
        if (f >= count) continue;
        const int number = first + f;
        if constexpr (Weighted) {
          sums[f] += factors[number % set_.rank] * weight(to, number / set_.rank) * weighted;
        } else {
          sums[f] += factors[number] * weighted;
        }
      }
    }
  }

  /// A column whose square falls below this part of the original is rounding.
  static constexpr float least_left = 1e-9F;

  const ProjectionView& set_;
  std::uint32_t graph_;
  const double* x_;
  std::uint32_t first_;
  int n_;
  float* y_;  ///< n × 16
  float* z_;  ///< `basis_terms` matrices n × 16
  float* root_;
  float* sums_;     ///< one a thread, or one a column and warp
  float* squares_;  ///< of the columns, before the earlier ones are removed from them
  float inverse_volume_ = 0;
};

inline __global__ void __launch_bounds__(basis_threads)
    form_basis(const ProjectionView set, const std::uint32_t* graphs, const double* snapshots,
               const std::size_t* snapshot_begin) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::uint32_t graph = graphs[blockIdx.x];
  BasisFormer(set, graph, snapshots + snapshot_begin[graph], reinterpret_cast<float*>(memory)).run();
}

}  // namespace octile::cuda
