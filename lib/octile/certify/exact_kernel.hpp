// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/attribute_tables.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace octile {

/// The parameters of a program in the order of `parameters(expression)`. The constant 1 alone has none.
std::vector<ProgramParameter> program_parameters(std::span<const Instruction> program);

/// A lowered base kernel on the host and in double, with its derivatives: κ and ∂κ/∂θ between one record and many.
class ExactKernel {
 public:
  /// Whether values come of the kernel's program, or of `AttributeTables` where there is no table of all pairs of records.
  enum class Values { by_program, by_attribute };

  /// With `slopes`, derivatives are tabulated where the values are: count² numbers a parameter.
  ExactKernel(LoweredKernel lowered, bool slopes, Values values = Values::by_program);

  std::size_t parameter_count() const { return parameters_.size(); }
  std::span<const ProgramParameter> parameters() const { return parameters_; }
  /// By parameter, ∂κ/∂θ as `LoweredKernel::table` has κ; empty where they are not tabulated.
  const std::vector<std::vector<double>>& slope_tables() const { return slope_tables_; }
  const LoweredKernel& lowered() const { return lowered_; }
  /// How often values round beside what their program does: tables multiply and add in another order.
  double further_roundings() const { return tables_.steps.empty() ? 0 : static_cast<double>(lowered_.program.size()); }
  /// The record number of each vertex, or of each edge, of a graph.
  std::span<const std::uint32_t> ids(std::size_t graph) const { return lowered_.ids[graph]; }

  /// values[k] = κ(record, others[k]).
  void values(std::uint32_t record, std::span<const std::uint32_t> others, double* values) const;
  /// slopes[k] = ∂κ(record, others[k]) / ∂θ of parameter number `parameter`.
  void slopes(std::size_t parameter, std::uint32_t record, std::span<const std::uint32_t> others, double* slopes) const;

  /// The slot in which an attribute's numbers stand. Throws `Error` if the kernel does not read them as such.
  std::int32_t slot_of(std::string_view attribute) const;
  /// ∂κ(a, b) / ∂(the number in a slot of record a).
  double by_label(std::int32_t slot, std::uint32_t a, std::uint32_t b) const;

 private:
  RecordPointers labels() const {
    return {lowered_.records.data(), lowered_.list_begin.data(), lowered_.list_values.data(), lowered_.slots};
  }

  LoweredKernel lowered_;
  AttributeTables tables_;  ///< without a step: values come of the table, or of the program
  std::vector<ProgramParameter> parameters_;
  std::vector<std::vector<double>> slope_tables_;
};

}  // namespace octile
