// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/kernels/leaf_product.hpp>
#include <octile/kernels/terms.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels as the native solver evaluates them, on stored labels. A lane holds edges of G' and walks edges of G:
//
//     hold(label, weight)   what a lane keeps in registers of one of its edges of G'
//     value(label, held)    weight · κe(label, label of the held edge); `label` is of the edge of G that is walked
//     placed(label)         optional: what `value` takes for the label of the walked edge, formed once an edge
//     walked(label, weight) optional: the weight of the walked edge times a part of κe, which `value` then leaves out
//
// lowered_edges.cuh has edge kernels over numbers of records, by a table or a program.
namespace octile::cuda {

inline constexpr double log2_of_e = 1.4426950408889634;

/// w exp(−s (x − y)²). Labels are stored as x √(s log₂e), so that this is 2^(log₂w − (x − y)²). Its relative error is 2^-22 from
/// the exponential plus |exponent| 2^-24 ln 2 from the rounded exponent. A weight that is a power of two adds none.
struct FastSquareExponential {
  static constexpr bool has_gaussian_factors = true;  ///< `GaussianFactors` of stored labels are factors of it
  struct Held {
    float label;
    float log_weight;  ///< −∞ for padding
  };

  /// The form in which a label is stored.
  static float stored(double label, double rate) { return static_cast<float>(label * std::sqrt(rate * log2_of_e)); }

  __device__ static Held hold(float label, float weight) { return {label, log2f(weight)}; }
  __device__ static float value(float label, const Held& held) {
    const float difference = label - held.label;
    return fast_exp2(held.log_weight - difference * difference);
  }
};

/// `FastSquareExponential` for stored labels of at most 1.5. The walked edge's weight has 2^(−x²). The rest of the exponent,
/// 2 x y − y² + log₂w, is one multiply-add. Relative error: 3·2^-22, plus (x² + y² + |2 x y − y²|) 2^-24 ln 2 ≤ 5e-7.
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

/// w (c + Σ_t c_t exp(−s_t (x − y)²)) of labels as distances from the middle of their range. Terms that are not there have a factor of 0: a loop whose
/// length a compiler knows keeps no registers waiting.
struct FastExponentialSum {
  static constexpr std::size_t most = detail::ExponentialSum::most;
  float constant;
  float factors[most]{};
  float rates[most]{};  ///< −s log₂e

  struct Held {
    float label;
    float weight;
  };

  explicit FastExponentialSum(const detail::ExponentialSum& sum) : constant(static_cast<float>(sum.constant)) {
    for (std::size_t t = 0; t < sum.terms.size(); ++t) {
      factors[t] = static_cast<float>(sum.terms[t].factor);
      rates[t] = static_cast<float>(-log2_of_e * sum.terms[t].rate);
    }
  }

