// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>

#include <cstdint>
#include <vector>

namespace octile {

/// The number that stands for no edge or no row.
inline constexpr std::uint32_t none = 0xFFFFFFFFU;

/// One element of the matrix: its edge (`none` for padding of weight 0), and its column.
struct RowElement {
  std::uint32_t edge = none;
  std::uint32_t column = 0;
};

/// The rows of a graph's adjacency matrix, both triangles, each by rising columns.
std::vector<std::vector<RowElement>> rows_of(const Graph& graph);

}  // namespace octile
