// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

namespace octile::cuda {

/// One of a thread's elements: the thread's number for it (place), i, i' (here j), and its position in p (element).
struct DistributedSlot {
  int place;
  int i;
  int j;
  int element;
};

/// The elements that the product gives a thread. Those beyond the pair's n × m are padding, 0 in all vectors.
template <class Product>
struct DistributedElements {
  static constexpr int threads = Product::threads;

  template <class Function>
  __device__ __forceinline__ static void each(int, const Function& function) {
#pragma unroll
    for (int place = 0; place < Product::places; ++place) function(Product::slot(place));
  }
};

/// p in single precision. This and `InHalves` share an interface in which p is stored times a factor, here 1. `get` returns a
/// value still to be multiplied by `inverse`. `set` takes a value already multiplied by `scale` and returns it as stored.
struct InSingle {
  static constexpr bool rounds = false;
  float* values;

  __device__ explicit InSingle(float* place) : values(place) {}
  __device__ float get(const DistributedSlot& slot) const { return values[slot.element]; }
  __device__ float set(const DistributedSlot& slot, float value) const { return values[slot.element] = value; }
  /// Sets two adjacent columns; any thread may call it.
  __device__ void set_two(int element, float first, float second) const {
    *reinterpret_cast<float2*>(values + element) = float2{first, second};
  }
  __device__ static float inverse() { return 1; }
  __device__ static float scale() { return 1; }
  __device__ static float scale_inverse() { return 1; }
  /// Values set from now on are of about this size; `scale` follows it.
  __device__ void expect(float) const {}
  /// Values got from now on are those set since `expect`; `inverse` follows it.
  __device__ void commit_scale() const {}
};

/// Addresses of a thread's elements of a vector. Passes over them go place by place, in pieces of 2 or 4 floats.
template <int Threads, int Places>
struct ThreadPieces {
  static constexpr int width = Places % 4 == 0 ? 4 : 2;
  using Piece = std::conditional_t<width == 4, float4, float2>;

  /// The number of a place's piece, counted in pieces.
  __device__ static int piece(int place) { return place / width * Threads + static_cast<int>(threadIdx.x); }

  __device__ static float& part(Piece& piece, int place) {
    if constexpr (width == 4) {
      if (place % 4 >= 2) return place % 2 == 0 ? piece.z : piece.w;
    }
    return place % 2 == 0 ? piece.x : piece.y;
  }
};

/// A vector of which no thread uses another's elements, in registers. Places must be compile-time constants.
template <int Threads, int Places>
class ThreadRegisters {
 public:
  __device__ explicit ThreadRegisters(float*) {}
  __device__ float get(const DistributedSlot& slot) const { return values_[slot.place]; }
  __device__ void set(const DistributedSlot& slot, float value) { values_[slot.place] = value; }

 private:
  float values_[Places];
};

/// A vector of which no thread uses another's elements, in shared memory, or in global memory bypassing the L1 cache.
/// `get` and `set` are for passes over all places in order.
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
/// A vector of which no thread uses another's elements, half in registers and half in shared memory.
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
