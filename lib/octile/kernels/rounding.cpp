// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/rounding.hpp>

#include <octile/kernels/leaf_kernels.hpp>

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

/// Labels of a slot, or elements of its lists.
struct LabelRange {
  double widest = 0;       ///< the largest |x − y|
  double longest = 0;      ///< list elements
  double largest_dot = 0;  ///< the largest square of a vector
};

template <class... Leaves>
KernelRounding among(LeafList<Leaves...>, std::int32_t leaf, const LeafArguments& given, const LeafLabels& labels) {
  KernelRounding rounding;
  const auto take = [&](auto one) {
    using Leaf = typename decltype(one)::type;
    if (leaf == leaf_number<Leaf>) rounding = Leaf::rounding(given, labels);
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
    // Where a kernel was simplified, constants and parameters were formed in double.
    const auto simplified = [](const Instruction& step) {
      return step.code == Instruction::Code::power || step.code == Instruction::Code::normalize;
    };
    const bool shorter = kernel.program.size() < kernel.exact.size();
    if (shorter || std::ranges::any_of(kernel.exact, simplified)) {
      of_parameters_ = 4 + static_cast<double>(kernel.exact.size());
    }
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
