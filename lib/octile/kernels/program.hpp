// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/list_leaves.hpp>

#include <Kokkos_Abort.hpp>
#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace octile {

/// A run-time expression as a machine runs it: postfix, over the slots of two
/// label records. `delta(element,0.5)*gaussian(length,0.1)` is
///
///     leaf  slot 0  delta, h = 0.5
///     leaf  slot 1  gaussian, s = 50
///     multiply
///
/// A convolution is followed by the `count` instructions of its inner kernel,
/// which read the list elements in place of slots. So is `normalize`, whose inner kernel is run on (a, b), (a, a) and (b, b). A
/// leaf computes with the numbers that its row prepared; the `parameter` of a constant is c, that of a power its exponent. A
/// `list_leaf` reads lists. `scale` is the product of two numbers: 1 / √κ(a, a) and 1 / √κ(b, b), which values of a
/// normalised kernel are multiplied by where these stand in the records.
struct Instruction : LeafArguments {
  enum class Code : std::int32_t { constant, leaf, list_leaf, scale, multiply, add, power, convolution, normalize };

  Code code = Code::constant;
  std::int32_t leaf = 0;   ///< leaf: its number in `leaf_table`; list_leaf: in `list_leaf_table`
  std::int32_t slot = 0;   ///< of the label record; unused inside a convolution
  std::int32_t count = 0;  ///< convolution, normalize: instructions of the inner kernel
};

/// Deepest stack that a program may need; `lower` refuses deeper expressions.
inline constexpr int program_stack = 16;

/// Label records as a program reads them. A record has `slots` values: a number
/// as it is; the code of a text (or of any label that a delta compares); for a
/// list, its number k: elements `list_values[list_begin[k] … list_begin[k+1])`. In double for programs in float too: labels
/// that float rounds to one number may be different.
struct RecordPointers {
  const double* records;
  const std::int32_t* list_begin;
  const double* list_values;
  std::int32_t slots;
};

/// A value with its derivative with respect to one number: a parameter or a label.
template <class T>
struct Slope {
  T value = 0;
  T slope = 0;
  KOKKOS_INLINE_FUNCTION Slope& operator+=(const Slope& other) {
    value += other.value;
    slope += other.slope;
    return *this;
  }
  KOKKOS_INLINE_FUNCTION Slope& operator*=(const Slope& other) {
    slope = slope * other.value + value * other.slope;
    value *= other.value;
    return *this;
  }
};

/// A parameter of a program: number `k` of the leaf or the constant at an instruction.
struct ProgramParameter {
  std::int32_t instruction = 0;
  std::int32_t k = 0;
};

