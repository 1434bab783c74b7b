// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/distributed_vertices.cuh>
#include <octile/cuda/block/intrinsics.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// p as sums of two halves, 22 bits, in two matrices in shared memory. They are stored times a power of two that brings
/// them to about 8, far from both limits of half precision. Numbers 8,000 times as large saturate, and numbers 100,000
/// times smaller lose bits.
///
///     │ high   rows × pitch │ low   rows × pitch │
///
template <std::size_t Numbers>
class InHalves {
 public:
  static constexpr bool rounds = true;

  __device__ explicit InHalves(float* place) : words_(reinterpret_cast<std::uint32_t*>(place)) {}

  /// For passes over the places in order: the load at an even place also serves the next place.
  __device__ float get(const DistributedSlot& slot) {
    if (slot.place % 2 == 0) {
      high_ = words_[slot.element];
      low_ = words_[Numbers / 2 + slot.element];
      return low_half(high_) + low_half(low_);
    }
    return high_half(high_) + high_half(low_);
  }
  /// For passes over the places in order: an odd place stores the place before it too.
  __device__ float set(const DistributedSlot& slot, float value) {
    if (slot.place % 2 == 0) {
      waiting_ = value;
    } else {
      const std::uint32_t high = halves(waiting_, value);
      words_[slot.element] = high;
      words_[Numbers / 2 + slot.element] = halves(waiting_ - low_half(high), value - high_half(high));
    }
    const float high = half_value(half_bits(value));
    return high + half_value(half_bits(value - high));
  }
  /// Sets two adjacent columns; any thread may call it.
  __device__ void set_two(int element, float first, float second) const {
    const std::uint32_t high = halves(first, second);
    words_[element] = high;
    words_[Numbers / 2 + element] = halves(first - low_half(high), second - high_half(high));
  }
  __device__ float inverse() const { return inverse_; }
  __device__ float scale() const { return scale_; }
  __device__ float scale_inverse() const { return scale_inverse_; }

  __device__ void expect(float size) {
    const int exponent = min(max(static_cast<int>(__float_as_uint(size) >> 23) - 127, -100), 100);
    scale_ = __uint_as_float(static_cast<std::uint32_t>(127 + 3 - exponent) << 23);
    scale_inverse_ = __uint_as_float(static_cast<std::uint32_t>(127 - 3 + exponent) << 23);
  }
  __device__ void commit_scale() { inverse_ = scale_inverse_; }

  __device__ const void* high() const { return words_; }

 private:
  std::uint32_t* words_;
  std::uint32_t high_ = 0;
  std::uint32_t low_ = 0;
  float waiting_ = 0;
  float inverse_ = 1;
  float scale_ = 1;
  float scale_inverse_ = 1;
};

/// A partial sum. If Exact, the thread adds it to the whole sum, with rounding; else the tensor core adds to the whole directly.
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

/// The matrices of the dense products: Tiles × Tiles tiles of 16 × 16 halves, in shared memory, row by row.
template <int Tiles_>
struct DenseShape {
  static constexpr int Tiles = Tiles_;
  static constexpr int rows = 16 * Tiles;
  static constexpr int columns = rows;
  static constexpr int pitch = columns + 8;  ///< in halves; 16 bytes of each of eight rows lie in different banks
  static constexpr int numbers = rows * pitch;
  static constexpr SharedAddress bytes_a_matrix = sizeof(std::uint16_t) * numbers;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  /// The number of the word of p that has two adjacent columns.
  __device__ static int element(int i, int j) { return i * (pitch / 2) + j / 2; }

  /// The offset of a tile from a matrix's beginning, by its row and column in the grid of tiles.
  __device__ static constexpr SharedAddress tile(int row, int column) {
    return SharedAddress(sizeof(std::uint16_t)) * SharedAddress(16 * (row * pitch + column));
  }
  /// The offset of the row that this lane passes to `load_matrices` for a tile. The second of the four 8 × 8 matrices is the one
  /// below the first, as `multiply_add` takes A and a transposed B; or, with `right_first`, the one to its right.
  __device__ static SharedAddress down_first() {
    return SharedAddress(sizeof(std::uint16_t)) * SharedAddress(lane() % 16 * pitch + lane() / 16 * 8);
  }
  __device__ static SharedAddress right_first() {
    return SharedAddress(sizeof(std::uint16_t)) *
           SharedAddress((lane() % 8 + lane() / 16 * 8) * pitch + lane() / 8 % 2 * 8);
  }

