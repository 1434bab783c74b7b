// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// Vectors of 32 and 64 bytes, and squares of them: what products on a CPU are made of. Functions are always inlined, into ones that are
// compiled for the instructions (instructions.hpp).
namespace octile {

/// A vector of so many bytes, and one that may stand at the place of any number. It is an explicit type because in plain nested loops the
/// compiler would keep the sums in memory.
template <class Scalar, int Bytes>
struct Lanes {
  using Vector [[gnu::vector_size(Bytes)]] = Scalar;
  using Anywhere [[gnu::vector_size(Bytes), gnu::aligned(alignof(Scalar)), gnu::may_alias]] = Scalar;
};

template <class Scalar, int Bytes>
using VectorOf = typename Lanes<Scalar, Bytes>::Vector;

/// Elements of a vector.
template <class Scalar, int Bytes>
constexpr int width_of = Bytes / static_cast<int>(sizeof(Scalar));

template <int Bytes, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> load(const Scalar* from) {
  return *reinterpret_cast<const typename Lanes<Scalar, Bytes>::Anywhere*>(from);
}

template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void store(Scalar* to, const VectorOf<Scalar, Bytes>& vector) {
  *reinterpret_cast<typename Lanes<Scalar, Bytes>::Anywhere*>(to) = vector;
}

/// A vector of `Count` numbers, over and over again.
template <int Bytes, int Count, class Scalar, int... lane>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> repeat(const Scalar* from, std::integer_sequence<int, lane...>) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int bytes = Count * static_cast<int>(sizeof(Scalar));
  if constexpr (bytes == sizeof(double)) {
    using Bits [[gnu::vector_size(Bytes)]] = std::int64_t;
    std::int64_t bits = 0;
    std::memcpy(&bits, from, sizeof(bits));
    return reinterpret_cast<Vector>(bits + Bits{});
  } else {
#if defined(__x86_64__) && !defined(__clang__)
    // GCC would load and then move lanes, which takes as long as a multiplication. Vectors of 64 bytes are those of AVX-512 here.
    if constexpr (Bytes == 64) {
      Vector all;
      const auto* const part = reinterpret_cast<const typename Lanes<Scalar, bytes>::Anywhere*>(from);
      if constexpr (bytes == 16) {
        asm("vbroadcastf32x4 %1, %0" : "=v"(all) : "m"(*part));
      } else {
        asm("vbroadcastf64x4 %1, %0" : "=v"(all) : "m"(*part));
      }
      return all;
    }
#endif
    const VectorOf<Scalar, bytes> part = load<bytes>(from);
    return __builtin_shufflevector(part, part, lane % Count...);
  }
}

/// A vector of width / `Times` numbers, `Times` times each.
template <int Bytes, int Times, class Scalar, int... lane>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> each(const Scalar* from, std::integer_sequence<int, lane...>) {
  if constexpr (Times == 1) {
    return load<Bytes>(from);
  } else if constexpr (Bytes / Times == 32) {
    const VectorOf<Scalar, 32> half = load<32>(from);
    return __builtin_shufflevector(half, half, lane / Times...);
  } else {
    constexpr int count = Bytes / Times / static_cast<int>(sizeof(Scalar));
    const VectorOf<Scalar, Bytes> all = repeat<Bytes, count>(from, std::integer_sequence<int, lane...>());
    return __builtin_shufflevector(all, all, lane / Times...);
  }
}

/// Transposes a square of vectors: element w of vector b becomes element b of vector w. Each shuffle is one instruction of AVX:
/// pairs of elements, pairs of pairs, then halves of vectors.
[[gnu::always_inline]] inline void transpose(VectorOf<float, 32>* rows) {
  using Vector = VectorOf<float, 32>;
  Vector fours[static_cast<std::size_t>(8)];
#pragma GCC unroll 8
  for (int h = 0; h < 8; h += 4) {
    const Vector low_01 = __builtin_shufflevector(rows[h], rows[h + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector high_01 = __builtin_shufflevector(rows[h], rows[h + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector low_23 = __builtin_shufflevector(rows[h + 2], rows[h + 3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector high_23 = __builtin_shufflevector(rows[h + 2], rows[h + 3], 2, 10, 3, 11, 6, 14, 7, 15);
    fours[h] = __builtin_shufflevector(low_01, low_23, 0, 1, 8, 9, 4, 5, 12, 13);
    fours[h + 1] = __builtin_shufflevector(low_01, low_23, 2, 3, 10, 11, 6, 7, 14, 15);
    fours[h + 2] = __builtin_shufflevector(high_01, high_23, 0, 1, 8, 9, 4, 5, 12, 13);
    fours[h + 3] = __builtin_shufflevector(high_01, high_23, 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 8
  for (int w = 0; w < 4; ++w) {
    rows[w] = __builtin_shufflevector(fours[w], fours[w + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[w + 4] = __builtin_shufflevector(fours[w], fours[w + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

[[gnu::always_inline]] inline void transpose(VectorOf<double, 32>* rows) {
  using Vector = VectorOf<double, 32>;
  const Vector low_01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
  const Vector high_01 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  const Vector low_23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
  const Vector high_23 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  rows[0] = __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5);
  rows[2] = __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7);
  rows[3] = __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7);
}

/// Half of a swap of blocks of a square: where bit `Distance` of a lane says so, what `other` has so many lanes away.
template <int Distance, bool later, class Vector, int... lane>
[[gnu::always_inline]] inline Vector with_other(const Vector& first, const Vector& second,
                                                std::integer_sequence<int, lane...>) {
  constexpr int width = sizeof...(lane);
  if constexpr (later) {
    return __builtin_shufflevector(first, second, ((lane & Distance) == 0 ? lane + Distance : width + lane)...);
  } else {
    return __builtin_shufflevector(first, second, ((lane & Distance) == 0 ? lane : width + lane - Distance)...);
  }
}

/// Squares of `Count` vectors and as many lanes are transposed: blocks of so many rows and columns change places across the diagonals of
/// blocks of twice as many; then larger ones.
template <int Distance, int Count, class Vector, class Indices>
[[gnu::always_inline]] inline void transpose_blocks(Vector* rows, Indices lanes) {
  if constexpr (Distance < Count) {
#pragma GCC unroll 16
    for (int row = 0; row < Count; ++row) {
      if ((row & Distance) != 0) continue;
      const Vector first = rows[row];
      const Vector second = rows[row + Distance];
      rows[row] = with_other<Distance, false>(first, second, lanes);
      rows[row + Distance] = with_other<Distance, true>(first, second, lanes);
    }
    transpose_blocks<2 * Distance, Count>(rows, lanes);
  }
}

/// Transposes a square of 16 × 16 floats or 8 × 8 doubles. AVX-512 moves any lanes of two vectors in one instruction.
[[gnu::always_inline]] inline void transpose(VectorOf<float, 64>* rows) {
  transpose_blocks<1, 16>(rows, std::make_integer_sequence<int, 16>());
}
[[gnu::always_inline]] inline void transpose(VectorOf<double, 64>* rows) {
  transpose_blocks<1, 8>(rows, std::make_integer_sequence<int, 8>());
}

}  // namespace octile
