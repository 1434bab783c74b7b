// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/exact_kernel.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <octile/base/parallel.hpp>
#include <octile/error.hpp>
#include <octile/kernels/leaf_table.hpp>

namespace octile {
namespace {

/// Rows of a table that a thread fills at a time.
constexpr std::size_t exact_rows_at_once = 8;

/// The names that are not empty, such as "charge, length".
std::string names_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!name.empty()) list += (list.empty() ? "" : ", ") + name;
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::vector<ProgramParameter> program_parameters(std::span<const Instruction> program) {
  std::vector<ProgramParameter> all;
  if (program.size() == 1 && program[0].code == Instruction::Code::constant && program[0].parameter == 1) return all;
  for (std::size_t step = 0; step < program.size(); ++step) {
    const auto number = static_cast<std::int32_t>(step);
    if (program[step].code == Instruction::Code::constant) all.push_back({number, 0});
    if (program[step].code != Instruction::Code::leaf) continue;
    const LeafRow& leaf = leaf_table()[static_cast<std::size_t>(program[step].leaf)];
    for (std::size_t k = 0; k < leaf.parameters.size(); ++k) {
      if (leaf.parameters[k].differentiable()) all.push_back({number, static_cast<std::int32_t>(k)});
    }
  }
  return all;
}

ExactKernel::ExactKernel(LoweredKernel lowered, bool slopes, Values values)
    : lowered_(std::move(lowered)),
      tables_(values == Values::by_attribute && lowered_.takes_tables() ? AttributeTables(lowered_)
                                                                        : AttributeTables()),
      parameters_(program_parameters(lowered_.exact)) {
  if (!slopes || !lowered_.tabulated()) return;
  const std::size_t count = lowered_.record_count;
  for (const ProgramParameter& parameter : parameters_) {
    std::vector<double> table(count * count);
    in_parallel(count, exact_rows_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          table[a * count + b] =
              run_program_slope(lowered_.exact.data(), static_cast<int>(lowered_.exact.size()), labels(),
                                static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), parameter)
                  .slope;
        }
      }
    });
    slope_tables_.push_back(std::move(table));
  }
}

void ExactKernel::values(std::uint32_t record, std::span<const std::uint32_t> others, double* values) const {
  if (lowered_.constant()) {
    std::fill_n(values, others.size(), lowered_.program[0].parameter);
    return;
  }
  if (lowered_.tabulated()) {
    const double* const row = lowered_.table.data() + record * lowered_.record_count;
    for (std::size_t k = 0; k < others.size(); ++k) values[k] = row[others[k]];
    return;
  }
  if (!tables_.steps.empty()) {
    const AttributePointers by_attribute = tables_.pointers(lowered_);
    for (std::size_t k = 0; k < others.size(); ++k) values[k] = by_attribute.evaluate(record, others[k]);
    return;
  }
  const RecordPointers pointers = labels();
  const Instruction& first = lowered_.program[0];
  const auto steps = static_cast<int>(lowered_.program.size());
  if (lowered_.leaf()) {
    const double label = lowered_.records[record];
    for (std::size_t k = 0; k < others.size(); ++k) {
      values[k] = LeafKernels::value<double>(first.leaf, label, lowered_.records[others[k]], first);
    }
    return;
  }
  for (std::size_t k = 0; k < others.size(); ++k) {
    values[k] = run_program(lowered_.program.data(), steps, pointers, record, others[k]);
  }
}

void ExactKernel::slopes(std::size_t parameter, std::uint32_t record, std::span<const std::uint32_t> others,
                         double* slopes) const {
  if (!slope_tables_.empty()) {
    const double* const row = slope_tables_[parameter].data() + record * lowered_.record_count;
    for (std::size_t k = 0; k < others.size(); ++k) slopes[k] = row[others[k]];
    return;
  }
  const RecordPointers pointers = labels();
  const auto steps = static_cast<int>(lowered_.exact.size());
  for (std::size_t k = 0; k < others.size(); ++k) {
    slopes[k] =
        run_program_slope(lowered_.exact.data(), steps, pointers, record, others[k], parameters_[parameter]).slope;
  }
}

std::int32_t ExactKernel::slot_of(std::string_view attribute) const {
  if (std::ranges::find(lowered_.vectors, attribute) != lowered_.vectors.end()) {
    throw Error(fmt::format(
        "derivatives by the attribute '{}', which the kernel reads as a vector; allowed are numbers", attribute));
  }
  const auto found = std::ranges::find(lowered_.numbers, attribute);
  if (attribute.empty() || found == lowered_.numbers.end()) {
    throw Error(
        fmt::format("derivatives by the attribute '{}', whose numbers the kernel does not read; it reads those of {}",
                    attribute, names_of(lowered_.numbers)));
  }
  return static_cast<std::int32_t>(found - lowered_.numbers.begin());
}

double ExactKernel::by_label(std::int32_t slot, std::uint32_t a, std::uint32_t b) const {
  return run_program_by_label(lowered_.exact.data(), static_cast<int>(lowered_.exact.size()), labels(), a, b, slot)
      .slope;
}

}  // namespace octile
