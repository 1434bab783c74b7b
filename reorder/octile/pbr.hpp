// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/bipartition.hpp>
#include <octile/pattern.hpp>

#include <cstdint>

namespace octile::reorder {

/// The costs and the effort of the recursive bipartitions of `pbr_order`.
struct PbrOptions {
  std::int32_t message_cost = 50;  ///< of a net that, if cut, adds a pair of parts that share an edge
  std::int32_t volume_cost = 1;    ///< of a net of a vertex and its neighbours
  BipartitionEffort effort{};
};

/// Partition-based reordering (paper, section "Inter-Tile Sparsity"): ⌈n/8⌉ consecutive parts of exactly 8 vertices
/// (except the last), such that few pairs of parts share an edge. They are found by recursive bipartition, the left
/// part completely before the right one. A part P is split by a hypergraph of
///
///     a message net for each other part Q    the vertices of P with a neighbour in Q: if it is cut, both halves share
///                                            edges with Q, which is one more pair of parts
///     a volume net for each vertex v         v and those of its neighbours that are in P
///
/// Sizes are exact by construction: a left part is a multiple of 8. It is half of P, as in the paper; small graphs are
/// partitioned once more with a left part of 8 vertices, which suits hubs, and the order with fewer tiles is taken.
/// Within a part vertices keep their natural order. Deterministic for a seed.
VertexOrder pbr_order(const Pattern& pattern, std::uint64_t seed, const PbrOptions& options = {});

}  // namespace octile::reorder
