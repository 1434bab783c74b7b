// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <octile/graph.hpp>

namespace octile::app {

/// A graph as one line of node-link JSON, without the line's end: name, targets, vertices by number, edges and all labels. Weights are
/// left out if all are 1. The reader of `.jsonl` makes an equal graph of it, in which bytes that are not UTF-8 are replaced. Throws
/// `Error` for an attribute whose name node-link JSON has for itself, such as `id` of a vertex.
std::string node_link_line(const Graph& graph);

}  // namespace octile::app
