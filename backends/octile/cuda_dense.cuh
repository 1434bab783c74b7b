// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_intrinsics.cuh>
#include <octile/cuda_owned.cuh>
#include <octile/cuda_set.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// p as sums of two numbers in half precision, 22 bits, in two matrices in shared memory. They are kept times a power of two
/// that brings them to about 8, far from both ends of half precision: numbers 1,000 times as large are cut off, and what is
/// 100,000 times smaller loses bits.
///
///     │ high   rows × pitch │ low   rows × pitch │
///
template <std::size_t Numbers>
class InHalves {
 public:
  static constexpr bool rounds = true;
  static constexpr std::size_t floats = Numbers;  ///< that it takes the room of

  __device__ explicit InHalves(float* place) : words_(reinterpret_cast<std::uint32_t*>(place)) {}

  /// Of places in turn: with an even one comes its neighbour.
  __device__ float get(const OwnSlot& slot) {
    if (slot.place % 2 == 0) {
      got_high_ = words_[slot.element];
      got_low_ = words_[Numbers / 2 + slot.element];
      return (low_half(got_high_) + low_half(got_low_)) * inverse_;
    }
    return (high_half(got_high_) + high_half(got_low_)) * inverse_;
  }
  /// Of places in turn: with an odd one goes its neighbour. Gives the number as it is kept.
  __device__ float set(const OwnSlot& slot, float value) {
    const float scaled = fminf(fmaxf(value * next_, -most), most);
    if (slot.place % 2 == 0) {
      waiting_ = scaled;
      return rounded(scaled) * next_inverse_;
    }
    const std::uint32_t high = halves(waiting_, scaled);
    words_[slot.element] = high;
    words_[Numbers / 2 + slot.element] = halves(waiting_ - low_half(high), scaled - high_half(high));
    return rounded(scaled) * next_inverse_;
  }

  /// What is set from now on is of about this size; it can be got after the `turn`.
  __device__ void expect(float size) {
    const int exponent = min(max(static_cast<int>(__float_as_uint(size) >> 23) - 127, -100), 100);
    next_ = __uint_as_float(static_cast<std::uint32_t>(127 + 3 - exponent) << 23);
    next_inverse_ = __uint_as_float(static_cast<std::uint32_t>(127 - 3 + exponent) << 23);
  }
  __device__ void turn() { inverse_ = next_inverse_; }

  __device__ const void* high() const { return words_; }
  /// What a number that is kept has to be multiplied by.
  __device__ float inverse() const { return inverse_; }

 private:
  static constexpr float most = 8192;

  __device__ static float rounded(float scaled) {
    const float high = half_value(half_bits(scaled));
    return high + half_value(half_bits(scaled - high));
  }

  std::uint32_t* words_;
  std::uint32_t got_high_ = 0;
  std::uint32_t got_low_ = 0;
  float waiting_ = 0;
  float inverse_ = 1;
  float next_ = 1;
  float next_inverse_ = 1;
};

/// A piece of a sum, which the tensor core adds to it, or, where that has to be exact, the thread.
template <bool Exact>
struct Piece {
  float (&sum)[4];
  __device__ explicit Piece(float (&whole)[4]) : sum(whole) {}
  __device__ void add() const {}
};
template <>
struct Piece<true> {
  float (&whole)[4];
  float sum[4] = {};
  __device__ explicit Piece(float (&all)[4]) : whole(all) {}
  __device__ void add() const {
#pragma unroll
    for (int e = 0; e < 4; ++e) whole[e] += sum[e];
  }
};

