// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/kernels/compiled_kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace octile {

/// Whether a base kernel reads the labels of vertices or of edges.
enum class LabelSite { vertex, edge };

/// A value that a delta compares. Integers and reals are one kind, compared as numbers and exactly: a real that is whole is
/// an integer.
using Comparable = std::variant<std::int64_t, double, std::string_view>;

/// The labels of one graph, numbered within it by first appearance.
struct GraphLabels {
  std::vector<std::vector<Comparable>> codes;                      ///< by slot: what its deltas compare
  std::vector<std::pair<std::size_t, std::vector<double>>> lists;  ///< slot, and codes or numbers
  std::vector<double> records;                                     ///< slot by slot a code, a number, or that of a list
  std::vector<std::size_t> hashes;                                 ///< one a record
  std::vector<std::uint32_t> ids;                                  ///< by vertex or edge
};

/// Throws `Error` that names graph and attribute where a graph with such vertices or edges lacks an attribute of a slot or has it in a
/// type that the slot cannot take. `text` is the expression.
GraphLabels read_labels(const std::string& text, const std::vector<Slot>& slots, LabelSite site, const Graph& graph);

}  // namespace octile
