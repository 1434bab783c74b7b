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
      multiply();
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

  /// Y ← D^1/2 x D^1/2 Y. A thread forms all of its rows at once, so that many loads are in flight.
  __device__ void multiply() {
    constexpr int rows = static_cast<int>(most_based) / basis_size;
    const int s = column();
    float sums[rows] = {};
#pragma unroll 2
    for (int j = 0; j < n_; ++j) {
      const float y = root_[j] * y_[j * basis_size + s];
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        const int v = row() + k * basis_size;
        if (v < n_) sums[k] += x(v, j) * y;
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

  /// x, without κv if x is weighted by it.
  __device__ float x(int v, int j) const {
    const auto value = static_cast<float>(x_[v * n_ + j]);
    if (!set_.weighted()) return value;
    return value * set_.reciprocals[set_.ids[first_ + v] * set_.id_count + set_.ids[first_ + j]];
  }
  /// χ_t of a vertex of the graph.
  __device__ float weight(int v, int t) const {
    return set_.weights[(first_ + v) * static_cast<std::uint32_t>(set_.vertex_term_count) + t];
  }

  /// The sum of `mine` over all threads of the calling thread's column.
  __device__ float over_rows(float mine) {
    block_barrier<basis_threads>();
    sums_[thread()] = mine;
    block_barrier<basis_threads>();
    float sum = 0;
#pragma unroll
    for (int part = 0; part < basis_size; ++part) sum += sums_[part * basis_size + column()];
    return sum;
  }

  /// Modified Gram–Schmidt: each column in turn is removed from all later ones. A linearly dependent column becomes 0.
  __device__ void orthonormalize() {
    const int s = column();
    float before = 0;
    for (int v = row(); v < n_; v += basis_size) before += y_[v * basis_size + s] * y_[v * basis_size + s];
    before = over_rows(before);
    float scale = 0;
    for (int c = 0; c < basis_size; ++c) {
      float product = 0;
      for (int v = row(); v < n_; v += basis_size) product += y_[v * basis_size + c] * y_[v * basis_size + s];
      product = over_rows(product);
      if (row() == 0 && s == c) squares_[c % 2] = product > least_left * before ? 1 / product : 0.0F;
      block_barrier<basis_threads>();
      const float inverse = squares_[c % 2];
      if (s == c) scale = sqrtf(inverse);
      if (s > c) {
        const float part = product * inverse;
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
    for (int t = 0; t < set_.vertex_term_count; ++t) {
      for (int v = row(); v < n_; v += basis_size) {
        const float share = set_.vertex_terms[static_cast<std::uint32_t>(t) * set_.id_count + set_.ids[first_ + v]];
        z_[v * basis_size + s] = root_[v] * root_[v] * share * y_[v * basis_size + s];
      }
      keep_projections(t, 1);
    }
    if (!set_.weighted()) {
      project_edges(-1);
    } else {
      for (int t = 0; t < set_.vertex_term_count; ++t) project_edges(t);
    }
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

  /// The projections of the edges' terms on F or, if F is weighted by χ_t, on all χ_s ∘ F from the left.
  __device__ void project_edges(int t) {
    const int s = column();
    for (int k = 0; k < set_.rank; k += basis_terms) {
      const int count = min(basis_terms, set_.rank - k);
      for (int v = row(); v < n_; v += basis_size) {
        float sums[basis_terms] = {};
        edge_products(k, count, v, t, sums);
#pragma unroll
        for (int e = 0; e < basis_terms; ++e) z_[(e * n_ + v) * basis_size + s] = sums[e];
      }
      if (t < 0) {
        keep_projections(set_.vertex_term_count + k, count);
      } else {
        for (int from = 0; from < set_.vertex_term_count; ++from) {
          const int before = (t * set_.vertex_term_count + from) * set_.rank;
          keep_projections(set_.vertex_term_count + before + k, count, from);
        }
      }
    }
  }

  /// Writes Fᵀ Z of the `count` matrices in Z, or (χ ∘ F)ᵀ Z for χ number `weighted`, as the projections of terms `term`, `term` + 1, …
  __device__ void keep_projections(int term, int count, int weighted = -1) {
    block_barrier<basis_threads>();
    auto* const tiles = reinterpret_cast<std::uint16_t*>(
        set_.projections + std::size_t{graph_} * static_cast<std::size_t>(set_.terms()) * 2 * words_a_tile);
    for (int t = 0; t < count; ++t) {
      float sum = 0;
#pragma unroll 4
      for (int v = 0; v < n_; ++v) {
        const float share = weighted < 0 ? 1.0F : weight(v, weighted);
        sum += y_[v * basis_size + row()] * share * z_[(t * n_ + v) * basis_size + column()];
      }
      const float value = inverse_volume_ * sum;
      const std::uint16_t high = half_bits(value);
      std::uint16_t* const place = tiles + (term + t) * int(4 * words_a_tile) + number_in_tile(row(), column());
      place[0] = high;
      place[2 * words_a_tile] = half_bits(value - half_value(high));
    }
    block_barrier<basis_threads>();
  }

  /// The elements in row v and the thread's column of (A ⊙ φ) F, or of (A ⊙ φ) (χ_t ∘ F) for t ≥ 0, for `count` factors from k on.
  __device__ void edge_products(int k, int count, int v, int t, float (&sums)[basis_terms]) const {
    const std::uint32_t end = set_.row_begin[first_ + v + 1];
#pragma unroll 4
    for (std::uint32_t e = set_.row_begin[first_ + v]; e < end; ++e) {
      const float* const factors = set_.edge_terms + set_.records[e] * static_cast<std::uint32_t>(set_.rank) + k;
      const auto to = static_cast<int>(set_.columns[e]);
      const float share = t < 0 ? 1.0F : weight(to, t);
      const float weighted = set_.edge_weights[e] * share * y_[to * basis_size + column()];
#pragma unroll
      for (int f = 0; f < basis_terms; ++f) {
        if (f < count) sums[f] += factors[f] * weighted;
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
  float* sums_;     ///< one a thread
  float* squares_;  ///< double-buffered: the reciprocal of a column's square after removing the earlier columns
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
