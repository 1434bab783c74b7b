// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/intrinsics.cuh>
#include <octile/cuda/products/product.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/octile_set.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

// A start for CG from projected systems. Each graph has a basis of few vectors, F; where x = F C F'ᵀ, the residual of a pair is
// orthogonal to all f f'ᵀ if
//
//     Σ_t σ_t B_t C B'_t = (Fᵀ d) (F'ᵀ d')ᵀ,        B_t = Fᵀ (D ⊙ χ_t) F, or Fᵀ (A ⊙ φ_k) F with σ = −1
//
// a system of 16 × 16 unknowns (`ProjectionTerms`). F is what the pair of a graph with itself says: the leading eigenvectors of
// D^1/2 x D^1/2, of a rough solution x.
//
//     pairs (G, G), roughly ─► x ─► form_basis ─► F, B_t, Fᵀ d, a graph a block
//                                        │
//     pairs ────────────────────────► solve_projected ─► C, a pair a warp ─► ProjectedStart in the pair's CG
//
// It is a guess, and nothing rests on it but how far the first residual is from 0. So B_t and the systems' vectors are halves; F and C
// are sums of two, since what rounding leaves in x⁰ is noise, which CG takes longest to get rid of.
namespace octile::cuda {

/// F, its projections and Fᵀ d of a graph a block, graphs[b], from x at snapshots + snapshot_begin[graph].
class BasisFormer {
 public:
  __device__ BasisFormer(const ProjectionView& set, std::uint32_t graph, const float* x, float* place)
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
  /// A thread's column, and the first of its rows, from which it takes every 16th.
  __device__ static int column() { return thread() % basis_size; }
  __device__ static int row() { return thread() / basis_size; }

  /// The constant vector, and noise.
  __device__ float first_guess(int v, int s) const {
    if (s == 0) return root_[v];
    const std::uint32_t mixed = (static_cast<std::uint32_t>(v * basis_size + s) * 2654435761U) ^ 0x9E3779B9U;
    const std::uint32_t bits = (mixed ^ (mixed >> 15)) * 2246822519U;
    return static_cast<float>((bits >> 8) & 0xFFFF) * 0x1p-15F - 1.0F;
  }

  /// Y ← D^1/2 x D^1/2 Y: a thread's rows at once, so that many loads are on their way.
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
        if (v < n_) sums[k] += x_[v * n_ + j] * y;
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

  /// Σ over rows, of each thread's column: what its threads bring.
  __device__ float over_rows(float mine) {
    block_barrier<basis_threads>();
    sums_[thread()] = mine;
    block_barrier<basis_threads>();
    float sum = 0;
#pragma unroll
    for (int part = 0; part < basis_size; ++part) sum += sums_[part * basis_size + column()];
    return sum;
  }

  /// Columns of Y by Gram and Schmidt, one after the other out of all behind it. What is left of one that the others have is 0.
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

  /// F = (Σ d)^1/2 D^-1/2 Y, rounded, in Y's place and in tiles.
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
    for (int k = 0; k < set_.rank; k += basis_terms) {
      const int count = min(basis_terms, set_.rank - k);
      for (int v = row(); v < n_; v += basis_size) {
        float sums[basis_terms] = {};
        edge_products(k, count, v, sums);
#pragma unroll
        for (int t = 0; t < basis_terms; ++t) z_[(t * n_ + v) * basis_size + s] = sums[t];
      }
      keep_projections(set_.vertex_term_count + k, count);
    }
    float stop = 0;
    for (int v = row(); v < n_; v += basis_size) stop += y_[v * basis_size + s] * (root_[v] * root_[v]);
    stop = over_rows(stop);
    if (row() == 0) set_.stops[std::size_t{graph_} * basis_size + s] = inverse_volume_ * stop;
  }

