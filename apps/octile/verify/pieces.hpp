// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octile/graph.hpp>
#include <octile/solve.hpp>

namespace octile::app {

/// The graph of so many vertices of `graph`, those nearest to its first edge, with the edges between them and all labels:
/// in the order of the graph, and in the starting probability's proportions. All of the graph where it has no more.
Graph piece_of(const Graph& graph, std::int32_t vertices);

/// Small graphs cut from large ones, and some pairs of them.
struct Pieces {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;  ///< by their numbers in `graphs`
};

/// Whether so few of the sample's pairs are small that dense primitives, and the reference, would find next to nothing to
/// do in a limited time, though there are others.
bool needs_pieces(std::span<const Graph> graphs, std::span<const Pair> sample);

/// Pieces of graphs of the sample, from 6 to 48 vertices: each with itself, and with the next larger one.
Pieces pieces_of(std::span<const Graph> graphs, std::span<const Pair> sample);

}  // namespace octile::app
