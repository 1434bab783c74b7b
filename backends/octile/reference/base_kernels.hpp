// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/labels.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Base kernels restated, by walking their trees.
namespace octile::reference {

/// What base kernels are computed in: what rounds here is hardly seen where results are in double.
using Real = long double;

/// All labels of one vertex or of one edge.
using Labels = std::map<std::string, LabelValue, std::less<>>;

/// The labels of a graph's vertices or edges, of which there are `count`.
std::vector<Labels> rows_of(const LabelColumns& columns, std::size_t count);

/// Throws `Error` unless each graph has what the base kernel reads. `what` is "vertex" or "edge".
void check_labels(const Expression::Node& node, std::span<const Graph> graphs, std::string_view what);

/// κ(a, b).
Real evaluate(const Expression::Node& node, const Labels& a, const Labels& b);

/// A parameter in a tree: number `parameter` of a leaf, or that of a constant.
struct Position {
  const Expression::Node* node;
  std::size_t parameter;
};

/// Where a kernel's parameters stand, in the order of `octile::parameters`.
std::vector<Position> positions(const Expression::Node& root);

/// ∂κ(a, b) with respect to one parameter.
Real slope(const Expression::Node& node, Position position, const Labels& a, const Labels& b);

}  // namespace octile::reference