  /// Fᵀ Z of so many matrices in Z, which are those of terms from number `term` on.
  __device__ void keep_projections(int term, int count) {
    block_barrier<basis_threads>();
    auto* const tiles = reinterpret_cast<std::uint16_t*>(
        set_.projections + std::size_t{graph_} * static_cast<std::size_t>(set_.terms()) * words_a_tile);
    for (int t = 0; t < count; ++t) {
      float sum = 0;
#pragma unroll 4
      for (int v = 0; v < n_; ++v) sum += y_[v * basis_size + row()] * z_[(t * n_ + v) * basis_size + column()];
      tiles[(term + t) * int(2 * words_a_tile) + number_in_tile(row(), column())] = half_bits(inverse_volume_ * sum);
    }
    block_barrier<basis_threads>();
  }

  /// Of (A ⊙ φ_k) F, for so many factors from k on.
  __device__ void edge_products(int k, int count, int v, float (&sums)[basis_terms]) const {
    const std::uint32_t end = set_.row_begin[first_ + v + 1];
#pragma unroll 4
    for (std::uint32_t e = set_.row_begin[first_ + v]; e < end; ++e) {
      const float* const factors = set_.edge_terms + set_.records[e] * static_cast<std::uint32_t>(set_.rank) + k;
      const float weighted = set_.weights[e] * y_[set_.columns[e] * basis_size + column()];
#pragma unroll
      for (int t = 0; t < basis_terms; ++t) {
        if (t < count) sums[t] += factors[t] * weighted;
      }
    }
  }

  /// Of a column's square, below which what is left of it is rounding.
  static constexpr float least_left = 1e-9F;

  const ProjectionView& set_;
  std::uint32_t graph_;
  const float* x_;
  std::uint32_t first_;
  int n_;
  float* y_;  ///< n × 16
  float* z_;  ///< n × 16, of `basis_terms`
  float* root_;
  float* sums_;     ///< a thread each
  float* squares_;  ///< two in turn: the reciprocal of what is left of a column's square
  float inverse_volume_ = 0;
};

inline __global__ void __launch_bounds__(basis_threads)
    form_basis(const ProjectionView set, const std::uint32_t* graphs, const float* snapshots,
               const std::size_t* snapshot_begin) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::uint32_t graph = graphs[blockIdx.x];
  BasisFormer(set, graph, snapshots + snapshot_begin[graph], reinterpret_cast<float*>(memory)).run();
}

/// A tile's words of a lane: as A; of a symmetric matrix or a transpose, as B they are 0 and 2, then 1 and 3.
struct TileWords {
  std::uint32_t words[4];

  __device__ static TileWords load(const uint4* tile) {
    const uint4 four = __ldg(tile);
    return {{four.x, four.y, four.z, four.w}};
  }
};

/// 16 × 16 numbers that a warp has in `multiply_add`'s sums, and the same as its A.
struct WarpTile {
  float values[2][4] = {};

  /// values += A B, B as it is loaded transposed,
  __device__ void add(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[1]);
    multiply_add(values[1], a.words, b.words[2], b.words[3]);
  }
  /// and values += A Bᵀ.
  __device__ void add_transposed(const TileWords& a, const TileWords& b) {
    multiply_add(values[0], a.words, b.words[0], b.words[2]);
    multiply_add(values[1], a.words, b.words[1], b.words[3]);
  }
  __device__ float two(int word, int which) const { return values[word / 2][word % 2 * 2 + which]; }
  /// As A, rounded, and what that leaves.
  __device__ TileWords high() const {
    TileWords tile;
#pragma unroll
    for (int word = 0; word < 4; ++word) tile.words[word] = halves(two(word, 0), two(word, 1));
    return tile;
  }
  __device__ TileWords low(const TileWords& high) const {
    TileWords tile;
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      tile.words[word] = halves(two(word, 0) - low_half(high.words[word]), two(word, 1) - high_half(high.words[word]));
    }
    return tile;
  }
};

/// Of C, in fours of words.
inline constexpr std::size_t coefficients_a_pair = 2 * words_a_tile / 4;

/// Warps of a block that solves projected systems.
inline constexpr int projected_warps = 8;

