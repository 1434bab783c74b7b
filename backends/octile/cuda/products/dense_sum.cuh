// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/distributed_vectors.cuh>
#include <octile/cuda/iterate/intrinsics.cuh>
#include <octile/cuda/iterate/team.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/dense_shape.cuh>
#include <octile/cuda/products/product.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The product of an edge kernel with several factors, Y = Σ_k (A ⊙ φ_k) P (A' ⊙ φ_k)ᵀ, factor after factor as `DenseProduct`
/// does it. All matrices are sums of two halves; the products of low parts with each other are left out, and of factors that
/// contribute little all low parts. A factor's matrices are written where the set has edges, while those of the one before
/// it are multiplied, from values that were asked for before; zeros stay where they are from factor to factor.
///
///     warps w and w + Tiles     16 rows of A, T and Y; the even and the odd tiles of T, for both halves of Y's columns:
///                               they add up at the end, and each keeps one half
///
///     │ A ⊙ φ high │ low │ A' ⊙ φ high │ low │      twice: k even, k odd
///
/// Factors come divided by a power of two, so that the largest is between 1/2 and 1, and T is multiplied by its square.
template <int Tiles_, class Set>
struct DenseSumProduct : DenseShape<Tiles_> {
  using Shape = DenseShape<Tiles_>;
  using Shape::columns, Shape::lane, Shape::numbers, Shape::pitch, Shape::rows, Shape::tile, Shape::Tiles;
  static constexpr int threads = 64 * Tiles;
  static constexpr int places = 4 * Tiles;
  static constexpr int blocks = Tiles > 4 ? 1 : Tiles > 2 ? 2 : 4;  ///< a multiprocessor
  static_assert(Tiles % 2 == 0, "a warp keeps half of the tiles");
  using Labels = DenseLabels<columns>;
  using Reader = DenseReader<columns>;
  using Direction = InHalves<numbers>;
  static constexpr bool starts = true;
  using Solution = ThreadGlobal<threads, places>;
  using Residual = ThreadGlobal<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = numbers;
  static constexpr std::size_t z_floats = 0;

  static constexpr ProductMemory memory() { return {ProductMemory::Form::fixed, 2 * bytes_a_factor, 0}; }

  double first_scale;
  double second_scale;

  /// The matrices are at `kept`: a barrier of the block has to follow.
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

  /// y ← N p, exact to what `slack` allows. Barriers inside, and none before or behind. While a factor is multiplied, the
  /// next one is written to the other matrices; behind the last comes the first, for the next product.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    const float allowed = fminf(sqrtf(slack), most_allowed);
    // What one half loses, 2^-12 about, of a factor whose products are at most as large as its level says.
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
      turn ^= 1;
      if (next == 0) break;
      k = next;
    }
    // Two warps have both halves of the same rows in part: each gives one away. What passes between them passes through
    // the matrices that wait for a factor, which then are zeros there again.
    auto* const passed = reinterpret_cast<float*>(matrices + (turn ^ 1) * bytes_a_factor);
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

  /// Where the thread's element of a place is, as i and i'.
  __device__ __forceinline__ static DistributedSlot slot(int place) {
    const int i = 16 * row_of_tiles() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * Tiles * group() + 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  static constexpr std::size_t bytes_a_factor = 4 * Shape::bytes_a_matrix;
  /// Near the end too an eighth of the product has to be there, or the search goes astray: factors' levels are halves.
  static constexpr float most_allowed = 0.0625F;
  /// What single precision loses anyway, and the level of which one half loses less than that, whatever it rounds.
  static constexpr float lost_anyway = 1e-7F;
  static constexpr float least_exact = 2e-5F;
  static_assert(sizeof(float) * places * threads <= bytes_a_factor);

  __device__ static int row_of_tiles() { return static_cast<int>(threadIdx.x) / 32 % Tiles; }
  __device__ static int group() { return static_cast<int>(threadIdx.x) / (32 * Tiles); }
  __device__ static float at(const float (&sums)[Tiles][2][4], int tile, int place) {
    return sums[tile][place / 4 % 2][place % 4];
  }

  /// A factor to be written, with its low parts or without.
  struct Next {
    int k;
    bool both;
  };
  /// An element of G and one of G' on their way to the matrices, with their places there.
  struct Fetched {
    std::uint32_t spots[2] = {nowhere, nowhere};
    std::uint32_t words[2] = {};
  };
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  /// Of factor k: the first are at hand.
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

  /// sums += T (A' ⊙ φ_k)ᵀ for the warp's tiles of T = (A ⊙ φ_k) P: with the low parts, and sums that are rounded and not cut
  /// off (there are so many), or without; Exact, T's too. Between the tiles it writes `following`.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(int k, const Next& following, const Direction& p,
                                           float (&sums)[Tiles][2][4]) const {
    constexpr SharedAddress to_low = Shape::bytes_a_matrix;
    const float scale = factor_scale(k);
    unsigned char* const target = matrices + (turn ^ 1) * bytes_a_factor;
    const SharedAddress first = shared_address(matrices) + turn * SharedAddress(bytes_a_factor);
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
        // Spread over two sums: a product waits for the one before.
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
            // Not behind the others: nobody waits so long for a sum.
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
  std::uint32_t begins[2];  ///< of the spots of G and G'
  std::uint32_t counts[2];
  int rank;
  int m;
  unsigned char* matrices;
  float own_level;  ///< of the factor with the lane's number
  float own_scale;
  mutable int turn = 0;  ///< which matrices have the factor that comes next
};

}  // namespace octile::cuda
