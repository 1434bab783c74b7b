// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/distributed_vertices.cuh>
#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/products/factored.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The layout of matrices with 32 Columns columns in shared memory, for `StripProduct`. The eight quads of 32 columns (128 bytes) of
/// a row are permuted by t, so that eight lanes that write a column, each four rows below the last, use different banks.
///
///     row v:  │ quad 0 ^ t │ 1 ^ t │ … │ 7 ^ t │ 8 + (0 ^ t) │ …         t = ⌊v / 4⌋ mod 8
///
template <int Columns>
struct RotatedRows {
  static constexpr int columns = 32 * Columns;

  /// The beginning of row v in quads. Its low three bits, which would be 0, have the row's t.
  __device__ static constexpr std::uint32_t row(std::uint32_t v) { return v * (8 * Columns) + v / 4 % 8; }
  /// The position of an element.
  __device__ static constexpr int element(int v, int column) {
    return v * columns + (column & ~31) + 4 * ((column / 4 % 8) ^ (v / 4 % 8)) + column % 4;
  }
};

/// Reads vertices for threads with quads of adjacent columns: the row's degree and id once a row, the columns' shares by fours.
template <int Columns>
class QuadReader {
 public:
  template <class Head>
  __device__ void begin(const Head&) {}
  template <class Head>
  __device__ float2 degree(const Head& head, const DistributedSlot& slot) {
    if (slot.place % a_row == 0) degree_ = head.second.degrees[slot.j];
    return degree_;
  }
  template <class Head>
  __device__ std::uint32_t label(const Head& head, const DistributedSlot& slot) {
    if (slot.place % a_row == 0) label_ = head.second.label[slot.j];
    return label_;
  }

  /// The row shares of an id are stored as two rows of floats: all first numbers, then all second ones.
  template <int Pitch>
  __device__ float2 share(const float2* row, const DistributedSlot& slot) {
    if (slot.place % 4 == 0) {
      const auto* const floats = reinterpret_cast<const float*>(row) + slot.i;
      first_ = *reinterpret_cast<const float4*>(floats);
      second_ = *reinterpret_cast<const float4*>(floats + Pitch);
    }
    return {of_quad(first_, slot.place % 4), of_quad(second_, slot.place % 4)};
  }
  template <int Pitch>
  __device__ static void set_share(float2* row, int i, float2 share) {
    auto* const floats = reinterpret_cast<float*>(row) + i;
    floats[0] = share.x;
    floats[Pitch] = share.y;
  }

 private:
  static constexpr int a_row = 4 * Columns;

  __device__ static float of_quad(const float4& quad, int k) {
    return k == 0 ? quad.x : k == 1 ? quad.y : k == 2 ? quad.z : quad.w;
  }

  float2 degree_{};
  std::uint32_t label_ = 0;
  float4 first_{};
  float4 second_{};
};

/// The product of an edge kernel with one factor along the edges, Y = (A ⊙ φ) P (A' ⊙ φ')ᵀ, by a block of Warps warps,
/// for graphs of up to 32 Columns vertices. A warp has a *strip* at a time, four adjacent rows, with eight lanes a row;
/// a *round* is one strip for each warp. A lane has quads of columns, so that one load from shared memory brings four
/// numbers.
///
///     T = (A ⊙ φ) P       four rows i of G, each the sum of the rows of P at the ends of its edges
///     Y = T (A' ⊙ φ')ᵀ    four rows i' of G', in the same way from T, which is written transposed
///
///          P   n × m               T   m × n                  Y   a thread's share, m × n
///        i ┌────────────┐       i' ┌────────────┐          i' ┌────────────┐  rows 4 f … 4 f + 3 of a warp
///          │ ← 8 lanes  │          │ ← 8 lanes  │             │ ← 8 lanes  │
///          └────────────┘          └────────────┘             └────────────┘
///
/// Rows are sorted by falling degree, so that four of them have similar lengths. Padding of the shorter ones points to a row of zeros
/// after the last. A word has two ends. With ConstantWeights N p lacks the edges' factors; else they are stored next to the ends.
template <int Warps_, int Columns_, bool ConstantWeights>
struct StripProduct {
  static constexpr int Warps = Warps_;
  static constexpr int Columns = Columns_;
  static constexpr int threads = 32 * Warps;
  static constexpr int rows = 32 * Columns;
  static constexpr int columns = rows;
  static constexpr int fours = rows / 4;
  static constexpr int Rounds = fours / Warps;
  static constexpr int places = 4 * Columns * Rounds;
  static constexpr int blocks = Columns > 3 ? 1 : Columns == 3 ? 2 : 768 / threads;  ///< on a multiprocessor
  static_assert(fours % Warps == 0);
  using Labels = NoKeptLabels;
  using Reader = QuadReader<Columns>;
  using Direction = InSingle;
  static constexpr bool starts = false;
  using Solution = ThreadGlobal<threads, places>;
  using Residual = ThreadRegisters<threads, places>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = std::size_t{rows + 1} * columns;
  static constexpr std::size_t z_floats = 0;
  static constexpr bool sees_apart = true;