/// C of a pair a warp, by plain CG, as words of `multiply_add`'s B: halves, and what they leave.
class ProjectedSolve {
 public:
  static constexpr int pitch = basis_size + 8;  ///< of halves: eight rows of 16 bytes are in different banks
  static constexpr std::size_t bytes = sizeof(std::uint16_t) * basis_size * pitch;

  /// `place` is the warp's, in shared memory.
  __device__ ProjectedSolve(const ProjectionView& set, Pair pair, unsigned char* place)
      : set_(set),
        first_(projections(set, pair.first)),
        second_(projections(set, pair.second)),
        words_(reinterpret_cast<std::uint32_t*>(place)),
        row_(shared_address(place) +
             SharedAddress(sizeof(std::uint16_t)) * SharedAddress(lane() % 16 * pitch + lane() / 16 * 8)) {
    const float* const stop = set.stops + static_cast<std::size_t>(pair.first) * basis_size;
    const float* const stop_second = set.stops + static_cast<std::size_t>(pair.second) * basis_size;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int row = lane() / 4 + 8 * (e / 2 % 2);
      const int column = 8 * (e / 4) + lane() % 4 * 2 + e % 2;
      r_.values[e / 4][e % 4] = stop[row] * stop_second[column];
    }
  }

  struct Coefficients {
    TileWords high;
    TileWords low;
  };

  __device__ Coefficients run() {
    constexpr int most_iterations = 24;
    constexpr float tolerance = 1e-3F;
    WarpTile c;
    WarpTile p = r_;
    const float first = dot(r_, r_);
    float rho = first;
    for (int iteration = 0; iteration < most_iterations && rho > tolerance * tolerance * first; ++iteration) {
      const WarpTile q = product(p);
      const float curvature = dot(p, q);
      if (!(curvature > 0)) break;
      const float alpha = rho / curvature;
      each([&](float& x, float& r, float direction, float image) { x += alpha * direction, r -= alpha * image; }, c, r_,
           p, q);
      const float next = dot(r_, r_);
      const float beta = next / rho;
      rho = next;
      each([&](float& direction, float&, float r, float) { direction = r + beta * direction; }, p, c, r_, q);
    }
    if (!(rho <= first)) c = {};  // NaN too
    const TileWords high = c.high();
    return {as_second(high), as_second(c.low(high))};
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static const uint4* projections(const ProjectionView& set, std::int32_t graph) {
    return reinterpret_cast<const uint4*>(set.projections) +
           static_cast<std::size_t>(graph) * static_cast<std::size_t>(set.terms()) * (words_a_tile / 4) + lane();
  }

  template <class Function>
  __device__ static void each(const Function& function, WarpTile& a, WarpTile& b, const WarpTile& c,
                              const WarpTile& d) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      function(a.values[e / 4][e % 4], b.values[e / 4][e % 4], c.values[e / 4][e % 4], d.values[e / 4][e % 4]);
    }
  }

  __device__ static float dot(const WarpTile& a, const WarpTile& b) {
    float sum = 0;
#pragma unroll
    for (int e = 0; e < 8; ++e) sum += a.values[e / 4][e % 4] * b.values[e / 4][e % 4];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    return sum;
  }

  /// A as B of a product, by way of shared memory.
  __device__ TileWords as_second(const TileWords& tile) {
    __syncwarp();
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      words_[(lane() / 4 + 8 * (word % 2)) * (pitch / 2) + 4 * (word / 2) + lane() % 4] = tile.words[word];
    }
    __syncwarp();
    TileWords second;
    load_transposed(row_, second.words);
    return second;
  }

  /// Σ_t σ_t B_t P B'_t.
  __device__ WarpTile product(const WarpTile& p) {
    const TileWords second = as_second(p.high());
    WarpTile all;
#pragma unroll 2
    for (int t = 0; t < set_.terms(); ++t) {
      const TileWords b = TileWords::load(second_ + t * int(words_a_tile / 4));
      WarpTile between;
      between.add(TileWords::load(first_ + t * int(words_a_tile / 4)), second);
      TileWords a = between.high();
      const std::uint32_t signs = t >= set_.vertex_term_count || set_.signs[t] < 0 ? 0x80008000U : 0;
      for (std::uint32_t& word : a.words) word ^= signs;
      all.add_transposed(a, b);
    }
    return all;
  }

  const ProjectionView& set_;
  const uint4* first_;
  const uint4* second_;
  std::uint32_t* words_;
  SharedAddress row_;
  WarpTile r_;
};