namespace detail {

/// Runs `count` instructions on a stack of V. `leaf(instruction)` is the value of a leaf or a constant, `nested(k)` that of the
/// convolution or the normalised kernel at instruction k, `power(instruction, base)` that of a power.
template <class V, class Leaf, class Nested, class Power>
KOKKOS_INLINE_FUNCTION V run_postfix(const Instruction* program, int count, const Leaf& leaf, const Nested& nested,
                                     const Power& power) {
  V stack[static_cast<std::size_t>(program_stack)];
  stack[0] = V{};  // that every program has an instruction is not known here
  int top = -1;
  for (int k = 0; k < count; ++k) {
    const Instruction& instruction = program[k];
    using Code = Instruction::Code;
    // No default: the compiler refuses a code that has no case here.
    switch (instruction.code) {
      case Code::multiply:
        stack[top - 1] *= stack[top];
        --top;
        continue;
      case Code::add:
        stack[top - 1] += stack[top];
        --top;
        continue;
      case Code::power: stack[top] = power(instruction, stack[top]); continue;
      case Code::convolution:
      case Code::normalize:
        stack[++top] = nested(k);
        k += instruction.count;
        continue;
      case Code::constant:
      case Code::leaf:
      case Code::list_leaf:
      case Code::scale: stack[++top] = leaf(instruction); continue;
    }
    Kokkos::abort("octile: an instruction of no code");
  }
  return stack[0];
}

/// κ of two labels by leaf kernel number `leaf`. Its code is long, and programs would have it in many places: they call it, with what it
/// computes with by value, since a device has no address of a launch's arguments.
template <class T>
[[gnu::noinline]] KOKKOS_FUNCTION T value_of_leaf(std::int32_t leaf, double x, double y, LeafArguments arguments) {
  return LeafKernels::value<T>(leaf, x, y, arguments);
}
/// ∂κ(x, y) / ∂(parameter k) of leaf kernel number `leaf`. It is called, as `value_of_leaf` is.
template <class T>
[[gnu::noinline]] KOKKOS_FUNCTION T derivative_of_leaf(std::int32_t leaf, int k, double x, double y,
                                                       LeafArguments arguments) {
  return LeafKernels::derivative<T>(leaf, k, x, y, arguments);
}
/// ∂κ(x, y) / ∂x of leaf kernel number `leaf`. It is called, as `value_of_leaf` is.
template <class T>
[[gnu::noinline]] KOKKOS_FUNCTION T leaf_by_label(std::int32_t leaf, double x, double y, LeafArguments arguments) {
  return LeafKernels::by_label<T>(leaf, x, y, arguments);
}

/// κ alone. Programs for it have no `normalize`: they scale.
template <class T>
struct ValueRules {
  using Value = T;
  static constexpr bool normalizes = false;

  KOKKOS_INLINE_FUNCTION T of_labels(const Instruction& instruction, double x, double y) const {
    if (instruction.code == Instruction::Code::constant) return static_cast<T>(instruction.parameter);
    if (instruction.code == Instruction::Code::scale) return static_cast<T>(x * y);
    return value_of_leaf<T>(instruction.leaf, x, y, instruction);  // NOLINT(cppcoreguidelines-slicing)
  }
  KOKKOS_INLINE_FUNCTION T fixed(T value) const { return value; }
  KOKKOS_INLINE_FUNCTION T mean(T sum, T terms) const { return sum / terms; }
  KOKKOS_INLINE_FUNCTION T power(const Instruction& instruction, T base) const {
    return Kokkos::pow(base, static_cast<T>(instruction.parameter));
  }
};

/// What the rules of derivatives have in common.
template <class T>
struct SlopeRules {
  using Value = Slope<T>;
  static constexpr bool normalizes = true;

  KOKKOS_INLINE_FUNCTION Slope<T> fixed(T value) const { return {value, T(0)}; }
  /// κ^c, c > 0.
  KOKKOS_INLINE_FUNCTION Slope<T> power(const Instruction& instruction, Slope<T> base) const {
    const T exponent = static_cast<T>(instruction.parameter);
    const T value = Kokkos::pow(base.value, exponent);
    if (base.value > T(0)) return {value, exponent * (value / base.value) * base.slope};
    return {value, exponent == T(1) ? base.slope : T(0)};
  }
};

/// κ, and its derivative with respect to one parameter: number k of `chosen`.
template <class T>
struct ParameterRules : SlopeRules<T> {
  const Instruction* chosen;
  std::int32_t k;