  /// Sets whole matrices to 0, by the whole block.
  __device__ static void clear(unsigned char* place, int matrices) {
    auto* const words = reinterpret_cast<uint4*>(place);
    const int count = matrices * numbers * int(sizeof(std::uint16_t)) / int(sizeof(uint4));
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) {
      words[k] = uint4{0, 0, 0, 0};
    }
  }

  /// sums += A B, with 16 columns of B as two times 8.
  template <bool Exact>
  __device__ __forceinline__ static void add(float (&sums)[2][4], const std::uint32_t (&a)[4],
                                             const std::uint32_t (&b)[4]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Piece<Exact> piece(sums[half]);
      multiply_add(piece.sum, a, b[2 * half], b[2 * half + 1]);
      piece.add();
    }
  }
};

/// A 16 × 16 tile of sums of `multiply_add`, converted to the operand A of the next product: a rounded half, and the remainder.
struct SplitTile {
  std::uint32_t high[4];
  std::uint32_t low[4];

  __device__ SplitTile(const float (&sums)[2][4], const float (&lesser)[2][4], float scale) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      const int half = word / 2;
      const int e = word % 2 * 2;
      const float one = (sums[half][e] + lesser[half][e]) * scale;
      const float two = (sums[half][e + 1] + lesser[half][e + 1]) * scale;
      high[word] = halves(one, two);
      low[word] = halves(one - low_half(high[word]), two - high_half(high[word]));
    }
  }
};

/// Vertex ids of G', four in a word, in the order of a thread's places. Ids fit a byte, since the shares of more ids would not fit
/// shared memory. Threads from number 2 Columns on, if there are any, have the second half of the columns.
///
///     lanes l with the same l mod 4 = 0 … 3    have columns 2 (l mod 4) and the next of every 8
///     │ 0: columns 0, 1, 8, 9 │ 16, 17, 24, 25 │ … │ 1: columns 2, 3, 10, 11 │ …
///
template <int Columns>
struct DenseLabels {
  static constexpr int a_quarter = Columns / 16;  ///< words
  std::uint32_t words[4 * a_quarter];

  __device__ void set(int column, std::uint32_t label) {
    const int number = column / 2 % 4 * (4 * a_quarter) + column / 8 * 2 + column % 2;
    reinterpret_cast<unsigned char*>(words)[number] = static_cast<unsigned char>(label);
  }
};

/// Reads vertices for threads with many columns. One load has the degrees of two columns for the four places that use them, and one
/// has the ids for eight places. The loads are assembly, since the compiler would split plain ones into bytes.
template <int Columns>
class DenseReader : public RowShares {
 public:
  template <class Head>
  __device__ void begin(const Head&) {}
  template <class Head>
  __device__ float2 degree(const Head& head, const DistributedSlot& slot) {
    if (slot.place % 4 == 0) two_ = load_shared_quad(shared_address(head.second.degrees + slot.j));
    return slot.place % 2 == 0 ? float2{__uint_as_float(two_.x), __uint_as_float(two_.y)}
                               : float2{__uint_as_float(two_.z), __uint_as_float(two_.w)};
  }
  template <class Head>
  __device__ std::uint32_t label(const Head& head, const DistributedSlot& slot) {
    if (slot.place % 8 == 0) {
      constexpr int a_quarter = DenseLabels<Columns>::a_quarter;
      const int group = static_cast<int>(threadIdx.x) / (2 * Columns);
      const int first = static_cast<int>(threadIdx.x) % 4 * a_quarter + group * (a_quarter / 2);
      word_ = __float_as_uint(load_shared(shared_address(head.labels.words + first + slot.place / 8)));
    }
    return word_ >> (16 * (slot.place / 4 % 2) + 8 * (slot.place % 2)) & 0xFF;
  }

 private:
  uint4 two_{};
  std::uint32_t word_ = 0;
};

}  // namespace octile::cuda
