// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/dense_shape.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The product of an edge kernel with several factors, Y = Σ_k (A ⊙ φ_k) P (A' ⊙ φ_k)ᵀ, each factor as in
/// `DenseProduct`. All matrices are sums of two halves. Products of two low parts are left out, and so are all low
/// parts of factors that contribute little. While one factor is multiplied, the matrices of the next are written: at
/// the edges only, from values that were loaded earlier. Zeros stay in place from factor to factor.
///
///     warps w and w + Tiles     share 16 rows of A, T and Y. One forms the even tiles of T, the other the odd ones, each for
///                               all columns of Y; at the end they exchange and each keeps the sums of half the columns
///
///     │ A ⊙ φ high │ low │ A' ⊙ φ high │ low │      double-buffered, for the current factor and the next
///
/// Factors are stored divided by a power of two, so that the largest is between 1/2 and 1. T is multiplied by its square.
template <int Tiles_, class Set>
struct DenseSumProduct : DenseShape<Tiles_> {
  using Shape = DenseShape<Tiles_>;
  using Shape::columns, Shape::lane, Shape::numbers, Shape::pitch, Shape::rows, Shape::tile, Shape::Tiles;
  static constexpr int threads = 64 * Tiles;
  static constexpr int places = 4 * Tiles;
  static constexpr int blocks = Tiles > 4 ? 1 : Tiles > 2 ? 2 : 4;  ///< on a multiprocessor
  static_assert(Tiles % 2 == 0, "a warp keeps half of the tiles");
  using Labels = DenseLabels<columns>;
  using Reader = DenseReader<columns>;
  using Direction = InHalves<numbers>;
  static constexpr bool starts = true;
  static constexpr double counted_with_start = 1.0 / 1024;
  using Solution = ThreadGlobal<threads, places>;
  using Residual = ThreadGlobal<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = numbers;
  static constexpr std::size_t z_floats = 0;
  static constexpr bool sees_apart = false;

  static constexpr ProductMemory memory() { return {ProductMemory::Form::fixed, 2 * bytes_a_factor, 0}; }

  double first_scale;
  double second_scale;

  /// Writes the first factor's matrices to `kept`. A barrier of the block must follow.
  template <class EdgeKernel, class System>
  __device__ DenseSumProduct(const Set& set, const EdgeKernel&, const System& system, float*, unsigned char* kept)
      : first_scale(set.spot_scale(system.first_graph)),
        second_scale(set.spot_scale(system.second_graph) * set.factor_scale),
        set_(set),
        begins{set.spot_begin(system.first_graph), set.spot_begin(system.second_graph)},
        counts{set.spot_begin(system.first_graph + 1) - begins[0], set.spot_begin(system.second_graph + 1) - begins[1]},
        rank(static_cast<int>(set.factor_levels.extent(0))),
        m(system.m),
        matrices(kept),
        own_level(Shape::lane() < rank ? set.factor_levels(Shape::lane()) : 0),
        own_scale(Shape::lane() < rank ? set.factor_scales(Shape::lane()) : 0) {
    Shape::clear(kept, 8);
    block_barrier<threads>();
    if (rank == 0) return;
    for (std::uint32_t from = threadIdx.x; from < most(); from += threads) store(fetch(from, 0), matrices, true);
  }