  /// Shared memory for T and, for both graphs, for the offsets of the groups of four rows, the ends of edges and their factors.
  static constexpr ProductMemory memory() {
    return {ProductMemory::Form::strips, t_bytes + range_bytes, ConstantWeights ? 0 : sizeof(float)};
  }

  double first_scale;
  double second_scale;

  /// Copies the edges to shared memory at `kept`, and writes the row of zeros after p. A barrier of the block must follow.
  template <class Set, class EdgeKernel, class System>
  __device__ StripProduct(const Set& set, const EdgeKernel&, const System& system, float* p, unsigned char* kept)
      : first_scale(ConstantWeights ? factor_of_edges(set, system.first_vertex, system.n) : 1),
        second_scale(ConstantWeights ? factor_of_edges(set, system.second_vertex, system.m) : 1),
        n(system.n),
        m(system.m),
        t(reinterpret_cast<float*>(kept)),
        ranges(shared_address(kept + t_bytes)),
        ends(shared_address(kept + t_bytes + range_bytes)) {
    auto* const ranges_kept = reinterpret_cast<std::uint32_t*>(kept + t_bytes);
    auto* const ends_kept = ranges_kept + range_bytes / sizeof(std::uint32_t);
    const Sides sides{set.first_four(system.first_graph), set.first_four(system.second_graph), (n + 3) / 4,
                      (m + 3) / 4};
    const std::uint32_t count = size(set, sides.first, sides.fours_first);
    const std::uint32_t all = count + size(set, sides.second, sides.fours_second);
    factors = ends + strip_ends(8 * all);
    auto* const factors_kept = reinterpret_cast<float*>(kept + t_bytes + range_bytes + strip_ends(8 * all));
    keep(set, sides.first, sides.fours_first, ranges_kept, 0, ends_kept, factors_kept);
    keep(set, sides.second, sides.fours_second, ranges_kept + fours, count, ends_kept, factors_kept);
    for (int k = static_cast<int>(threadIdx.x); k < columns; k += threads) p[rows * columns + k] = 0;
    for (int k = static_cast<int>(threadIdx.x); k < (rows + 1) * columns; k += threads) t[k] = 0;
  }

  /// The thread's element number `place`.
  __device__ __forceinline__ static DistributedSlot slot(int place) {
    const int round = place / (4 * Columns);
    const int down = place % 4 + 32 * (place / 4 % Columns);
    return {place, 4 * lane_of_row() + down, row(round), first_element(round) + down * columns};
  }

  __device__ static int element(int i, int j) { return Rotated::element(i, j); }

