// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::app {

/// The subgraph of the `vertices` vertices nearest to the first edge of `graph`, with all labels, in the order of the
/// graph. Starting probabilities keep their ratios. The whole graph if it has no more vertices.
Graph piece_of(const Graph& graph, std::int32_t vertices);

/// Small graphs cut from large ones, and some pairs of them.
struct Pieces {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;  ///< by numbers in `graphs`
};

/// Whether the sample has large pairs and so few small ones that dense primitives and the reference could solve hardly
/// any in a limited time.
bool needs_pieces(std::span<const Graph> graphs, std::span<const Pair> sample);

/// Pieces of the sample's graphs with 6 to 48 vertices, and pairs of each with itself and with the next larger one.
Pieces pieces_of(std::span<const Graph> graphs, std::span<const Pair> sample);

}  // namespace octile::app
