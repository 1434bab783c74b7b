// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernel_rounding.hpp>

#include <octile/leaf_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace octile {
namespace {

/// What is asked of a leaf.
struct Asked {
  double widest = 0;         ///< the largest |x − y|
  double deepest = 0;        ///< the largest exponent that counts as relative
  double of_parameters = 0;  ///< roundoffs of its parameters, beside those of its arguments
};

/// Labels of a slot, or elements of its lists.
struct LabelRange {
  double widest = 0;       ///< the largest |x − y|
  double longest = 0;      ///< list elements
  double largest_dot = 0;  ///< the largest square of a vector
};

/// A library's exp, log1p, sin or pow is off by a unit in the last place: two roundoffs. A root, as all else, by one.
constexpr double of_function = 2;

/// e^{−t}, 0 ≤ t ≤ `largest`, times a factor that rounds by `further`, where t is off by at most `of_exponent` · t roundoffs. Those of
/// parameters count twice in t at most: as squares.
KernelRounding of_exponential(double largest, double of_exponent, double further, const Asked& asked) {
  constexpr double least_exponent = -700;
  const double deepest = asked.deepest;
  const double t = std::min(largest, deepest);
  of_exponent += 2 * asked.of_parameters;
  // t e^{−t} falls from t = 1 on.
  const double highest = largest < 1 ? largest * std::exp(-largest) : std::exp(-1.0);
  KernelRounding rounding;
  rounding.relative = of_exponent * t + of_function + further;
  rounding.absolute = largest > deepest && deepest < deepest_exponent ? of_exponent * deepest * std::exp(-deepest) : 0;
  rounding.whole = of_exponent * highest + of_function + further;
  rounding.least = std::exp(std::max(-largest, least_exponent));
  return rounding;
}

// How each leaf rounds. Its arguments are formed from its parameters by up to four operations, which are counted here.

KernelRounding rounding_of(std::type_identity<DeltaLeaf>, const LeafArguments& given, const Asked& asked) {
  return {.relative = asked.of_parameters, .absolute = 0, .whole = asked.of_parameters, .least = given.parameter};
}

/// s: 2, x − y twice: 2, products: 2. Where a device takes a power of 2: log2(e) and another product, 2, and a series for the rest.
KernelRounding rounding_of(std::type_identity<GaussianLeaf>, const LeafArguments& given, const Asked& asked) {
  constexpr double of_exponent = 8;
  constexpr double of_series = 8;
  return of_exponential(given.parameter * asked.widest * asked.widest, of_exponent, of_series, asked);
}

/// ρ: 3 of ρ, by which φ changes by less than its steepest slope, |φ'| ≤ (ℓ+2k−1)(ℓ+2k)/(2k−1) or ℓ. Then 1 − ρ, its power, and a
/// polynomial of terms ≥ 0.
KernelRounding rounding_of(std::type_identity<WendlandLeaf>, const LeafArguments& given, const Asked& asked) {
  constexpr double of_rho = 3;
  constexpr double of_polynomial = 16;
  const double l = given.exponent;
  const double k = given.degree;
  const double steepest = k == 0 ? l : (l + 2 * k - 1) * (l + 2 * k) / (2 * k - 1);
  const double rho = std::min(asked.widest * given.parameter, 1.0);
  KernelRounding rounding;
  rounding.relative = 2 * (l + k) + of_polynomial;
  rounding.absolute = of_rho * steepest * rho;
  rounding.whole = rounding.relative + rounding.absolute;
  rounding.least = LeafKernels::value<double>(leaf_number<WendlandLeaf>, 0.0, asked.widest, given);
  return rounding;
}

/// w: 3 of the scale, x − y twice: 2, products: 2. log1p(w) changes by no more, relatively. The exponent: 2 for log1p, 1 for α.
KernelRounding rounding_of(std::type_identity<RationalLeaf>, const LeafArguments& given, const Asked& asked) {
  constexpr double of_exponent = 10;
  const double largest = given.shape * std::log1p(asked.widest * asked.widest * given.parameter);
  return of_exponential(largest, of_exponent, 0, asked);
}

/// a: 2 of the scale, 2. The polynomial's terms are ≥ 0, and a counts in them twice at most.
KernelRounding rounding_of(std::type_identity<MaternLeaf>, const LeafArguments& given, const Asked& asked) {
  constexpr double of_a = 4;
  constexpr double of_polynomial = 16;
  return of_exponential(given.parameter * asked.widest, of_a, of_polynomial, asked);
}

/// The angle φ is off by 3 of all its turns, and by 3 of itself. With E = S sin² φ the exponent is off by 2 √(S E) times that, and by 8
/// of itself.
KernelRounding rounding_of(std::type_identity<PeriodicLeaf>, const LeafArguments& given, const Asked& asked) {
  constexpr double of_exponent = 8;
  const double turns = asked.widest * given.shape;
  const double of_angle = 3 * std::numbers::pi * (turns + 0.5);
  const double largest =
      turns < 0.5 ? given.parameter * std::pow(std::sin(std::numbers::pi * turns), 2) : given.parameter;
  KernelRounding rounding = of_exponential(largest, of_exponent, 0, asked);
  const double squared = given.parameter * of_angle * of_angle * unit_roundoff;
  const auto by_angle = [&](double exponent) { return 2 * std::sqrt(given.parameter * exponent) * of_angle + squared; };
  rounding.relative += by_angle(std::min(largest, asked.deepest));
  if (largest > asked.deepest && asked.deepest < deepest_exponent)
    rounding.absolute += by_angle(asked.deepest) * std::exp(-asked.deepest);
  // √E e^{−E} is largest at E = 1/2.
  rounding.whole += by_angle(std::min(largest, 0.5));
  return rounding;
}

template <class... Leaves>
KernelRounding among(LeafList<Leaves...>, std::int32_t leaf, const LeafArguments& given, const Asked& asked) {
  KernelRounding rounding;
  const auto take = [&](auto one) {
    using Leaf = typename decltype(one)::type;
    if (leaf == leaf_number<Leaf>) rounding = rounding_of(one, given, asked);
  };
  (take(std::type_identity<Leaves>()), ...);
  return rounding;
}

KernelRounding sum_of(const KernelRounding& a, const KernelRounding& b) {
  const double most = a.most + b.most;
  return {std::max(a.relative, b.relative) + 1, a.absolute + b.absolute, a.whole + b.whole + most, a.least + b.least,
          most};
}

KernelRounding product_of(const KernelRounding& a, const KernelRounding& b) {
  const double most = a.most * b.most;
  return {a.relative + b.relative + 1, a.absolute * b.most + b.absolute * a.most,
          a.whole * b.most + b.whole * a.most + most, a.least * b.least, most};
}

/// κ^c. Where κ may be 0, and c < 1, |κ̂^c − κ^c| ≤ |κ̂ − κ|^c.
KernelRounding power_of(const KernelRounding& base, double exponent) {
  const double most = std::pow(base.most, exponent);
  const double at = exponent >= 1 ? base.most : base.least;
  const double steepest = exponent * std::pow(at, exponent - 1);
  const auto changed = [&](double roundoffs) {
    if (roundoffs == 0) return 0.0;
    const double by_slope = steepest * roundoffs;
    return exponent >= 1 ? by_slope : std::min(by_slope, std::pow(roundoffs * unit_roundoff, exponent) / unit_roundoff);
  };
  return {exponent * base.relative + of_function, changed(base.absolute), changed(base.whole) + of_function * most,
          std::pow(base.least, exponent), most};
}

/// Follows a program as `run_postfix` runs it.
class Follower {
 public:
  Follower(const LoweredKernel& kernel, double deepest) : kernel_(kernel), deepest_(deepest) {
    // Where a power or what is normalised was simplified, constants and parameters were formed in double.
    const auto simplified = [](const Instruction& step) {
      return step.code == Instruction::Code::power || step.code == Instruction::Code::normalize;
    };
    if (std::ranges::any_of(kernel.exact, simplified)) of_parameters_ = 4 + static_cast<double>(kernel.exact.size());
  }