  /// y ← N p. Has a barrier inside, none before or after.
  __device__ __forceinline__ void apply(const InSingle& p, Result& y, float /*slack*/) const {
    const SharedAddress from = shared_address(p.values);
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
      if (4 * four(round) >= n) continue;
      float sums[4 * Columns] = {};
      follow(four(round), from, sums);
      float* const target = t + first_element(round);
#pragma unroll
      for (int c = 0; c < 4 * Columns; ++c) target[(c % 4 + 32 * (c / 4)) * columns] = sums[c];
    }
    block_barrier<threads>();
    const SharedAddress from_t = shared_address(t);
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
      float sums[4 * Columns] = {};
      if (4 * four(round) < m) follow(fours + four(round), from_t, sums);
#pragma unroll
      for (int c = 0; c < 4 * Columns; ++c) y.values[4 * Columns * round + c] = sums[c];
    }
  }

 private:
  using Rotated = RotatedRows<Columns>;
  static constexpr std::size_t t_bytes = strip_t(rows);
  static constexpr std::size_t range_bytes = strip_ranges(rows);
  static_assert(Rotated::row(rows) <= 0xFFFF, "two rows in a word");

  /// The thread's number among the eight lanes of a row, and which of the warp's four rows that is.
  __device__ static int lane_of_row() { return static_cast<int>(threadIdx.x) % 8; }
  __device__ static int row_of_four() { return static_cast<int>(threadIdx.x) / 8 % 4; }
  /// The number of the warp's group of four rows in a round, and of the thread's row.
  __device__ static int four(int round) { return Warps * round + static_cast<int>(threadIdx.x) / 32; }
  __device__ static int row(int round) { return 4 * four(round) + row_of_four(); }
  /// The first of the thread's elements in a round. If 8 divides Warps, t is the same in all rounds, which share a register.
  __device__ static int first_element(int round) {
    if constexpr (Warps % 8 == 0) return element(4 * lane_of_row(), row(0)) + 4 * Warps * round;
    return element(4 * lane_of_row(), row(round));
  }

  /// Where the groups of four rows of both graphs begin in the set, and how many there are.
  struct Sides {
    std::uint32_t first;
    std::uint32_t second;
    int fours_first;
    int fours_second;
  };

  /// The words of `count` groups of four rows, counted in fours.
  template <class Set>
  __device__ static std::uint32_t size(const Set& set, std::uint32_t first_four, int count) {
    return set.four_begin(first_four + count) - set.four_begin(first_four);
  }
  /// Copies a graph's words to shared memory, after the `before` fours of words that are there already.
  template <class Set>
  __device__ static void keep(const Set& set, std::uint32_t first_four, int count, std::uint32_t* ranges_kept,
                              std::uint32_t before, std::uint32_t* ends_kept, float* factors_kept) {
    const std::uint32_t first = set.four_begin(first_four);
    for (int f = static_cast<int>(threadIdx.x); f < count; f += threads) {
      ranges_kept[f] = (before + set.four_begin(first_four + f) - first) |
                       (before + set.four_begin(first_four + f + 1) - first) << 16;
    }
    const std::uint32_t number = 4 * size(set, first_four, count);
    for (std::uint32_t k = threadIdx.x; k < number; k += threads) {
      const std::uint32_t two = __ldg(set.four_ends.data() + 4 * std::size_t{first} + k);
      ends_kept[4 * before + k] = row_of_end(two & 0xFFFF) | row_of_end(two >> 16) << 16;
      if constexpr (!ConstantWeights) {
        const auto* const stored = reinterpret_cast<const float2*>(set.four_factors.data());
        reinterpret_cast<float2*>(factors_kept)[4 * before + k] = __ldg(stored + 4 * std::size_t{first} + k);
      }
    }
  }
  __device__ static std::uint32_t row_of_end(std::uint32_t end) {
    return Rotated::row(end == no_end ? std::uint32_t{rows} : end);
  }

  /// Adds to `sums`, for each edge of the thread's row in the group `four`, the row of the matrix `from` at the edge's end.
  __device__ __forceinline__ void follow(int four, SharedAddress from, float (&sums)[4 * Columns]) const {
    const auto lane = static_cast<SharedAddress>(lane_of_row());
    const std::uint32_t both =
        __float_as_uint(load_shared(ranges + SharedAddress(sizeof(std::uint32_t)) * SharedAddress(four)));
    SharedAddress word = 16 * (both & 0xFFFF) + SharedAddress(4 * row_of_four());
    const SharedAddress end = 16 * (both >> 16) + SharedAddress(4 * row_of_four());
#pragma unroll 1
    for (; word != end; word += 16) {
      const std::uint32_t two = __float_as_uint(load_shared(ends + word));
      uint2 weights{};
      if constexpr (!ConstantWeights) weights = load_shared_pair(factors + 2 * word);
      const SharedAddress first = from + 16 * ((two & 0xFFFF) ^ lane);
      const SharedAddress second = from + 16 * ((two >> 16) ^ lane);
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        const uint4 one = load_shared_quad(first + 128 * c);
        const uint4 other = load_shared_quad(second + 128 * c);
        add(sums[4 * c], one.x, other.x, weights);
        add(sums[4 * c + 1], one.y, other.y, weights);
        add(sums[4 * c + 2], one.z, other.z, weights);
        add(sums[4 * c + 3], one.w, other.w, weights);
      }
    }
  }

  __device__ static void add(float& sum, std::uint32_t one, std::uint32_t other, uint2 weights) {
    if constexpr (ConstantWeights) {
      sum += __uint_as_float(one) + __uint_as_float(other);
    } else {
      sum += __uint_as_float(weights.x) * __uint_as_float(one) + __uint_as_float(weights.y) * __uint_as_float(other);
    }
  }

  int n;
  int m;
  float* t;
  SharedAddress ranges;  ///< for each group of four rows, where its words begin and end
  SharedAddress ends;
  SharedAddress factors = 0;
};

}  // namespace octile::cuda
