// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/leaf_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/list_leaves.hpp>

namespace octile {
namespace {

template <class Leaf>
LeafText text_of(std::int32_t number) {
  return {number, Leaf::name, Leaf::equation, Leaf::values, Leaf::definite, Leaf::zero};
}

template <LeafKernel Leaf>
LeafRow row_of() {
  return {text_of<Leaf>(leaf_number<Leaf>),
          Leaf::reads,
          Leaf::parameters,
          Leaf::range,
          Leaf::prepare,
          Leaf::operations,
          Leaf::power};
}

template <ListLeafKernel Leaf>
ListLeafRow row_of() {
  return {text_of<Leaf>(ListLeafKernels::number<Leaf>), Leaf::reads, Leaf::range, Leaf::unit};
}

template <class... Leaves>
auto rows_of(LeafList<Leaves...>) {
  return std::array{row_of<Leaves>()...};
}

template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

bool LeafParameter::has_step(double value) const {
  return step == 0 || (value - low) / step == std::floor((value - low) / step);
}

bool LeafParameter::whole() const { return step == 1 && low == std::floor(low); }

std::string LeafParameter::steps() const {
  if (whole()) return "a whole number";
  std::string values = fmt::format("{}", low);
  for (double value = low + step; value <= high; value += step) values += fmt::format(", {}", value);
  return values;
}

std::string LeafParameter::allowed() const {
  if (step != 0 && !whole()) return steps();
  const std::string limits =
      fmt::format("{} {}{}", above_low ? "greater than" : "at least", low,
                  high < std::numeric_limits<double>::infinity() ? fmt::format(" and at most {}", high) : "");
  return whole() ? fmt::format("{}, {}", steps(), limits) : limits;
}

std::string LeafRow::usage() const {
  std::string text = fmt::format("{}(attribute", name);
  std::string brackets;
  for (const LeafParameter& parameter : parameters) {
    text += fmt::format("{}, {}", parameter.standard ? " [" : "", parameter.name);
    if (parameter.standard) brackets += ']';
  }
  return text + brackets + ")";
}

std::span<const LeafRow> leaf_table() {
  static const auto rows = rows_of(LeafKernels());
  return rows;
}

const LeafRow* find_leaf(std::string_view name) { return find_row(leaf_table(), name); }

std::span<const ListLeafRow> list_leaf_table() {
  static const auto rows = rows_of(ListLeafKernels());
  return rows;
}

const ListLeafRow* find_list_leaf(std::string_view name) { return find_row(list_leaf_table(), name); }

std::string leaf_names(LeafReads reads) {
  std::string names;
  for (const LeafRow& row : leaf_table()) {
    if (row.reads == reads) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

}  // namespace octile
