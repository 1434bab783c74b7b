// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/program.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::detail {

/// A label as derivatives read it: a record, and where all leaves of κ read one number, that.
struct SlopeLabel {
  double number;
  std::uint32_t record;
};

/// The most instructions of a program whose derivatives are formed all at once: a thread keeps two numbers for each.
inline constexpr std::size_t most_flat_steps = 32;

/// An instruction of a program without a part that is run for itself, such as a convolution. It knows whose values it takes.
struct FlatStep : LeafArguments {
  Instruction::Code code = Instruction::Code::constant;
  std::int32_t leaf = 0;
  std::int32_t slot = 0;
  std::int32_t left = 0;   ///< the step whose value it takes first
  std::int32_t right = 0;  ///< the step whose value it takes second, if it takes two
  std::int32_t function = 0;  ///< the number of ∂κ/∂θ of its first parameter θ; that of parameter 0 of a program is 1
  std::int32_t parameters = 0;  ///< how many it has
};

/// The steps of a program with these parameters; none if it is not flat, or too long.
inline std::vector<FlatStep> flat_steps(std::span<const Instruction> program,
                                        std::span<const ProgramParameter> parameters) {
  using Code = Instruction::Code;
  if (program.size() > most_flat_steps) return {};
  std::vector<FlatStep> steps;
  std::vector<std::int32_t> stack;
  std::int32_t parameter = 0;
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Instruction& instruction = program[k];
    FlatStep step;
    static_cast<LeafArguments&>(step) = instruction;  // NOLINT(cppcoreguidelines-slicing)
    step.code = instruction.code;
    step.leaf = instruction.leaf;
    step.slot = instruction.slot;
    switch (instruction.code) {
      case Code::multiply:
      case Code::add:
        step.right = stack.back();
        stack.pop_back();
        step.left = stack.back();
        stack.pop_back();
        break;
      case Code::power:
        step.left = stack.back();
        stack.pop_back();
        break;
      case Code::constant:
      case Code::leaf: break;
      case Code::list_leaf:
      case Code::scale:
      case Code::convolution:
      case Code::normalize: return {};
    }
    step.function = parameter + 1;
    while (static_cast<std::size_t>(parameter) < parameters.size() &&
           parameters[static_cast<std::size_t>(parameter)].instruction == static_cast<std::int32_t>(k)) {
      ++parameter;
      ++step.parameters;
    }
    stack.push_back(static_cast<std::int32_t>(k));
    steps.push_back(step);
  }
  return static_cast<std::size_t>(parameter) == parameters.size() ? steps : std::vector<FlatStep>();
}

/// κ and its derivatives by every parameter, by one run of a flat program forward and one backward:
///
///     value[k]    of step k, from those that it takes
///     adjoint[k]  ∂κ/∂value[k]: of the last step 1, and of those that a step takes its own times the step's derivative
///
/// So ∂κ/∂θ of a parameter of step k is adjoint[k] · ∂value[k]/∂θ, and each leaf is evaluated once.
template <int functions>
struct FlatSlopes {
  static constexpr int at_once = functions;
  const FlatStep* steps;
  int count;
  RecordPointers labels;
  const ProgramParameter* parameters;  ///< one a function: that of κ stands for none
  int first = 0;                       ///< number of the first function that is asked for

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    using Code = Instruction::Code;
    const double* const left =
        labels.records + static_cast<std::size_t>(a.record) * static_cast<std::size_t>(labels.slots);
    const double* const right =
        labels.records + static_cast<std::size_t>(b.record) * static_cast<std::size_t>(labels.slots);
    Real value[most_flat_steps];
    Real adjoint[most_flat_steps];
    for (int k = 0; k < count; ++k) {
      const FlatStep& step = steps[k];
      switch (step.code) {
        case Code::multiply: value[k] = value[step.left] * value[step.right]; break;
        case Code::add: value[k] = value[step.left] + value[step.right]; break;
        case Code::power: value[k] = Kokkos::pow(value[step.left], static_cast<Real>(step.parameter)); break;
        case Code::constant: value[k] = static_cast<Real>(step.parameter); break;
        default: value[k] = value_of_leaf<Real>(step.leaf, left[step.slot], right[step.slot], step);  // NOLINT
      }
    }
    for (int t = 0; t < at_once; ++t) values[t] = 0;
    if (first == 0) values[0] = static_cast<double>(value[count - 1]);
    const auto put = [&](int function, Real slope) {
      const int place = function - first;
      if (place >= 0 && place < at_once) values[place] = static_cast<double>(slope);
    };
    adjoint[count - 1] = Real(1);
    for (int k = count - 1; k >= 0; --k) {
      const FlatStep& step = steps[k];
      const Real own = adjoint[k];
      switch (step.code) {
        case Code::multiply:
          adjoint[step.left] = own * value[step.right];
          adjoint[step.right] = own * value[step.left];
          break;
        case Code::add: adjoint[step.left] = adjoint[step.right] = own; break;
        case Code::power: {
          const auto exponent = static_cast<Real>(step.parameter);
          const Real base = value[step.left];
          adjoint[step.left] = base > Real(0)        ? own * exponent * (value[k] / base)
                               : exponent == Real(1) ? own
                                                     : Real(0);
          break;
        }
        case Code::constant: put(step.function, own); break;
        default:
          for (int j = 0; j < step.parameters; ++j) {
            const int function = step.function + j;
            put(function, own * derivative_of_leaf<Real>(step.leaf, parameters[function].k, left[step.slot],
                                                         right[step.slot], step));  // NOLINT
          }
      }
    }
  }
};

}  // namespace octile::detail