  KOKKOS_INLINE_FUNCTION ParameterRules(const Instruction* chosen_, std::int32_t k_) : chosen(chosen_), k(k_) {}
  KOKKOS_INLINE_FUNCTION Slope<T> of_labels(const Instruction& instruction, double x, double y) const {
    const bool differs = &instruction == chosen;
    if (instruction.code == Instruction::Code::constant) {
      return {static_cast<T>(instruction.parameter), T(differs ? 1 : 0)};
    }
    return {value_of_leaf<T>(instruction.leaf, x, y, instruction),  // NOLINT(cppcoreguidelines-slicing)
            differs ? derivative_of_leaf<T>(instruction.leaf, k, x, y, instruction) : T(0)};  // NOLINT
  }
  KOKKOS_INLINE_FUNCTION Slope<T> mean(Slope<T> sum, T terms) const { return {sum.value / terms, sum.slope / terms}; }
  KOKKOS_INLINE_FUNCTION Slope<T> normalized(Slope<T> value, Slope<T> left, Slope<T> right) const {
    const T scale = T(1) / (Kokkos::sqrt(left.value) * Kokkos::sqrt(right.value));
    const T relative = left.slope / left.value + right.slope / right.value;
    return {value.value * scale, scale * (value.slope - value.value * relative / T(2))};
  }
};

/// κ, and its derivative with respect to the number in a slot of the first record. Lists have no such slots, and κ(a, a) of kernels
/// of numbers is the same for all labels: of both the derivative is 0.
template <class T>
struct LabelRules : SlopeRules<T> {
  std::int32_t slot;

  KOKKOS_INLINE_FUNCTION explicit LabelRules(std::int32_t slot_) : slot(slot_) {}
  KOKKOS_INLINE_FUNCTION Slope<T> of_labels(const Instruction& instruction, double x, double y) const {
    if (instruction.code == Instruction::Code::constant) return {static_cast<T>(instruction.parameter), T(0)};
    return {value_of_leaf<T>(instruction.leaf, x, y, instruction),  // NOLINT(cppcoreguidelines-slicing)
            instruction.slot == slot ? leaf_by_label<T>(instruction.leaf, x, y, instruction) : T(0)};  // NOLINT
  }
  KOKKOS_INLINE_FUNCTION Slope<T> mean(Slope<T> sum, T terms) const { return {sum.value / terms, T(0)}; }
  KOKKOS_INLINE_FUNCTION Slope<T> normalized(Slope<T> value, Slope<T> left, Slope<T> right) const {
    const T scale = T(1) / (Kokkos::sqrt(left.value) * Kokkos::sqrt(right.value));
    return {value.value * scale, value.slope * scale};
  }
};

/// Runs programs on label records by rules such as `ValueRules`.
template <class T, class Rules>
class RecordMachine {
 public:
  using Value = typename Rules::Value;

  KOKKOS_INLINE_FUNCTION RecordMachine(const RecordPointers& labels, const Rules& rules)
      : labels_(labels), rules_(rules) {}

  KOKKOS_INLINE_FUNCTION Value run(const Instruction* program, int count, std::uint32_t a, std::uint32_t b) const {
    const double* const left = record(a);
    const double* const right = record(b);
    const auto nested = [&](int k) {
      const Instruction& instruction = program[k];
      if constexpr (Rules::normalizes) {
        if (instruction.code == Instruction::Code::normalize)
          return normalized(program + k + 1, instruction.count, left, right);
      }
      return convolved(program + k, left, right);
    };
    return run_inside(program, count, left, right, nested);
  }

 private:
  KOKKOS_INLINE_FUNCTION const double* record(std::uint32_t number) const {
    return labels_.records + static_cast<std::size_t>(number) * static_cast<std::size_t>(labels_.slots);
  }

  /// A record may be empty: a constant reads no label.
  KOKKOS_INLINE_FUNCTION Value leaf(const Instruction& instruction, const double* left, const double* right) const {
    if (instruction.code == Instruction::Code::constant) return rules_.of_labels(instruction, 0, 0);
    const double x = left[instruction.slot];
    const double y = right[instruction.slot];
    if (instruction.code == Instruction::Code::list_leaf) {
      return rules_.fixed(static_cast<T>(ListLeafKernels::of_lists<double>(instruction.leaf, list(x), list(y))));
    }
    return rules_.of_labels(instruction, x, y);
  }

  KOKKOS_INLINE_FUNCTION ListElements<double> list(double number) const {
    const std::int32_t* const begin = labels_.list_begin + static_cast<std::int32_t>(number);
    return {labels_.list_values + begin[0], begin[1] - begin[0]};
  }

