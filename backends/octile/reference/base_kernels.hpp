// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/labels.hpp>

#include <cmath>
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

/// How `evaluate` rounds, in roundoffs of `Real`: its κ is off by at most κ (relative + 8 |ln κ|) + absolute. An exponential e^−t rounds with t, and a
/// power multiplies what it is of by its exponent. Where 1 − r cancels, or terms have both signs, the error is an absolute one.
struct Rounding {
  Real relative = 0;
  Real absolute = 0;

  /// Of a value, absolute.
  Real of(Real kappa) const {
    return kappa > 0 ? kappa * (relative + 8 * std::abs(std::log(kappa))) + absolute : absolute;
  }
};
Rounding rounding(const Expression::Node& node);

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
