// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/leaf_kernels.hpp>

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
/// which read the list elements in place of slots. A leaf computes with the numbers that its row prepared; the
/// `parameter` of a constant is c.
struct Instruction : LeafArguments {
  enum class Code : std::int32_t { constant, leaf, multiply, add, convolution };

  Code code = Code::constant;
  std::int32_t leaf = 0;   ///< leaf: its number in `leaf_table`
  std::int32_t slot = 0;   ///< of the label record; unused inside a convolution
  std::int32_t count = 0;  ///< convolution: instructions of the inner kernel
};

/// Deepest stack that a program may need; `lower` refuses deeper expressions.
inline constexpr int program_stack = 16;

/// Label records as a program reads them. A record has `slots` values: a number
/// as it is; the code of a text (or of any label that a delta compares); for a
/// list, its number k: elements `list_values[list_begin[k] … list_begin[k+1])`.
template <class T>
struct RecordPointers {
  const T* records;
  const std::int32_t* list_begin;
  const T* list_values;
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

/// Runs `count` instructions on a stack of V. `leaf(instruction)` is the value of a leaf or a constant, `convolve(k)` that of
/// the convolution at instruction k.
template <class V, class Leaf, class Convolve>
KOKKOS_INLINE_FUNCTION V run_postfix(const Instruction* program, int count, const Leaf& leaf,
                                     const Convolve& convolve) {
  V stack[static_cast<std::size_t>(program_stack)];
  stack[0] = V{};  // that every program has an instruction is not known here
  int top = -1;
  for (int k = 0; k < count; ++k) {
    const Instruction& instruction = program[k];
    if (instruction.code == Instruction::Code::multiply) {
      stack[top - 1] *= stack[top];
      --top;
    } else if (instruction.code == Instruction::Code::add) {
      stack[top - 1] += stack[top];
      --top;
    } else if (instruction.code == Instruction::Code::convolution) {
      stack[++top] = convolve(k);
      k += instruction.count;
    } else {
      stack[++top] = leaf(instruction);
    }
  }
  return stack[0];
}

/// Runs a program on records a and b. `evaluate(instruction, x, y)` is the value of a leaf on two labels, or of a constant,
/// which reads no label: a record may be empty. `mean(sum, terms)` divides a convolution's sum by how many terms it has.
template <class V, class T, class Evaluate, class Mean>
KOKKOS_INLINE_FUNCTION V run_on_records(const Instruction* program, int count, const RecordPointers<T>& labels,
                                        std::uint32_t a, std::uint32_t b, const Evaluate& evaluate, const Mean& mean) {
  const T* left = labels.records + static_cast<std::size_t>(a) * static_cast<std::size_t>(labels.slots);
  const T* right = labels.records + static_cast<std::size_t>(b) * static_cast<std::size_t>(labels.slots);
  const auto slot = [&](const Instruction& instruction) {
    if (instruction.code == Instruction::Code::constant) return evaluate(instruction, T(0), T(0));
    return evaluate(instruction, left[instruction.slot], right[instruction.slot]);
  };
  const auto convolve = [&](int k) {
    const auto left_list = static_cast<std::int32_t>(left[program[k].slot]);
    const auto right_list = static_cast<std::int32_t>(right[program[k].slot]);
    V sum{};
    int terms = 0;
    for (int i = labels.list_begin[left_list]; i < labels.list_begin[left_list + 1]; ++i) {
      for (int j = labels.list_begin[right_list]; j < labels.list_begin[right_list + 1]; ++j) {
        const auto element = [&](const Instruction& instruction) {
          return evaluate(instruction, labels.list_values[i], labels.list_values[j]);
        };
        sum += detail::run_postfix<V>(program + k + 1, program[k].count, element, [](int) { return V{}; });
        ++terms;
      }
    }
    return terms > 0 ? mean(sum, static_cast<T>(terms)) : V{};
  };
  return detail::run_postfix<V>(program, count, slot, convolve);
}

}  // namespace detail

/// κ of records a and b.
template <class T>
KOKKOS_INLINE_FUNCTION T run_program(const Instruction* program, int count, const RecordPointers<T>& labels,
                                     std::uint32_t a, std::uint32_t b) {
  return detail::run_on_records<T>(
      program, count, labels, a, b,
      [](const Instruction& instruction, T x, T y) {
        if (instruction.code == Instruction::Code::constant) return static_cast<T>(instruction.parameter);
        return LeafKernels::value(instruction.leaf, x, y, instruction);
      },
      [](T sum, T terms) { return sum / terms; });
}

/// κ of records a and b, and its derivative with respect to one parameter of the program.
template <class T>
KOKKOS_INLINE_FUNCTION Slope<T> run_program_slope(const Instruction* program, int count,
                                                  const RecordPointers<T>& labels, std::uint32_t a, std::uint32_t b,
                                                  ProgramParameter parameter) {
  const Instruction* const chosen = program + parameter.instruction;
  return detail::run_on_records<Slope<T>>(
      program, count, labels, a, b,
      [chosen, parameter](const Instruction& instruction, T x, T y) {
        const bool differs = &instruction == chosen;
        if (instruction.code == Instruction::Code::constant) {
          return Slope<T>{static_cast<T>(instruction.parameter), T(differs ? 1 : 0)};
        }
        return Slope<T>{LeafKernels::value(instruction.leaf, x, y, instruction),
                        differs ? LeafKernels::derivative(instruction.leaf, parameter.k, x, y, instruction) : T(0)};
      },
      [](Slope<T> sum, T terms) {
        return Slope<T>{sum.value / terms, sum.slope / terms};
      });
}

/// κ of records a and b, and its derivative with respect to the number in a slot of record a. Convolutions read lists, which
/// have no slot of numbers: their values are constants here.
template <class T>
KOKKOS_INLINE_FUNCTION Slope<T> run_program_by_label(const Instruction* program, int count,
                                                     const RecordPointers<T>& labels, std::uint32_t a, std::uint32_t b,
                                                     std::int32_t slot) {
  return detail::run_on_records<Slope<T>>(
      program, count, labels, a, b,
      [slot](const Instruction& instruction, T x, T y) {
        if (instruction.code == Instruction::Code::constant)
          return Slope<T>{static_cast<T>(instruction.parameter), T(0)};
        return Slope<T>{LeafKernels::value(instruction.leaf, x, y, instruction),
                        instruction.slot == slot ? LeafKernels::by_label(instruction.leaf, x, y, instruction) : T(0)};
      },
      [](Slope<T> sum, T terms) {
        return Slope<T>{sum.value / terms, T(0)};
      });
}

}  // namespace octile
