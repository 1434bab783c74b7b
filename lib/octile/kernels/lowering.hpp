// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/kernels/graph_labels.hpp>
#include <octile/kernels/leaf_kernels.hpp>
#include <octile/kernels/program.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octile {

/// A base kernel lowered for one set of graphs, on the host and in double:
///
///     columns by name ─► distinct label records, numbered ─► an id a vertex or edge
///     expression      ─► postfix program over record slots
///     few records     ─► table of κ over all pairs of ids
///
/// Only attributes that the expression reads are in a record, so vertices that
/// the kernel cannot tell apart share an id.
struct LoweredKernel {
  std::vector<Instruction> program;
  std::vector<Instruction> exact;  ///< for derivatives (`CompiledKernel`)
  std::int32_t slots = 0;
  std::vector<std::string> numbers;  ///< by slot: the attribute whose numbers it has, empty for codes, lists and scales
  std::vector<std::string> vectors;  ///< the attributes that are read as vectors
  std::vector<double> records;       ///< record_count × slots, row major
  std::vector<std::int32_t> list_begin;  ///< lists + 1
  std::vector<double> list_values;
  std::vector<std::vector<std::uint32_t>> ids;  ///< by graph, then by vertex or edge
  std::size_t record_count = 0;
  std::vector<double> table;  ///< record_count², symmetric; empty where there are too many records

  bool constant() const { return program.size() == 1 && program[0].code == Instruction::Code::constant; }
  /// The program is one leaf of one label.
  bool leaf() const { return program.size() == 1 && program[0].code == Instruction::Code::leaf; }
  /// The program is one square exponential of one number.
  bool square_exponential() const { return is_leaf(leaf_number<GaussianLeaf>); }
  /// The program is one delta of one label: ids are equal just where the labels are.
  bool delta() const { return is_leaf(leaf_number<DeltaLeaf>); }
  bool tabulated() const { return !table.empty(); }
  /// Whether small tables by attribute take the place of one of all pairs, for vertices (`AttributeTables`).
  bool takes_tables() const { return !tabulated() && !constant() && record_count > 0; }
  /// How many records a table of all pairs has: a constant is one record, which all vertices have.
  std::size_t table_ids() const { return constant() ? 1 : record_count; }
  /// Such as "table over 4 labels".
  std::string description() const;

 private:
  bool is_leaf(std::int32_t number) const { return leaf() && program[0].leaf == number; }
};

/// A table is formed for at most so many distinct labels (2 MiB in double).
inline constexpr std::size_t table_limit = 512;

/// A GPU tabulates vertex kernels of up to so many distinct labels (384 MiB), and evaluates others once for each pair of graphs.
inline constexpr std::size_t vertex_table_limit = 4096;

/// Lowers an expression for a set. Throws `Error` that names graph and attribute
/// where a graph with such vertices or edges lacks the attribute or has it in a
/// type that the kernel cannot take, and where an empty list would make a vertex
/// kernel zero.
LoweredKernel lower(std::span<const Graph> graphs, const Expression& expression, LabelSite site);

}  // namespace octile
