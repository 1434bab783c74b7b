// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/device_edges.hpp>
#include <octile/exact_kernel.hpp>
#include <octile/flat_slopes.hpp>
#include <octile/leaf_kernels.hpp>
#include <octile/parallel.hpp>
#include <octile/program.hpp>
#include <octile/record_arrays.hpp>
#include <octile/to_memory.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace octile::detail {

/// A base kernel and its derivatives are functions of two labels: number 0 is κ, and t + 1 is ∂κ/∂θ of parameter t. A device
/// evaluates some of them at a time, `at_once` from number `first` on. What it gives beyond the last counts for nothing. `Real` is the precision
/// that suffices.

/// κ and its derivatives by a table that has the `count` functions of each two records side by side.
template <int functions>
struct TabulatedSlopes {
  static constexpr int at_once = functions;
  const double* table;
  std::uint32_t records;
  int count;
  int first = 0;

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    const std::size_t place = static_cast<std::size_t>(a.record) * records + b.record;
    const double* const row = table + place * static_cast<std::size_t>(count) + first;
    for (int t = 0; t < at_once; ++t) values[t] = row[t];
  }
};

/// κ and its derivatives by the leaf that is all of κ.
struct LeafSlopes {
  static constexpr int at_once = 2;
  Instruction leaf;
  int count;  ///< of functions
  int first = 0;

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    for (int t = 0; t < at_once; ++t) values[t] = function(first + t, a.number, b.number);
  }
  KOKKOS_INLINE_FUNCTION double function(int number, double x, double y) const {
    if (number == 0) return LeafKernels::value<double>(leaf.leaf, x, y, leaf);
    return number < count ? LeafKernels::derivative<double>(leaf.leaf, number - 1, x, y, leaf) : 0.0;
  }
};

/// κ, if it is one square exponential, and its derivative κ (x − y)² / length³: one power for both. With `first` of 1
/// the derivative alone.
template <int functions>
struct GaussianSlopes {
  static constexpr int at_once = functions;
  SquareExponentialEdges power;
  double inverse_length;
  int first = 0;

  explicit GaussianSlopes(const LeafArguments& arguments)
      : power(arguments, nullptr), inverse_length(std::sqrt(2 * arguments.parameter)) {}

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    // Labels far from 0 are told apart in double.
    const auto ratio = static_cast<Real>((a.number - b.number) * inverse_length);
    // The power of this one is as good as 0. A square itself may be infinite.
    constexpr Real most_square = std::is_same_v<Real, float> ? 300 : 2000;
    const Real square = Kokkos::min(ratio * ratio, most_square);
    Real kappa;
    if constexpr (std::is_same_v<Real, float>) {
      constexpr auto rate = static_cast<float>(-0.5 / Kokkos::numbers::ln2);
      kappa = Kokkos::exp2(rate * square);
    } else {
      kappa = power.power_of_2(-0.5 / Kokkos::numbers::ln2 * square);
    }
    if (at_once == 2) values[0] = static_cast<double>(kappa);
    values[at_once - 1] = static_cast<double>(kappa * square) * inverse_length;
  }
};

/// κ and its derivatives by the program, which runs once for each function.
struct ProgrammedSlopes {
  static constexpr int at_once = 1;
  const Instruction* program;
  int steps;
  RecordPointers labels;
  const ProgramParameter* parameters;  ///< one a function: that of κ stands for none
  int first = 0;

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    const Slope<double> found = run_program_slope(program, steps, labels, a.record, b.record, parameters[first]);
    values[0] = first > 0 ? found.slope : found.value;
  }
};

/// An `ExactKernel` with its derivatives in one memory space. With `leaves`, a leaf that is all of κ reads numbers of labels.
template <class MemorySpace, bool leaves>
class SlopeFunctions {
 public:
  SlopeFunctions() = default;
  template <class ExecutionSpace>
  SlopeFunctions(const ExecutionSpace& space, const ExactKernel& kernel)
      : count_(static_cast<int>(kernel.parameter_count()) + 1) {
    const LoweredKernel& lowered = kernel.lowered();
    const bool complete = count_ == 1 || !kernel.slope_tables().empty();
    if (lowered.constant() || (lowered.tabulated() && complete)) {
      tabulate(space, kernel);
    } else if (leaves && lowered.exact.size() == 1 && lowered.exact[0].code == Instruction::Code::leaf) {
      leaf_ = lowered.exact[0];
      is_leaf_ = true;
      is_gaussian_ = lowered.square_exponential();
    } else {
      std::vector<ProgramParameter> parameters{{static_cast<std::int32_t>(lowered.exact.size()), 0}};  // no instruction
      parameters.insert(parameters.end(), kernel.parameters().begin(), kernel.parameters().end());
      const std::vector<FlatStep> steps = flat_steps(lowered.exact, kernel.parameters());
      steps_ = to_memory<MemorySpace>(space, "slope_steps", steps);
      program_ = to_memory<MemorySpace>(space, "slope_program", lowered.exact);
      parameters_ = to_memory<MemorySpace>(space, "slope_parameters", parameters);
      records_ = RecordArrays<MemorySpace>(space, lowered);
      space.fence("octile::SlopeFunctions");  // before the host's parameters go
    }
  }