  /// y ← N p, as exact as `slack` demands. Has barriers inside, none before or after. While a factor is multiplied, the
  /// next is written to the other buffer. After the last factor comes the first one, for the next product.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    const float allowed = fminf(sqrtf(slack), most_allowed);
    // Whether factor k needs its low parts: without them it loses about 2^-12 of its contribution, which `level(k)` bounds.
    const auto both = [&](int k) {
      return k == 0 || (slack == 0 ? level(k) > least_exact : level(k) * 0x1p-12F > fmaxf(allowed, lost_anyway));
    };
    const auto needed = [&](int k) { return k < rank && (slack == 0 || level(k) > allowed); };
    float sums[Tiles][2][4] = {};
    for (int k = 0; needed(k);) {
      const int next = needed(k + 1) ? k + 1 : 0;
      const Next following{next, both(next)};
      if (both(k)) {
        slack == 0 ? multiply<true, true>(k, following, p, sums) : multiply<true, false>(k, following, p, sums);
      } else {
        slack == 0 ? multiply<false, true>(k, following, p, sums) : multiply<false, false>(k, following, p, sums);
      }
      block_barrier<threads>();
      buffer ^= 1;
      if (next == 0) break;
      k = next;
    }
    // Two warps have partial sums of the same rows, for all columns. Each passes one half of the columns to the other,
    // through the buffer that awaits the next factor, and clears what it read there.
    auto* const passed = reinterpret_cast<float*>(matrices + (buffer ^ 1) * bytes_a_factor);
    const int other = static_cast<int>(threadIdx.x) + (group() == 0 ? 1 : -1) * (threads / 2);
#pragma unroll
    for (int place = 0; place < places; ++place) {
      const int half = place / 8;
      const float away = group() == 0 ? at(sums, half + Tiles / 2, place) : at(sums, half, place);
      passed[place * threads + other] = away;
    }
    block_barrier<threads>();
#pragma unroll
    for (int place = 0; place < places; ++place) {
      const int half = place / 8;
      const float own = group() == 0 ? at(sums, half, place) : at(sums, half + Tiles / 2, place);
      float& rest = passed[place * threads + static_cast<int>(threadIdx.x)];
      y.values[place] = own + rest;
      rest = 0;
    }
  }

  /// The thread's element number `place`.
  __device__ __forceinline__ static DistributedSlot slot(int place) {
    const int i = 16 * row_of_tiles() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * Tiles * group() + 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  static constexpr std::size_t bytes_a_factor = 4 * Shape::bytes_a_matrix;
  /// At most an eighth of the product is ever left out, or CG does not converge. (Levels are errors divided by 2.)
  static constexpr float most_allowed = 0.0625F;
  /// The error of single precision itself, and the level below which even an exact product (slack 0) leaves out low parts.
  static constexpr float lost_anyway = 1e-7F;
  static constexpr float least_exact = 2e-5F;
  static_assert(sizeof(float) * places * threads <= bytes_a_factor);

  __device__ static int row_of_tiles() { return static_cast<int>(threadIdx.x) / 32 % Tiles; }
  __device__ static int group() { return static_cast<int>(threadIdx.x) / (32 * Tiles); }
  __device__ static float at(const float (&sums)[Tiles][2][4], int tile, int place) {
    return sums[tile][place / 4 % 2][place % 4];
  }

  /// The factor whose matrices are to be written, with its low parts (`both`) or without.
  struct Next {
    int k;
    bool both;
  };
  /// An element of G and one of G', loaded but not yet written to the matrices, with their positions there.
  struct Fetched {
    std::uint32_t spots[2] = {nowhere, nowhere};
    std::uint32_t words[2] = {};
  };
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  /// The level of factor k. The warp's lanes hold those of the first 32 factors.
  __device__ float level(int k) const {
    return k < 32 ? __shfl_sync(0xFFFFFFFFU, own_level, k) : set_.factor_levels(k);
  }
  __device__ float factor_scale(int k) const {
    return k < 32 ? __shfl_sync(0xFFFFFFFFU, own_scale, k) : set_.factor_scales(k);
  }

  __device__ std::uint32_t most() const { return max(counts[0], counts[1]); }

  __device__ __forceinline__ Fetched fetch(std::uint32_t element, int k) const {
    Fetched fetched;
#pragma unroll
    for (int graph = 0; graph < 2; ++graph) {
      if (element < counts[graph]) {
        const std::size_t number = begins[graph] + element;
        fetched.spots[graph] = load_here(set_.spots.data() + number);
        fetched.words[graph] = load_here(set_.spot_words.data() + k * set_.spots.extent(0) + number);
      }
    }
    return fetched;
  }
  __device__ __forceinline__ static void store(const Fetched& fetched, unsigned char* place, bool both) {
#pragma unroll
    for (int graph = 0; graph < 2; ++graph) {
      if (fetched.spots[graph] == nowhere) continue;
      auto* const high = reinterpret_cast<std::uint16_t*>(place) + 2 * graph * numbers +
                         (fetched.spots[graph] & 0xFFFF) * pitch + (fetched.spots[graph] >> 16);
      high[0] = static_cast<std::uint16_t>(fetched.words[graph]);
      if (both) high[numbers] = static_cast<std::uint16_t>(fetched.words[graph] >> 16);
    }
  }

  /// sums += T (A' ⊙ φ_k)ᵀ for the warp's tiles of T = (A ⊙ φ_k) P. Both: with low parts, and with sums of Y that are rounded, not
  /// truncated, since so many terms are added. Exact: the sums of T too. Between tiles it writes the matrices of `following`.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(int k, const Next& following, const Direction& p,
                                           float (&sums)[Tiles][2][4]) const {
    constexpr SharedAddress to_low = Shape::bytes_a_matrix;
    const float scale = factor_scale(k);
    unsigned char* const target = matrices + (buffer ^ 1) * bytes_a_factor;
    const SharedAddress first = shared_address(matrices) + buffer * SharedAddress(bytes_a_factor);
    std::uint32_t next_element = threadIdx.x;
    std::uint32_t high[Tiles][4];
    std::uint32_t low[Tiles][4];
#pragma unroll
    for (int c = 0; c < Tiles; ++c) {
      load_matrices(first + Shape::down_first() + tile(row_of_tiles(), c), high[c]);
      if constexpr (Both) load_matrices(first + Shape::down_first() + to_low + tile(row_of_tiles(), c), low[c]);
    }
    const SharedAddress from = shared_address(p.high()) + Shape::down_first();
    const SharedAddress from_second = first + 2 * to_low + Shape::right_first();
#pragma unroll 1
    for (int block = group(); 16 * block < m; block += 2) {
      const Fetched fetched = fetch(next_element, following.k);
      next_element += threads;
      float t[2][4] = {};
      float lesser[2][4] = {};
      std::uint32_t words[4];
#pragma unroll
      for (int c = 0; c < Tiles; ++c) {
        load_transposed(from + tile(c, block), words);
        // Successive products into one sum wait for each other, so they alternate between two sums.
        Shape::template add<Exact>(Both || c % 2 == 0 ? t : lesser, high[c], words);
        if constexpr (Both) {
          Shape::template add<false>(lesser, low[c], words);
          load_transposed(from + to_low + tile(c, block), words);
          Shape::template add<false>(!Exact && c % 2 == 0 ? t : lesser, high[c], words);
        }
      }
      const SplitTile split(t, lesser, scale);
      store(fetched, target, following.both);
#pragma unroll
      for (int c = 0; c < Tiles; ++c) {
        std::uint32_t lows[4];
        load_matrices(from_second + tile(c, block), words);
        if constexpr (Both) load_matrices(from_second + to_low + tile(c, block), lows);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Piece<Both || Exact> piece(sums[c][half]);
          multiply_add(piece.sum, split.high, words[2 * half], words[2 * half + 1]);
          if constexpr (Both) {
            // A separate sum, so that these products need not wait for the one above.
            float rest[4] = {};
            multiply_add(rest, split.low, words[2 * half], words[2 * half + 1]);
            multiply_add(rest, split.high, lows[2 * half], lows[2 * half + 1]);
#pragma unroll
            for (int e = 0; e < 4; ++e) piece.sum[e] += rest[e];
          }
          piece.add();
        }
      }
    }
    for (; next_element < most(); next_element += threads) {
      store(fetch(next_element, following.k), target, following.both);
    }
  }

  const Set& set_;
  std::uint32_t begins[2];  ///< where the spots of G and of G' begin
  std::uint32_t counts[2];
  int rank;
  int m;
  unsigned char* matrices;
  float own_level;  ///< level of the factor whose number is the lane's
  float own_scale;
  mutable int buffer = 0;  ///< double-buffer index: the matrices of the factor to be multiplied next
};

}  // namespace octile::cuda