/// C of pairs[k] at coefficients[64 k + lane], and 32 behind what that leaves, of graphs that have bases.
inline __global__ void __launch_bounds__(32 * projected_warps)
    solve_projected(const __grid_constant__ ProjectionView set, const Pair* pairs, uint4* coefficients, int count) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int k = static_cast<int>(blockIdx.x) * projected_warps + warp;
  if (k >= count) return;
  const Pair pair = pairs[k];
  ProjectedSolve solve(set, pair, memory + static_cast<std::size_t>(warp) * ProjectedSolve::bytes);
  const ProjectedSolve::Coefficients c = solve.run();
  uint4* const place = coefficients + std::size_t(k) * coefficients_a_pair + threadIdx.x % 32;
  place[0] = {c.high.words[0], c.high.words[1], c.high.words[2], c.high.words[3]};
  place[32] = {c.low.words[0], c.low.words[1], c.low.words[2], c.low.words[3]};
}

/// Where CG may start: what a launch knows of it, null pointers where it starts at 0. All graphs of its pairs have bases.
struct Starts {
  const std::uint32_t* tile_begin;
  const uint4* basis;
  const uint4* coefficients;  ///< of the launch's first pair
};

/// x⁰ of one pair, for the block that solves it.
class ProjectedStart {
 public:
  __device__ ProjectedStart(const Starts& starts, Pair pair, int k) : starts_(starts), pair_(pair), k_(k) {}

  __device__ bool given() const { return starts_.coefficients != nullptr; }

  /// put(i, i', x, next x), of two columns side by side, for all elements once, by the whole block; those behind a graph's last
  /// vertex, up to 15, are 0. No barrier.
  template <class Put>
  __device__ __forceinline__ void fill(const Put& put) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint4* const place = starts_.coefficients + std::size_t(k_) * coefficients_a_pair + lane;
    const Split c{TileWords::load(place), TileWords::load(place + 32)};
    const Basis first = basis(pair_.first);
    const Basis second = basis(pair_.second);
    for (int row = static_cast<int>(threadIdx.x) / 32; row < first.tiles; row += static_cast<int>(blockDim.x) / 32) {
      const Split f = first.tile(row, lane);
      WarpTile sums;
      sums.add(f.low, c.high);
      sums.add(f.high, c.low);
      sums.add(f.high, c.high);
      const TileWords high = sums.high();
      const TileWords low = sums.low(high);
#pragma unroll 3
      for (int column = 0; column < second.tiles; ++column) {
        const Split g = second.tile(column, lane);
        WarpTile x;
        x.add_transposed(low, g.high);
        x.add_transposed(high, g.low);
        x.add_transposed(high, g.high);
#pragma unroll
        for (int word = 0; word < 4; ++word) {
          put(16 * row + lane / 4 + 8 * (word % 2), 16 * column + 8 * (word / 2) + lane % 4 * 2, x.two(word, 0),
              x.two(word, 1));
        }
      }
    }
  }

 private:
  /// A number in two halves.
  struct Split {
    TileWords high;
    TileWords low;
  };

  struct Basis {
    const uint4* place;
    int tiles;

    __device__ Split tile(int number, int lane) const {
      const uint4* const words = place + number * int(2 * words_a_tile / 4) + lane;
      return {TileWords::load(words), TileWords::load(words + words_a_tile / 4)};
    }
  };

  __device__ Basis basis(std::int32_t graph) const {
    const std::uint32_t begin = __ldg(starts_.tile_begin + graph);
    return {starts_.basis + begin * (2 * words_a_tile / 4),
            static_cast<int>(__ldg(starts_.tile_begin + graph + 1) - begin)};
  }

  const Starts& starts_;
  Pair pair_;
  int k_;
};

}  // namespace octile::cuda
