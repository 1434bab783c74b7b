// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/parallel.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/certify/exact_kernel.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/record_arrays.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/on_device/flat_slopes.hpp>
#include <octile/on_device/term_slopes.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace octile::detail {

/// A base kernel and its derivatives are functions of two labels: number 0 is κ, and t + 1 is ∂κ/∂θ of parameter t. A device
/// evaluates some of them at a time, `at_once` from number `first` on. What it gives beyond the last counts for nothing. `Real` is the precision
/// that suffices. Those that have a `function(number, sums)` give other numbers, whose sums the functions are formed of.

/// How many functions of `count` are had from sums of what `functions` gives.
template <class Functions>
KOKKOS_INLINE_FUNCTION int functions_given(const Functions& functions, int count) {
  const int left = count - functions.first;
  if constexpr (requires(const double* sums) { functions.function(0, sums); }) {
    return left;
  } else {
    return Kokkos::min(+Functions::at_once, left);
  }
}
/// Function `number` of sums of what `functions` gives.
template <class Functions>
KOKKOS_INLINE_FUNCTION double function_of_sums(const Functions& functions, int number, const double* sums) {
  if constexpr (requires { functions.function(number, sums); }) {
    return functions.function(number, sums);
  } else {
    return sums[number - functions.first];
  }
}

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

/// ∂κ/∂θ of a constant κ by one of its parameters: it is perhaps a power of one, or a normalised one. Its program reads no label.
inline double slope_of_constant(const ExactKernel& kernel, std::size_t parameter) {
  const std::uint32_t any = 0;
  double slope = 0;
  kernel.slopes(parameter, any, {&any, 1}, &slope);
  return slope;
}

/// κ alone, which is one number.
struct ConstantSlope {
  static constexpr int at_once = 1;
  double value;
  int first = 0;

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel&, const SlopeLabel&, double* values) const {
    values[0] = value;
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
  FastExponential exponential;
  double inverse_length;
  int first = 0;

  explicit GaussianSlopes(const LeafArguments& arguments) : inverse_length(std::sqrt(2 * arguments.parameter)) {}

  template <class Real>
  KOKKOS_INLINE_FUNCTION void evaluate(const SlopeLabel& a, const SlopeLabel& b, double* values) const {
    // Labels far from 0 are told apart in double.
    const double ratio = Kokkos::abs(a.number - b.number) * inverse_length;
    const Slope<Real> found = exponential.square_exponential(static_cast<Real>(ratio));
    if (at_once == 2) values[0] = static_cast<double>(found.value);
    values[at_once - 1] = static_cast<double>(found.slope) * inverse_length;
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

/// An `ExactKernel` with its derivatives in one memory space. With `leaves`, labels hold the number that leaves read, where all leaves of κ
/// read the same one.
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
      records_ = RecordArrays<MemorySpace>(space, lowered);
      terms_ = kernel_terms(lowered.exact, kernel.parameters());
      terms_ ? take_terms(space) : take_program(space, kernel);
    }
  }

  /// κ and its derivatives.
  int count() const { return count_; }
  /// The slot of label records whose number stands in labels, if one does.
  std::optional<std::int32_t> held() const {
    if (leaves && is_leaf_) return leaf_.slot;
    if (leaves && terms_ && terms_->slots.size() == 1) return terms_->slots[0];
    return std::nullopt;
  }

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
    } else if (terms_) {
      by_terms(first, visit);
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

  template <class ExecutionSpace>
  void take_terms(const ExecutionSpace& space) {
    share_begin_ = to_memory<MemorySpace>(space, "slope_share_begin", terms_->share_begin);
    shares_ = to_memory<MemorySpace>(space, "slope_shares", terms_->shares);
    space.fence("octile::SlopeFunctions");  // before the host's shares go
  }

  template <class ExecutionSpace>
  void take_program(const ExecutionSpace& space, const ExactKernel& kernel) {
    const std::vector<Instruction>& program = kernel.lowered().exact;
    std::vector<ProgramParameter> parameters{{static_cast<std::int32_t>(program.size()), 0}};  // no instruction
    parameters.insert(parameters.end(), kernel.parameters().begin(), kernel.parameters().end());
    const std::vector<FlatStep> steps = flat_steps(program, kernel.parameters());
    steps_ = to_memory<MemorySpace>(space, "slope_steps", steps);
    program_ = to_memory<MemorySpace>(space, "slope_program", program);
    parameters_ = to_memory<MemorySpace>(space, "slope_parameters", parameters);
    space.fence("octile::SlopeFunctions");  // before the host's parameters go
  }

  /// By the smallest of `TermSlopes` that has room for all terms.
  template <class Visit>
  void by_terms(int first, const Visit& visit) const {
    const auto visit_by = [&]<int terms, int columns, bool held>() {
      TermSlopes<terms, columns, held> functions(*terms_, records_.pointers(), share_begin_.data(), shares_.data());
      functions.first = first;
      visit(functions);
    };
    if (terms_->slots.size() == 1) {
      visit_by.template operator()<most_kernel_terms, 1, leaves>();
    } else if (terms_->slots.size() == 2) {
      visit_by.template operator()<most_kernel_terms, 2, false>();
    } else {
      visit_by.template operator()<few_kernel_terms, most_kernel_columns, false>();
    }
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
  std::optional<KernelTerms> terms_;
  Array<std::int32_t, MemorySpace> share_begin_;
  Array<TermShare, MemorySpace> shares_;
  Array<FlatStep, MemorySpace> steps_;  ///< of a flat program
  Array<Instruction, MemorySpace> program_;
  Array<ProgramParameter, MemorySpace> parameters_;
  RecordArrays<MemorySpace> records_;
};

}  // namespace octile::detail
