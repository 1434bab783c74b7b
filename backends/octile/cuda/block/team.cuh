// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/pairs/conjugate_gradient.hpp>

#include <cstdint>

// A block of threads as a team of `conjugate_gradient`, and the vectors that it works on.
namespace octile::cuda {

/// Element number `element` of a pair's vectors, which is the thread's element number `place`.
struct Slot {
  int place;
  int element;
};

/// a / b by the special function unit, for |b| between 2^-126 and 2^126. Relative error at most 2^-22.
__device__ inline float fast_quotient(float a, float b) { return a * fast_reciprocal(b); }

/// ⌊k / m⌋ for k < n·m, by a multiplication where that is exact.
class Divisor {
 public:
  __device__ Divisor(int n, int m)
      : m_(static_cast<std::uint32_t>(m)),
        // k · 2^32/m rounded up is off by less than 1/m for k m < 2^32.
        magic_(static_cast<unsigned long long>(n) * m_ * m_ < (1ULL << 32) && m > 1 ? 0xFFFFFFFFU / m_ + 1 : 0) {}

  __device__ int operator()(int k) const {
    const auto number = static_cast<std::uint32_t>(k);
    return static_cast<int>(magic_ != 0 ? __umulhi(number, magic_) : number / m_);
  }

 private:
  std::uint32_t m_;
  std::uint32_t magic_;
};

/// A thread's elements of a vector, in K registers. Places must be compile-time constants, as in an unrolled loop.
template <int K, class Number = float>
struct Registers {
  Number values[K];
  template <class Slot>
  __device__ Number& operator[](const Slot& slot) {
    return values[slot.place];
  }
};

/// A vector in memory.
struct InMemory {
  float* values;
  template <class Slot>
  __device__ float& operator[](const Slot& slot) const {
    return values[slot.element];
  }
};

/// Shared memory for the partial sums of a block's warps. Those of `sums` are double-buffered, so that a reduction may directly follow
/// another.
struct Partials {
  TwoSums sums[2][32];
  double values[32];  ///< of the last residual (`ResidualAndValue`)
};

/// What is known of a residual that was recomputed: its sums, ‖x‖², and the largest (|r| + u |M x|) / b of a row.
struct ResidualSums {
  Sums<float> sums;
  float norm = 0;
  float worst = 0;
};
static_assert(sizeof(ResidualSums) == sizeof(TwoSums));

/// `ResidualSums`, and K of the solution that the residual is of, without its scale (`Work::value_scale`).
struct ResidualAndValue : ResidualSums {
  double value = 0;
};

/// The elements of a pair's vectors that thread t works on: t, t + Threads, … With K = 0 these end where the vectors
/// end. Else there are K of them. Those past the end are padding, which is allocated, and 0 in all vectors but the
/// diagonal, so that loops need no bounds check.
template <int Threads, int K>
struct InTurns {
  static constexpr int threads = Threads;

  template <class Function>
  __device__ __forceinline__ static void each(int count, const Function& function) {
    if constexpr (K > 0) {
#pragma unroll
      for (int place = 0; place < K; ++place) {
        function(Slot{place, static_cast<int>(threadIdx.x) + place * Threads});
      }
    } else {
      for (int element = static_cast<int>(threadIdx.x); element < count; element += Threads) {
        function(Slot{0, element});
      }
    }
  }

  /// A loop that is not unrolled, for the few steps in double: it has little code and takes few registers.
  template <class Function>
  __device__ __forceinline__ static void in_turn(int count, const Function& function) {
#pragma unroll 1
    for (int element = static_cast<int>(threadIdx.x); element < count; element += Threads) function(Slot{0, element});
  }
};

/// A block of threads that works on one pair, each thread on its elements. Sums are in float: a thread adds its elements
/// in order, then lanes, then up to 32 warps, are added as trees. In a block of one warp a barrier is the warp's.
template <class Elements>
class BlockTeam {
 public:
  using Partial = Sums<float>;
  static constexpr int Threads = Elements::threads;

  __device__ explicit BlockTeam(Partials& partials) : partials_(partials) {}

  __device__ static float quotient(float a, float b) { return fast_quotient(a, b); }
  __device__ static double quotient(double a, double b) {
    return __fdividef(static_cast<float>(a), static_cast<float>(b));
  }

  __device__ static void barrier() { block_barrier<Threads>(); }

  /// As `for_each`, without the barrier.
  template <class Function>
  __device__ __forceinline__ static void each(int count, const Function& function) {
    Elements::each(count, function);
  }

  template <class Function>
  __device__ __forceinline__ void for_each(int count, const Function& function) const {
    Elements::each(count, function);
    barrier();
  }

  template <class Function>
  __device__ __forceinline__ void in_turn(int count, const Function& function) const {
    Elements::in_turn(count, function);
    barrier();
  }

  template <class Function>
  __device__ __forceinline__ TwoSums sum(int count, const Function& function) const {
    const Partial all = sum_in_float(count, function);
    return {static_cast<double>(all.first), static_cast<double>(all.second)};
  }