/// The product of an edge kernel with one factor that is alike for all edges of a graph, Y = A P A'ᵀ, A and A' of zeros and
/// ones, as two dense products in half precision on the tensor cores, for pairs of up to 16 Rows × 16 Columns vertices. What
/// lies between the two stays in registers: a warp has 16 rows of A, of T and of Y.
///
///     T = A P       P is high + low, and A exact: two products keep 22 bits
///     Y = T A'ᵀ     likewise, T as a sum of two
///
///            A           P   16 columns at a time           T                A'ᵀ            Y
///         ┌───────┐     ┌──┬─────┐                        ┌──┐            ┌────────┐     ┌───────┐
///         │       │     │  │     │                        │  │            │▒▒▒▒▒▒▒▒│     │       │
///         ├───────┤     │  │     │                        ├──┤            ├────────┤     ├───────┤
///  warp → │▒▒▒▒▒▒▒│  ×  │▒▒│     │    =                   │▒▒│     ×      │        │  +→ │▒▒▒▒▒▒▒│ in registers
///         ├───────┤     │  │     │                        ├──┤            │        │     ├───────┤
///         └───────┘     └──┴─────┘                        └──┘            └────────┘     └───────┘
///
/// Sums are in single precision, but a tensor core cuts off where it should round. Where nothing may be lost (slack 0) only 16
/// terms are summed there. Where the residual is small enough (`slack`) the low parts are left out.
template <int Rows_, int Columns_>
struct DenseProduct {
  static constexpr int Rows = Rows_;
  static constexpr int Columns = Columns_;
  static constexpr int threads = 32 * Rows;
  static constexpr int rows = 16 * Rows;
  static constexpr int columns = 16 * Columns;
  static constexpr int pitch = columns + 8;  ///< of halves: eight rows of 16 bytes are in different banks
  static constexpr int places = 8 * Columns;
  static constexpr int blocks = Columns > 6 ? 1 : 65536 / 168 / threads;  ///< a multiprocessor
  using Direction = InHalves<std::size_t{rows} * pitch>;
  using Solution = OwnInShared<threads>;
  using Result = Registers<places>;
  static constexpr std::size_t p_floats = Direction::floats;
  static constexpr std::size_t x_floats = std::size_t{places} * threads;

  /// A'.
  static std::size_t bytes(const ProductSizes&) { return second_bytes; }
  static std::size_t least_bytes(const ProductSizes& pair) { return bytes(pair); }

  double first_scale;
  double second_scale;

  /// A goes to registers by way of p's place, A' to `kept`: a barrier of the block has to follow.
  template <class Set, class System>
  __device__ DenseProduct(const Set& set, const System& system, float* p, unsigned char* kept, const unsigned char*)
      : first_scale(scale(set, system.first_vertex, system.n) * (1 / unit)),
        second_scale(scale(set, system.second_vertex, system.m)),
        n(system.n),
        m(system.m),
        second(shared_address(kept)) {
    auto* const first = reinterpret_cast<std::uint16_t*>(p);
    clear(first, rows);
    clear(reinterpret_cast<std::uint16_t*>(kept), columns);
    block_barrier<threads>();
    spread(set, system.first_vertex, n, half_bits(unit), first);
    spread(set, system.second_vertex, m, half_bits(1.0F), reinterpret_cast<std::uint16_t*>(kept));
    block_barrier<threads>();
    const SharedAddress mine = shared_address(first) + 2 * (16 * warp() * pitch + down_first(pitch));
#pragma unroll
    for (int k = 0; k < Rows; ++k) load_matrices(mine + 2 * 16 * k, a[k]);
    block_barrier<threads>();  // p comes to its place
  }

  /// y ← N p, exact to what `slack` allows. No barrier.
  __device__ __forceinline__ void apply(const Direction& p, Result& y, float slack) const {
    if (slack == 0) {
      multiply<true, true>(p, y);
    } else if (slack < one_half) {
      multiply<true, false>(p, y);
    } else {
      multiply<false, false>(p, y);
    }
  }

  /// Where the thread's element of a place is, as i and i': of four places, two columns side by side in two rows.
  __device__ __forceinline__ static OwnSlot slot(int place) {
    const int i = 16 * warp() + lane() / 4 + 8 * (place / 2 % 2);
    const int pair = 4 * (place / 4) + lane() % 4;
    return {place, i, 2 * pair + place % 2, i * (pitch / 2) + pair};
  }

 private:
  static constexpr std::size_t second_bytes = shared_piece(sizeof(std::uint16_t) * columns * pitch);
  /// A's ones: no sum of 128 numbers of 8,192 times this is beyond half precision.
  static constexpr float unit = 0.0625F;
  /// The slack from which one number in half precision is as good as two: 2^-11 / 0.3, squared.
  static constexpr float one_half = 2.6e-6F;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  /// Where a lane's row of four 8 × 8 matrices begins, the second below the first and then to the right, or first to the
  /// right and then below.
  __device__ static int down_first(int from_row_to_row) { return (lane() % 16) * from_row_to_row + lane() / 16 * 8; }
  __device__ static int right_first(int from_row_to_row) {
    return (lane() % 8 + lane() / 16 * 8) * from_row_to_row + lane() / 8 % 2 * 8;
  }

