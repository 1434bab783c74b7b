// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>
#include <octile/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace octile {

/// From how many graphs on reordering a set for its Gram matrix pays for itself, where the primitive works by octiles.
/// An order takes a time that grows with n and a pair one that grows with n², so the number of pairs that a graph takes
/// part in decides; it was measured on two sets (docs/reordering.md) and lies well above where they break even.
inline constexpr std::size_t fewest_graphs_worth_reordering = 300;

/// The order of `reorder::orders()` that a set of so many graphs is solved in: `options.order` where it names one, and
/// for "auto" what pays: "swaps" for a large set on a primitive that works octile by octile (dense-dense, dense-sparse,
/// sparse-sparse, adaptive, and a backend's automatic choice where that is one of them), else "natural". Dense
/// primitives read whole matrices, rows and slices walk edges, and so do the lowerings that have a product of their own,
/// which are what is chosen for most sets where neither primitive nor lowering is named.
/// Throws `Error` for an unknown order, backend or primitive.
std::string_view order_for(std::size_t graphs, const GramOptions& options);

/// A set of graphs in another order of their vertices.
struct OrderedSet {
  std::vector<Graph> graphs;                      ///< empty where all stay as they are
  std::vector<std::vector<std::int32_t>> orders;  ///< of each graph: new vertex k is old vertex order[k]; or empty
  UsedOrder used;
};

/// The set in the order of that name. Throws `Error` as the order does, and `Interrupted` where `options.on_reorder`
/// asked for it.
OrderedSet order_set(std::span<const Graph> graphs, std::string_view order, const GramOptions& options);

}  // namespace octile