  template <class Function>
  __device__ __forceinline__ Partial sum_in_float(int count, const Function& function) const {
    Partial mine;
    Elements::each(count, [&](auto slot) { function(slot, mine); });
    return sums_of_block(mine);
  }

  /// Returns the sums of a residual over all threads. `function(slot, mine)` adds what one of the thread's elements
  /// contributes to `mine`, but for `mine.value`, which is complete before. The sums of one warp, its *share*, stay in
  /// shared memory: that of K until there is another, the others until the next sum. So `value`, `norm` and `worst`,
  /// which are asked for once a pair, take no registers in between, and no barrier.
  template <class Shares = ResidualSums, class Function>
  __device__ __forceinline__ Partial residual_sums(int count, Shares mine, const Function& function) const {
    if constexpr (requires { mine.value; }) {
      const double value = sum_of_lanes(mine.value);
      if (threadIdx.x % 32 == 0) partials_.values[threadIdx.x / 32] = value;
    }
    Elements::each(count, [&](auto slot) { function(slot, mine); });
    const ResidualSums share{from_halves(two_sums_of_lanes(mine.sums.first, mine.sums.second)), sum_of_lanes(mine.norm),
                             most_of_lanes(mine.worst)};
    turn_ ^= 1;
    if (threadIdx.x % 32 == 0) shares_of_warps()[threadIdx.x / 32] = share;
    barrier();
    if constexpr (Threads == 32) {
      return share.sums;
    } else {
      const Partial sums = share_of_warp().sums;
      return from_halves(two_sums_of_lanes(sums.first, sums.second));
    }
  }
  /// The value of K from the last `residual_sums` that summed one.
  __device__ __forceinline__ double value() const {
    if constexpr (Threads == 32) return partials_.values[0];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return sum_of_lanes(lane < Threads / 32 ? partials_.values[lane] : 0.0);
  }
  /// ‖x‖² and the worst row of the last `residual_sums`, as long as no other sum has followed it.
  __device__ __forceinline__ float norm() const { return sum_of_lanes(share_of_warp().norm); }
  __device__ __forceinline__ float worst() const { return most_of_lanes(share_of_warp().worst); }

  /// Σ f(k).
  template <class Function>
  __device__ __forceinline__ float one_sum(int count, const Function& function) const {
    float mine = 0;
    Elements::each(count, [&](auto slot) { mine += function(slot); });
    return sum_of_block(mine);
  }

  /// Adds several sums over all threads. Each step in a warp halves a lane's sums, until lanes l / (32 / Count) = k have sum k.
  static constexpr int at_once = 8;  ///< the most
  template <int Count>
  __device__ __forceinline__ void all_sums(float (&sums)[Count]) const {
    static_assert(Count <= at_once && at_once % Count == 0);
    static_assert(sizeof(float) * Count * (Threads / 32) <= sizeof(Partials) / 2);
    constexpr int lanes_a_sum = 32 / Count;
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int kept = Count / 2; kept > 0; kept /= 2) {
      const bool upper = (lane & lanes_a_sum * kept) != 0;
#pragma unroll
      for (int k = 0; k < kept; ++k) {
        const float passed = upper ? sums[k] : sums[k + kept];
        const float own = upper ? sums[k + kept] : sums[k];
        sums[k] = own + __shfl_xor_sync(0xFFFFFFFFU, passed, lanes_a_sum * kept);
      }
    }
    float all = sums[0];
#pragma unroll
    for (int distance = lanes_a_sum / 2; distance > 0; distance /= 2)
      all += __shfl_xor_sync(0xFFFFFFFFU, all, distance);
    auto* const each_warp = reinterpret_cast<float*>(partials_.sums[turn_]);
    turn_ ^= 1;
    if (lane % lanes_a_sum == 0) {
      each_warp[static_cast<int>(threadIdx.x) / 32 * Count + lane / lanes_a_sum] = all;
    }
    barrier();
    all = 0;
#pragma unroll
    for (int place = lane; place < Count * (Threads / 32); place += 32) all += each_warp[place];
#pragma unroll
    for (int distance = Count; distance < 32; distance *= 2) all += __shfl_xor_sync(0xFFFFFFFFU, all, distance);
#pragma unroll
    for (int k = 0; k < Count; ++k) sums[k] = __shfl_sync(0xFFFFFFFFU, all, k);
  }

  /// The largest f(k), returned to all threads; f(k) ≥ 0.
  template <class Function>
  __device__ __forceinline__ double most(int count, const Function& function) const {
    float mine = 0;
    Elements::in_turn(count, [&](auto slot) { mine = fmaxf(mine, static_cast<float>(function(slot))); });
    return static_cast<double>(most_of_block(mine));
  }

