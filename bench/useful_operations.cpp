// SPDX-License-Identifier: BSD-3-Clause
#include "useful_operations.hpp"

#include <octile/base_kernels.hpp>

namespace octile::bench {
namespace {

double evaluation(const Expression::Node& node) {
  using Kind = Expression::Kind;
  double operations = 0;
  for (const Expression::Node& child : node.children) operations += evaluation(child);
  const auto children = static_cast<double>(node.children.size());
  switch (node.kind) {
    case Kind::constant: return 0;
    case Kind::delta: return 1;
    case Kind::gaussian: return 4;
    case Kind::wendland: {
      const auto degree = static_cast<int>(node.parameters[1]);
      const int exponent = formula::wendland_exponent(degree, static_cast<int>(node.parameters[2]));
      return 3 + exponent + 5 * degree;
    }
    case Kind::product:
    case Kind::sum: return operations + children - 1;
    case Kind::convolution: return operations + 1;
  }
  return operations;
}

}  // namespace

double useful_operations(const Expression& edge_kernel) {
  const bool constant = edge_kernel.root().kind == Expression::Kind::constant;
  return constant ? 3 : evaluation(edge_kernel.root()) + 4;
}

}  // namespace octile::bench