  /// κ and its derivatives.
  int count() const { return count_; }
  /// Whether labels take the numbers that a leaf reads.
  bool is_leaf() const { return is_leaf_; }

  /// Calls `visit(functions)` for the functions from number `first` on, some at a time.
  template <class Visit>
  void for_each(int first, const Visit& visit) const {
    if (is_leaf_) {
      if constexpr (leaves) {
        if (is_gaussian_ && first == 1) {
          in_turn(GaussianSlopes<1>(leaf_), first, visit);
        } else if (is_gaussian_) {
          in_turn(GaussianSlopes<2>(leaf_), first, visit);
        } else {
          in_turn(LeafSlopes{leaf_, count_}, first, visit);
        }
      }
    } else if (steps_.extent(0) > 0) {
      in_one_run(first, visit);
    } else if (table_.extent(0) == 0) {
      const auto steps = static_cast<int>(program_.extent(0));
      in_turn(ProgrammedSlopes{program_.data(), steps, records_.pointers(), parameters_.data()}, first, visit);
    } else if (count_ - first <= few) {
      in_turn(TabulatedSlopes<few>{table_.data(), records_of_table_, count_}, first, visit);
    } else {
      in_turn(TabulatedSlopes<many>{table_.data(), records_of_table_, count_}, first, visit);
    }
  }

 private:
  template <class Functions, class Visit>
  void in_turn(Functions functions, int first, const Visit& visit) const {
    for (functions.first = first; functions.first < count_; functions.first += Functions::at_once) visit(functions);
  }

  /// By the smallest of `FlatSlopes` that has room for all functions, or by several runs.
  template <class Visit>
  void in_one_run(int first, const Visit& visit) const {
    const auto steps = static_cast<int>(steps_.extent(0));
    if (count_ - first <= some) {
      in_turn(FlatSlopes<some>{steps_.data(), steps, records_.pointers(), parameters_.data()}, first, visit);
    } else {
      in_turn(FlatSlopes<most>{steps_.data(), steps, records_.pointers(), parameters_.data()}, first, visit);
    }
  }

  template <class ExecutionSpace>
  void tabulate(const ExecutionSpace& space, const ExactKernel& kernel) {
    const LoweredKernel& lowered = kernel.lowered();
    const std::size_t records = lowered.constant() ? 1 : lowered.record_count;
    const auto functions = static_cast<std::size_t>(count_);
    std::vector<double> table(records * records * functions + many);  // some are read beyond the last
    in_parallel(records, rows_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin * records; place < end * records; ++place) {
        double* const row = table.data() + place * functions;
        row[0] = lowered.constant() ? lowered.program[0].parameter : lowered.table[place];
        for (std::size_t t = 0; t + 1 < functions; ++t) {
          row[t + 1] = lowered.constant() ? slope_of_constant(kernel, t) : kernel.slope_tables()[t][place];
        }
      }
    });
    table_ = to_memory<MemorySpace>(space, "slope_table", table);
    records_of_table_ = static_cast<std::uint32_t>(records);
    space.fence("octile::SlopeFunctions");  // before the host's table goes
  }

  /// A constant is perhaps a power of one, or a normalised one. Its program reads no label.
  static double slope_of_constant(const ExactKernel& kernel, std::size_t parameter) {
    const std::uint32_t any = 0;
    double slope = 0;
    kernel.slopes(parameter, any, {&any, 1}, &slope);
    return slope;
  }

  /// Functions of a table that are taken at a time.
  static constexpr int few = 2;
  static constexpr int many = 4;
  /// Functions of a flat program that are taken at a time.
  static constexpr int some = 8;
  static constexpr int most = 16;
  /// Rows of a table that a thread fills at a time.
  static constexpr std::size_t rows_at_once = 8;

  int count_ = 1;
  Array<double, MemorySpace> table_;  ///< records × records × functions; empty where a leaf or a program is run
  std::uint32_t records_of_table_ = 0;
  Instruction leaf_;
  bool is_leaf_ = false;
  bool is_gaussian_ = false;
  Array<FlatStep, MemorySpace> steps_;  ///< of a flat program
  Array<Instruction, MemorySpace> program_;
  Array<ProgramParameter, MemorySpace> parameters_;
  RecordArrays<MemorySpace> records_;
};

}  // namespace octile::detail
