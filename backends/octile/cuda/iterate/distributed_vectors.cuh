// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

namespace octile::cuda {

/// An element of a pair's vectors, as its thread knows it: i and i', and where it is in p.
struct DistributedSlot {
  int place;
  int i;
  int j;
  int element;
};

/// A thread's elements by the product's dealing. What lies beyond the pair is padding, 0 in all vectors.
template <class Product>
struct DistributedElements {
  static constexpr int threads = Product::threads;

  template <class Function>
  __device__ __forceinline__ static void each(int, const Function& function) {
#pragma unroll
    for (int place = 0; place < Product::places; ++place) function(Product::slot(place));
  }
};

/// Where p may be: in single precision. Numbers are got and set times a factor, which elsewhere may be another: `get` gives
/// what has to be multiplied by `inverse`, `set` takes what has been multiplied by `scale`, and gives it as it is kept.
struct InSingle {
  static constexpr bool rounds = false;
  float* values;

  __device__ explicit InSingle(float* place) : values(place) {}
  __device__ float get(const DistributedSlot& slot) const { return values[slot.element]; }
  __device__ float set(const DistributedSlot& slot, float value) const { return values[slot.element] = value; }
  /// Two columns side by side, by any thread.
  __device__ void set_two(int element, float first, float second) const {
    *reinterpret_cast<float2*>(values + element) = float2{first, second};
  }
  __device__ static float inverse() { return 1; }
  __device__ static float scale() { return 1; }
  __device__ static float scale_inverse() { return 1; }
  /// What is set from now on is of about this size,
  __device__ void expect(float) const {}
  /// and may be got from now on.
  __device__ void turn() const {}
};

/// A thread's elements of a vector that none but it touches, some at once. Passes over them go place by place.
template <int Threads, int Places>
struct ThreadPieces {
  static constexpr int width = Places % 4 == 0 ? 4 : 2;
  using Piece = std::conditional_t<width == 4, float4, float2>;

  /// Of a place's piece, counted in pieces, and of the place itself, in floats.
  __device__ static int piece(int place) { return place / width * Threads + static_cast<int>(threadIdx.x); }
  __device__ static int number(int place) { return piece(place) * width + place % width; }

  __device__ static float& part(Piece& piece, int place) {
    if constexpr (width == 4) {
      if (place % 4 >= 2) return place % 2 == 0 ? piece.z : piece.w;
    }
    return place % 2 == 0 ? piece.x : piece.y;
  }
};

/// Vectors that none but its own thread touches: in registers, with places that the compiler knows, or
template <int Threads, int Places>
class ThreadRegisters {
 public:
  __device__ explicit ThreadRegisters(float*) {}
  __device__ float get(const DistributedSlot& slot) const { return values_[slot.place]; }
  __device__ void set(const DistributedSlot& slot, float value) { values_[slot.place] = value; }

 private:
  float values_[Places];
};

/// in memory, shared, or global past the nearest cache, which has better use: `get` and `set` are for passes, `at` is for any place;
template <int Threads, int Places, bool Global>
class ThreadMemory {
 public:
  __device__ explicit ThreadMemory(float* place) : values_(place) {}
  __device__ float get(const DistributedSlot& slot) {
    if (slot.place % Pieces::width == 0) read_ = load(pieces() + Pieces::piece(slot.place));
    return Pieces::part(read_, slot.place);
  }
  __device__ void set(const DistributedSlot& slot, float value) {
    Pieces::part(written_, slot.place) = value;
    if (slot.place % Pieces::width == Pieces::width - 1) store(pieces() + Pieces::piece(slot.place), written_);
  }
  __device__ float at(const DistributedSlot& slot) const { return load(values_ + Pieces::number(slot.place)); }

 private:
  using Pieces = ThreadPieces<Threads, Places>;
  using Piece = typename Pieces::Piece;

  template <class T>
  __device__ static T load(const T* from) {
    if constexpr (Global) {
      return __ldcg(from);
    } else {
      return *from;
    }
  }
  __device__ static void store(Piece* to, const Piece& piece) {
    if constexpr (Global) {
      __stcg(to, piece);
    } else {
      *to = piece;
    }
  }
  __device__ Piece* pieces() const { return reinterpret_cast<Piece*>(values_); }

  float* values_;
  Piece read_{};
  Piece written_{};
};
template <int Threads, int Places>
using ThreadShared = ThreadMemory<Threads, Places, false>;
template <int Threads, int Places>
using ThreadGlobal = ThreadMemory<Threads, Places, true>;
/// or in both: the first half in registers.
template <int Threads, int Places>
class ThreadRegistersAndShared {
 public:
  static constexpr int in_registers = Places / 8 * 4;
  static constexpr std::size_t floats = std::size_t{Places - in_registers} * Threads;

  __device__ explicit ThreadRegistersAndShared(float* place) : rest_(place) {}
  __device__ float get(const DistributedSlot& slot) {
    return slot.place < in_registers ? values_[slot.place] : rest_.get(behind(slot));
  }
  __device__ void set(const DistributedSlot& slot, float value) {
    if (slot.place < in_registers) {
      values_[slot.place] = value;
    } else {
      rest_.set(behind(slot), value);
    }
  }

 private:
  __device__ static DistributedSlot behind(const DistributedSlot& slot) {
    return {slot.place - in_registers, slot.i, slot.j, slot.element};
  }

  float values_[in_registers];
  ThreadShared<Threads, Places - in_registers> rest_;
};

}  // namespace octile::cuda