  template <class Nested>
  KOKKOS_INLINE_FUNCTION Value run_inside(const Instruction* program, int count, const double* left,
                                          const double* right, const Nested& nested) const {
    return run_postfix<Value>(
        program, count, [&](const Instruction& instruction) { return leaf(instruction, left, right); }, nested,
        [&](const Instruction& instruction, Value base) { return rules_.power(instruction, base); });
  }

  KOKKOS_INLINE_FUNCTION Value convolved(const Instruction* convolution, const double* left,
                                         const double* right) const {
    const ListElements<double> first = list(left[convolution->slot]);
    const ListElements<double> second = list(right[convolution->slot]);
    Value sum{};
    for (std::int32_t i = 0; i < first.count; ++i) {
      for (std::int32_t j = 0; j < second.count; ++j) {
        sum += run_postfix<Value>(
            convolution + 1, convolution->count,
            [&](const Instruction& instruction) {
              return rules_.of_labels(instruction, first.values[i], second.values[j]);
            },
            [](int) { return Value{}; },
            [&](const Instruction& instruction, Value base) { return rules_.power(instruction, base); });
      }
    }
    const std::int32_t terms = first.count * second.count;
    return terms > 0 ? rules_.mean(sum, static_cast<T>(terms)) : Value{};
  }

  /// 0 where a label is nothing like itself: an empty list.
  KOKKOS_INLINE_FUNCTION Value normalized(const Instruction* program, int count, const double* left,
                                          const double* right) const {
    const auto inner = [&](const double* one, const double* other) {
      return run_inside(program, count, one, other, [&](int k) { return convolved(program + k, one, other); });
    };
    const Value of_left = inner(left, left);
    const Value of_right = inner(right, right);
    if (!(of_left.value > T(0) && of_right.value > T(0))) return Value{};
    return rules_.normalized(inner(left, right), of_left, of_right);
  }

  const RecordPointers& labels_;
  const Rules& rules_;
};

}  // namespace detail

/// κ of records a and b, by a program without `normalize`.
template <class T = double>
KOKKOS_INLINE_FUNCTION T run_program(const Instruction* program, int count, const RecordPointers& labels,
                                     std::uint32_t a, std::uint32_t b) {
  if (count == 1 && program[0].code == Instruction::Code::leaf) {
    // It needs no stack, which a GPU would have in memory.
    const auto number = [&](std::uint32_t record) {
      return labels.records[static_cast<std::size_t>(record) * static_cast<std::size_t>(labels.slots) +
                            static_cast<std::size_t>(program[0].slot)];
    };
    return LeafKernels::value<T>(program[0].leaf, number(a), number(b), program[0]);
  }
  const detail::ValueRules<T> rules;
  return detail::RecordMachine<T, detail::ValueRules<T>>(labels, rules).run(program, count, a, b);
}

/// κ of records a and b, and its derivative with respect to one parameter of the program, which does not scale.
template <class T = double>
[[gnu::noinline]] KOKKOS_FUNCTION Slope<T> run_program_slope(const Instruction* program, int count,
                                                             RecordPointers labels, std::uint32_t a, std::uint32_t b,
                                                             ProgramParameter parameter) {
  const detail::ParameterRules<T> rules(program + parameter.instruction, parameter.k);
  return detail::RecordMachine<T, detail::ParameterRules<T>>(labels, rules).run(program, count, a, b);
}

/// κ of records a and b, and its derivative with respect to the number in a slot of record a, by a program that does not scale.
/// Convolutions and kernels of lists are constants here.
template <class T = double>
KOKKOS_INLINE_FUNCTION Slope<T> run_program_by_label(const Instruction* program, int count,
                                                     const RecordPointers& labels, std::uint32_t a, std::uint32_t b,
                                                     std::int32_t slot) {
  const detail::LabelRules<T> rules(slot);
  return detail::RecordMachine<T, detail::LabelRules<T>>(labels, rules).run(program, count, a, b);
}

}  // namespace octile