  __device__ static Held hold(float label, float weight) { return {label, weight}; }
  __device__ float value(float label, const Held& held) const {
    const float difference = label - held.label;
    const float square = difference * difference;
    float sum = constant;
    for (std::size_t t = 0; t < most; ++t) sum = fmaf(factors[t], fast_exp2(rates[t] * square), sum);
    return held.weight * sum;
  }
};

/// κ = c.
struct FastConstant {
  float constant;
  using Held = float;
  __device__ Held hold(NoLabel, float weight) const { return weight * constant; }
  __device__ static float value(NoLabel, Held held) { return held; }
};

/// κ = 1 where the label ids are equal, else h.
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

/// κ of two labels by a compile-time type, as it is written; exponentials of floats by the special function unit, as
/// `FastSquareExponential` has them. `QuickValue` of another type may form it in a quicker way, too.
template <class Kernel>
struct QuickValue {
  template <class Label>
  __device__ static float of(const Kernel& kernel, const Label& a, const Label& b) {
    return kernel.template evaluate<float>(a, b);
  }
};
template <>
struct QuickValue<SquareExponential> {
  template <class Label>
  __device__ static float of(const SquareExponential& kernel, const Label& a, const Label& b) {
    constexpr double usual = 1e30;
    if constexpr (std::is_same_v<Label, float>) {
      if (kernel.rate() > 1 / usual && kernel.rate() < usual) {
        const float difference = a - b;
        return fast_exp2(static_cast<float>(-log2_of_e * kernel.rate()) * difference * difference);
      }
    }
    return kernel.evaluate<float>(a, b);
  }
};
template <auto Member, class Kernel>
struct QuickValue<Field<Member, Kernel>> {
  template <class Label>
  __device__ static float of(const Field<Member, Kernel>& kernel, const Label& a, const Label& b) {
    return QuickValue<Kernel>::of(kernel.kernel(), a.*Member, b.*Member);
  }
};
template <class First, class... Rest>
struct QuickValue<TensorProduct<First, Rest...>> {
  template <class Label>
  __device__ static float of(const TensorProduct<First, Rest...>& kernel, const Label& a, const Label& b) {
    const float first = QuickValue<First>::of(kernel.first(), a, b);
    if constexpr (sizeof...(Rest) == 0) {
      return first;
    } else {
      return first * QuickValue<TensorProduct<Rest...>>::of(kernel.rest(), a, b);
    }
  }
};

/// Any base kernel that is a compile-time type, over labels of any type.
template <class Kernel, class Label>
struct TypedKernel {
  Kernel kernel;
  struct Held {
    Label label;
    float weight;
  };
  __device__ static Held hold(const Label& label, float weight) { return {label, weight}; }
  __device__ float value(const Label& label, const Held& held) const {
    return held.weight * QuickValue<Kernel>::of(kernel, label, held.label);
  }
};

/// κ of a `LeafProduct` over what it reads of labels. Without a Gaussian and deltas it is `FastConstant`, with a Gaussian alone
/// `FastGaussian`.
struct FastProduct {
  float rate;              ///< −s log₂e
  float constant;          ///< c
  float other[2];          ///< h of the two deltas
  std::uint32_t of_first;  ///< the bits of a code that the first one compares

  struct Held {
    float number;
    std::uint32_t code;
    float weight;
  };

  explicit FastProduct(const LeafProduct& product)
      : rate(rate_of(product)),
        constant(static_cast<float>(product.constant)),
        other{static_cast<float>(product.other[0]), static_cast<float>(product.other[1])},
        of_first(product.deltas > 1 ? 0xFFFFU : ~0U) {}

  /// The factor of (x − y)² in the exponent of 2.
  static float rate_of(const LeafProduct& product) { return static_cast<float>(-log2_of_e * product.rate); }

  __device__ Held hold(const NumberAndCode& label, float weight) const {
    return {label.number, label.code, weight * constant};
  }
  __device__ float value(const NumberAndCode& label, const Held& held) const {
    const float difference = label.number - held.number;
    float value = held.weight * fast_exp2(rate * difference * difference);
    const std::uint32_t unlike = label.code ^ held.code;
    if ((unlike & of_first) != 0) value *= other[0];
    if ((unlike & ~of_first) != 0) value *= other[1];
    return value;
  }
};

/// w c exp(−s (x − y)²) of numbers as they are. Their differences are rounded once.
struct FastGaussian {
  float rate;      ///< −s log₂e
  float constant;  ///< c

  struct Held {
    float number;
    float log_weight;  ///< −∞ for padding
  };

  explicit FastGaussian(const LeafProduct& product)
      : rate(FastProduct::rate_of(product)), constant(static_cast<float>(product.constant)) {}

  __device__ Held hold(float number, float weight) const { return {number, log2f(weight * constant)}; }
  __device__ float value(float number, const Held& held) const {
    const float difference = number - held.number;
    return fast_exp2(fmaf(rate * difference, difference, held.log_weight));
  }
};

/// An edge kernel over stored labels of a batch: a `LeafProduct` by what it reads, or a compile-time type.
template <class Stored, class EdgeKernel>
auto native_edges(const EdgeKernel& kernel) {
  if constexpr (!std::is_same_v<EdgeKernel, LeafProduct>) {
    return TypedKernel<EdgeKernel, Stored>{kernel};
  } else if constexpr (std::is_same_v<Stored, NoLabel>) {
    return FastConstant{static_cast<float>(kernel.constant)};
  } else if constexpr (std::is_same_v<Stored, float>) {
    return FastGaussian(kernel);
  } else {
    return FastProduct(kernel);
  }
}

}  // namespace octile::cuda
