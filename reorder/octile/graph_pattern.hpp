// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/pattern.hpp>

namespace octile::reorder {

/// Where the adjacency matrix of a graph is non-zero; with coordinates, if it has real vertex attributes x and y, in
/// two dimensions, or x, y and z, in three.
Pattern pattern_of(const Graph& graph);

}  // namespace octile::reorder
