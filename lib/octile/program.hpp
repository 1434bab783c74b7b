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

namespace detail {

/// Runs `count` instructions; `operand(instruction, x, y)` fetches a leaf's two
/// arguments, `convolve(k)` is the value of the convolution at instruction k.
template <class T, class Operand, class Convolve>
KOKKOS_INLINE_FUNCTION T run_postfix(const Instruction* program, int count, const Operand& operand,
                                     const Convolve& convolve) {
  T stack[static_cast<std::size_t>(program_stack)];
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
    } else if (instruction.code == Instruction::Code::constant) {
      stack[++top] = static_cast<T>(instruction.parameter);  // reads no label: a record may be empty
    } else {
      T x = 0;
      T y = 0;
      operand(instruction, x, y);
      stack[++top] = LeafKernels::value(instruction.leaf, x, y, instruction);
    }
  }
  return stack[0];
}

}  // namespace detail

/// κ of records a and b.
template <class T>
KOKKOS_INLINE_FUNCTION T run_program(const Instruction* program, int count, const RecordPointers<T>& labels,
                                     std::uint32_t a, std::uint32_t b) {
  const T* left = labels.records + static_cast<std::size_t>(a) * static_cast<std::size_t>(labels.slots);
  const T* right = labels.records + static_cast<std::size_t>(b) * static_cast<std::size_t>(labels.slots);
  const auto slot = [&](const Instruction& instruction, T& x, T& y) {
    x = left[instruction.slot];
    y = right[instruction.slot];
  };
  const auto convolve = [&](int k) {
    const auto left_list = static_cast<std::int32_t>(left[program[k].slot]);
    const auto right_list = static_cast<std::int32_t>(right[program[k].slot]);
    T sum = 0;
    int terms = 0;
    for (int i = labels.list_begin[left_list]; i < labels.list_begin[left_list + 1]; ++i) {
      for (int j = labels.list_begin[right_list]; j < labels.list_begin[right_list + 1]; ++j) {
        const auto element = [&](const Instruction&, T& x, T& y) {
          x = labels.list_values[i];
          y = labels.list_values[j];
        };
        sum += detail::run_postfix<T>(program + k + 1, program[k].count, element, [](int) { return T(0); });
        ++terms;
      }
    }
    return terms > 0 ? sum / static_cast<T>(terms) : T(0);
  };
  return detail::run_postfix<T>(program, count, slot, convolve);
}

}  // namespace octile