  KernelRounding of(std::span<const Instruction> program, const LabelRange* elements) const {
    using Code = Instruction::Code;
    std::vector<KernelRounding> stack;
    bool normalised = false;  // the last of the stack is a scale
    const auto pop = [&stack] {
      const KernelRounding top = stack.back();
      stack.pop_back();
      return top;
    };
    for (std::size_t k = 0; k < program.size(); ++k) {
      const Instruction& step = program[k];
      switch (step.code) {
        case Code::constant:
          stack.push_back({of_parameters_, 0, of_parameters_ * step.parameter, step.parameter, step.parameter});
          break;
        case Code::leaf: {
          const double widest = elements != nullptr ? elements->widest : widest_of(step.slot);
          stack.push_back(among(LeafKernels(), step.leaf, step, {widest, deepest_, of_parameters_}));
          break;
        }
        case Code::list_leaf: stack.push_back(of_lists(step)); break;
        case Code::scale:
          stack.push_back(of_scales(stack.back(), step.slot));
          normalised = true;
          continue;
        case Code::add: {
          const KernelRounding top = pop();
          stack.back() = sum_of(stack.back(), top);
          break;
        }
        case Code::multiply: {
          const KernelRounding top = pop();
          stack.back() = product_of(stack.back(), top);
          if (normalised) at_most_one(stack.back());
          break;
        }
        case Code::power: stack.back() = power_of(stack.back(), step.parameter); break;
        case Code::convolution: {
          const auto inner = program.subspan(k + 1, static_cast<std::size_t>(step.count));
          const LabelRange lists = list_range(step.slot);
          stack.push_back(mean_of(of(inner, &lists), lists.longest));
          k += static_cast<std::size_t>(step.count);
          break;
        }
        case Code::normalize: break;  // not in programs of values
      }
      normalised = false;
    }
    return stack.back();
  }

