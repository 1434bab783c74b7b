// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/pattern.hpp>

namespace octile::reorder {

/// The non-zero pattern of a graph's adjacency matrix. It has coordinates in two dimensions if the graph has real
/// vertex attributes x and y, and in three if it has x, y and z.
Pattern pattern_of(const Graph& graph);

}  // namespace octile::reorder
