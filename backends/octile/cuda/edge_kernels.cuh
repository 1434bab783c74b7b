// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/cuda/iterate/intrinsics.cuh>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/octile_set.hpp>
#include <octile/runtime_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels as the native solver evaluates them, over the labels that its set holds:
//
//     hold(label, weight)   what a lane keeps of one of its edges in registers
//     value(label, held)    weight · κe(label, that edge's label)
//     walked(label, weight) optional: what of it goes to the weight of the edge that is walked, and `value` then lacks
//
namespace octile::cuda {

/// A w exp(−s (x − y)²) of labels that were stored as x √(s log₂e): 2^(log₂w − (x − y)²). Relative error: 2^-22 from the
/// exponential, and the rounding of its exponent, |exponent| 2^-24 ln 2; weights that are powers of two add none.
struct FastSquareExponential {
  struct Held {
    float label;
    float log_weight;  ///< −∞ for padding
  };

  /// A label as it is to be stored.
  static float stored(double label, double rate) {
    constexpr double log2_of_e = 1.4426950408889634;
    return static_cast<float>(label * std::sqrt(rate * log2_of_e));
  }

  __device__ static Held hold(float label, float weight) { return {label, log2f(weight)}; }
  __device__ static float value(float label, const Held& held) {
    const float difference = label - held.label;
    return fast_exp2(held.log_weight - difference * difference);
  }
};

/// The same of labels of at most 1.5, as stored: 2^(−x²) goes to the weight, and the exponent that is left, 2 x y − y² + log₂w, is one
/// multiply-add. Relative error: thrice 2^-22, and (x² + y² + |2 x y − y²|) 2^-24 ln 2, 5e-7 at most, of either sign.
struct NearSquareExponential {
  static constexpr float largest_label = largest_near_label;
  struct Held {
    float twice;
    float rest;
  };

  __device__ explicit NearSquareExponential(const FastSquareExponential&) {}
  __device__ static Held hold(float label, float weight) { return {2 * label, fast_log2(weight) - label * label}; }
  __device__ static float value(float label, const Held& held) { return fast_exp2(fmaf(label, held.twice, held.rest)); }
  __device__ static float walked(float label, float weight) { return weight * fast_exp2(-label * label); }
};

/// κ = c.
struct FastConstant {
  float constant;
  using Held = float;
  __device__ Held hold(NoLabel, float weight) const { return weight * constant; }
  __device__ static float value(NoLabel, Held held) { return held; }
};

/// 1 where the ids are equal, else h.
struct FastDelta {
  float h;
  struct Held {
    std::uint32_t label;
    float same;
    float other;
  };
  __device__ Held hold(std::uint32_t label, float weight) const { return {label, weight, weight * h}; }
  __device__ static float value(std::uint32_t label, const Held& held) {
    return label == held.label ? held.same : held.other;
  }
};

/// A count × count table of κ over ids, in global memory and soon in the cache of each multiprocessor.
template <class MemorySpace>
class FastTable {
 public:
  using Table = RuntimeKernel<float, MemorySpace>;
  struct Held {
    const float* row;
    float weight;
  };

  explicit FastTable(const Table& kernel) : table_(kernel.table()), count_(kernel.count()) {}

  __device__ Held hold(std::uint32_t label, float weight) const { return {&table_(label * count_), weight}; }
  __device__ static float value(std::uint32_t label, const Held& held) { return held.weight * __ldg(held.row + label); }

 private:
  std::decay_t<decltype(std::declval<Table>().table())> table_;
  std::uint32_t count_;
};

/// Any base kernel over any label, as its author wrote it.
template <class Kernel, class Label>
struct TypedKernel {
  Kernel kernel;
  struct Held {
    Label label;
    float weight;
  };
  __device__ static Held hold(const Label& label, float weight) { return {label, weight}; }
  __device__ float value(const Label& label, const Held& held) const {
    return held.weight * kernel.template evaluate<float>(label, held.label);
  }
};

}  // namespace octile::cuda