  /// The factor of a graph's edges.
  template <class Set>
  __device__ static double scale(const Set& set, std::uint32_t first_vertex, int count) {
    const std::uint32_t first = set.row_begin(first_vertex);
    if (set.row_begin(first_vertex + count) == first) return 1;
    return static_cast<double>(__uint_as_float(set.entries(2 * std::size_t{first})));
  }

  __device__ static void clear(std::uint16_t* matrix, int count) {
    auto* const words = reinterpret_cast<uint4*>(matrix);
    for (int k = static_cast<int>(threadIdx.x); k < count * pitch / 8; k += threads) words[k] = uint4{0, 0, 0, 0};
  }

  /// Writes `one` where a graph has edges, a warp a row.
  template <class Set>
  __device__ static void spread(const Set& set, std::uint32_t first_vertex, int count, std::uint16_t one,
                                std::uint16_t* matrix) {
#pragma unroll 4
    for (int v = warp(); v < count; v += Rows) {
      const std::uint32_t end = set.row_begin(first_vertex + v + 1);
      for (std::uint32_t e = set.row_begin(first_vertex + v) + lane(); e < end; e += 32) {
        const uint2 entry = __ldg(reinterpret_cast<const uint2*>(set.entries.data()) + e);
        if (entry.x != 0) matrix[v * pitch + entry.y] = one;
      }
    }
  }

  /// With the low parts or without.
  template <bool Both, bool Exact>
  __device__ __forceinline__ void multiply(const Direction& p, Result& y) const {
    constexpr SharedAddress low = sizeof(std::uint16_t) * rows * pitch;
    float sums[2 * Columns][4] = {};
    const SharedAddress from = shared_address(p.high()) + 2 * down_first(pitch);
    const SharedAddress from_second = second + 2 * right_first(pitch);
#pragma unroll 1
    for (int block = 0; 16 * block < m; ++block) {
      float t[2][4] = {};
      float lesser[2][4] = {};
#pragma unroll
      for (int k = 0; k < Rows; ++k) {
        const SharedAddress here = from + 2 * (16 * k * pitch + 16 * block);
        std::uint32_t words[4];
        load_transposed(here, words);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Piece<Exact> piece(t[half]);
          multiply_add(piece.sum, a[k], words[2 * half], words[2 * half + 1]);
          piece.add();
        }
        if constexpr (Both) {
          load_transposed(here + low, words);
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            multiply_add(lesser[half], a[k], words[2 * half], words[2 * half + 1]);
          }
        }
      }
      std::uint32_t high[4];
      std::uint32_t less[4];
#pragma unroll
      for (int word = 0; word < 4; ++word) {
        const int e = word % 2 * 2;
        const float one = t[word / 2][e] + lesser[word / 2][e];
        const float two = t[word / 2][e + 1] + lesser[word / 2][e + 1];
        high[word] = halves(one, two);
        less[word] = halves(one - low_half(high[word]), two - high_half(high[word]));
      }
#pragma unroll
      for (int k = 0; k < Columns; ++k) {
        std::uint32_t ones[4];
        load_matrices(from_second + 2 * (16 * k * pitch + 16 * block), ones);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Piece<Exact> piece(sums[2 * k + half]);
          if constexpr (Both) multiply_add(piece.sum, less, ones[2 * half], ones[2 * half + 1]);
          multiply_add(piece.sum, high, ones[2 * half], ones[2 * half + 1]);
          piece.add();
        }
      }
    }
    const float inverse = p.inverse();
#pragma unroll
    for (int place = 0; place < places; ++place) y.values[place] = sums[place / 4][place % 4] * inverse;
  }

  int n;
  int m;
  SharedAddress second;      ///< of A'
  std::uint32_t a[Rows][4];  ///< the warp's rows of A
};

}  // namespace octile::cuda