  /// The largest of the threads' numbers, returned to all of them; mine ≥ 0.
  __device__ __forceinline__ float most_of_block(float mine) const {
    mine = most_of_lanes(mine);
    if constexpr (Threads > 32) {
      auto* const each_warp = reinterpret_cast<float*>(partials_.sums[turn_]);
      turn_ ^= 1;
      if (threadIdx.x % 32 == 0) each_warp[threadIdx.x / 32] = mine;
      __syncthreads();
      const int lane = static_cast<int>(threadIdx.x) % 32;
      mine = most_of_lanes(lane < Threads / 32 ? each_warp[lane] : 0.0F);
    }
    return mine;
  }

  /// Σ f(k) in double, by a loop that is not unrolled.
  template <class Function>
  __device__ __forceinline__ double sum_in_double(int count, const Function& function) const {
    double mine = 0;
    in_turn(count, [&](auto slot) { mine += function(slot); });
    return sum_of_block(mine);
  }

  /// Σ f(slot) in double over all elements of the threads, by an unrolled loop.
  template <class Function>
  __device__ __forceinline__ double sum_all_in_double(const Function& function) const {
    double mine = 0;
    Elements::each(0, [&](auto slot) { mine += function(slot); });
    return sum_of_block(mine);
  }

 private:
  __device__ ResidualSums* shares_of_warps() const {
    return reinterpret_cast<ResidualSums*>(partials_.sums[turn_ ^ 1]);
  }
  /// The share of the warp whose number is this lane's, or zeros if there is no such warp.
  __device__ __forceinline__ ResidualSums share_of_warp() const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return lane < Threads / 32 ? shares_of_warps()[lane] : ResidualSums{};
  }

  /// The sum over groups of `Lanes` adjacent lanes.
  template <int Lanes = 32, class T>
  __device__ __forceinline__ static T sum_of_lanes(T mine) {
#pragma unroll
    for (int distance = Lanes / 2; distance > 0; distance /= 2) mine += __shfl_xor_sync(0xFFFFFFFFU, mine, distance);
    return mine;
  }

  /// Sums over all lanes of the warp: that of `first` in lanes 0 to 15, that of `second` in the others.
  __device__ __forceinline__ static float two_sums_of_lanes(float first, float second) {
    const bool upper = threadIdx.x % 32 >= 16;
    const float passed = upper ? first : second;
    float mine = upper ? second : first;
    mine += __shfl_xor_sync(0xFFFFFFFFU, passed, 16);
    return sum_of_lanes<16>(mine);
  }
  /// Two numbers, of which the lower half of the lanes has one and the upper half the other, for all lanes.
  __device__ __forceinline__ static Partial from_halves(float mine) {
    const float other = __shfl_xor_sync(0xFFFFFFFFU, mine, 16);
    return threadIdx.x % 32 >= 16 ? Partial{other, mine} : Partial{mine, other};
  }

  /// The number of warps, rounded up to a power of two, at least 2.
  static constexpr int sums_of_warps = Threads <= 64    ? 2
                                       : Threads <= 128 ? 4
                                       : Threads <= 256 ? 8
                                       : Threads <= 512 ? 16
                                                        : 32;

  /// Both sums over the block. Each half of a warp's lanes adds up one of them.
  __device__ __forceinline__ Partial sums_of_block(Partial sums) const {
    float mine = two_sums_of_lanes(sums.first, sums.second);
    if constexpr (Threads > 32) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      auto* const each_warp = reinterpret_cast<float*>(partials_.sums[turn_]);  // {first, second} of each
      turn_ ^= 1;
      if (lane % 16 == 0) each_warp[static_cast<int>(threadIdx.x) / 32 * 2 + lane / 16] = mine;
      __syncthreads();
      if constexpr (sums_of_warps == 32) {
        const auto& share = reinterpret_cast<const Partial*>(each_warp)[lane];
        mine = two_sums_of_lanes(share.first, share.second);
      } else {
        const int number = lane % sums_of_warps;
        mine = sum_of_lanes<sums_of_warps>(number < Threads / 32 ? each_warp[number * 2 + lane / 16] : 0.0F);
      }
    } else {
      __syncwarp();  // a shuffle alone does not make the lanes' writes visible to each other
    }
    return from_halves(mine);
  }

  /// The sum of the threads' numbers.
  template <class T>
  __device__ __forceinline__ T sum_of_block(T mine) const {
    mine = sum_of_lanes(mine);
    if constexpr (Threads > 32) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      auto* const each_warp = reinterpret_cast<T*>(partials_.sums[turn_]);
      turn_ ^= 1;
      if (lane == 0) each_warp[threadIdx.x / 32] = mine;
      __syncthreads();
      const int number = lane % sums_of_warps;
      mine = sum_of_lanes<sums_of_warps>(number < Threads / 32 ? each_warp[number] : T(0));
    } else {
      __syncwarp();  // a shuffle alone does not make the lanes' writes visible to each other
    }
    return mine;
  }

  Partials& partials_;
  mutable int turn_ = 0;
};

}  // namespace octile::cuda
