// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <octile/expression.hpp>
#include <octile/graph.hpp>

namespace octile::app {

/// Edges of each vertex.
std::vector<std::int64_t> degrees(const Graph& graph);

/// The core number of each vertex: the largest k for which it is in a part of the graph where every vertex has k neighbours or more.
/// Takes a time linear in vertices and edges.
std::vector<std::int64_t> core_numbers(const Graph& graph);

/// A vertex attribute that every graph has: whole numbers that follow from its edges.
struct StructureAttribute {
  std::string_view name;
  std::string_view values;
  std::vector<std::int64_t> (*column)(const Graph& graph);
};

/// All attributes that are computed from a graph's structure.
inline constexpr std::array structure_attributes = {
    StructureAttribute{"degree", "edges of the vertex", degrees},
    StructureAttribute{"core", "largest k such that it is in a part where every vertex has k edges or more",
                       core_numbers},
};

/// Gives the graphs those of the attributes that an expression for vertices reads, unless one of them has an attribute of that name:
/// then that is meant.
void add_structure_attributes(std::span<Graph> graphs, const Expression& vertex);

}  // namespace octile::app