 private:
  double value(std::size_t record, std::int32_t slot) const {
    return kernel_.records[record * static_cast<std::size_t>(kernel_.slots) + static_cast<std::size_t>(slot)];
  }

  double widest_of(std::int32_t slot) const {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      low = std::min(low, value(record, slot));
      high = std::max(high, value(record, slot));
    }
    return high > low ? high - low : 0;
  }

  LabelRange list_range(std::int32_t slot) const {
    LabelRange lists;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      const auto list = static_cast<std::size_t>(value(record, slot));
      double square = 0;
      for (std::int32_t at = kernel_.list_begin[list]; at < kernel_.list_begin[list + 1]; ++at) {
        const double element = kernel_.list_values[static_cast<std::size_t>(at)];
        low = std::min(low, element);
        high = std::max(high, element);
        square += element * element;
      }
      lists.longest =
          std::max(lists.longest, static_cast<double>(kernel_.list_begin[list + 1] - kernel_.list_begin[list]));
      lists.largest_dot = std::max(lists.largest_dot, square);
    }
    if (high > low) lists.widest = high - low;
    return lists;
  }

  /// Sums of products that are not below 0, or a quotient of whole numbers.
  KernelRounding of_lists(const Instruction& step) const {
    if (step.leaf != ListLeafKernels::number<DotLeaf>) return {1, 0, 1, 0, 1};
    const LabelRange lists = list_range(step.slot);
    const double relative = lists.longest + 1;
    return {relative, 0, relative * lists.largest_dot, 0, lists.largest_dot};
  }

  /// s_a s_b, s = 1/√κ(a, a), where κ rounds as `inner`: half of that each, a root and a quotient.
  KernelRounding of_scales(const KernelRounding& inner, std::int32_t slot) const {
    double largest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t record = 0; record < kernel_.record_count; ++record) {
      largest = std::max(largest, value(record, slot));
      least = std::min(least, value(record, slot));
    }
    const double most = largest * largest;
    const double relative = inner.relative + inner.absolute * most + 5;
    return {relative, 0, relative * most, least * least, most};
  }

  /// κ(a, b) ≤ √(κ(a, a) κ(b, b)), since κ is positive semidefinite.
  static void at_most_one(KernelRounding& rounding) {
    rounding.most = 1;
    rounding.least = std::min(rounding.least, 1.0);
    rounding.whole = std::min(rounding.whole, rounding.relative + rounding.absolute);
  }

  /// The mean over all pairs of elements of two lists, 0 for empty ones.
  static KernelRounding mean_of(KernelRounding one, double longest) {
    const double terms = longest * longest + 1;
    one.relative += terms;
    one.whole += terms * one.most;
    one.least = 0;
    return one;
  }

  const LoweredKernel& kernel_;
  double deepest_;
  double of_parameters_ = 0;
};

}  // namespace

KernelRounding kernel_rounding(const LoweredKernel& kernel, double deepest) {
  if (kernel.record_count == 0 && !kernel.constant()) return {};
  KernelRounding rounding = Follower(kernel, deepest).of(kernel.program, nullptr);
  // Base kernels are at most 1, and the two ways to bound an error both hold.
  rounding.most = std::min(rounding.most, 1.0);
  rounding.whole = std::min(rounding.whole, rounding.relative * rounding.most + rounding.absolute);
  return rounding;
}

}  // namespace octile
