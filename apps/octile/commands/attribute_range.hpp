// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// The columns of each attribute of a set, by name, in the order of the graphs that have it.
using ColumnsByAttribute = std::vector<std::pair<std::string, std::vector<const LabelColumn*>>>;

/// The columns of the vertices, or of the edges: pass `&Graph::vertex_labels` or `&Graph::edge_labels`.
ColumnsByAttribute columns_by_attribute(const std::vector<Graph>& graphs,
                                        const LabelColumns& (Graph::*columns)() const);

/// The values of one attribute over a set of graphs, in words for a report.
struct AttributeRange {
  std::string attribute;
  std::string type;
  std::string values;      ///< range and number of distinct values, or the most frequent texts
  std::size_t graphs = 0;  ///< graphs that have it
};

/// The ranges of all attributes of the vertices, or of the edges, of a set: pass
/// `&Graph::vertex_labels` or `&Graph::edge_labels`.
std::vector<AttributeRange> attribute_ranges(const std::vector<Graph>& graphs,
                                             const LabelColumns& (Graph::*columns)() const);

}  // namespace octile::app
