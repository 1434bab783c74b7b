// SPDX-License-Identifier: BSD-3-Clause
#include "useful_operations.hpp"

namespace octile::bench {
namespace {

double evaluation(const Expression::Node& node) {
  using Kind = Expression::Kind;
  double operations = 0;
  for (const Expression::Node& child : node.children) operations += evaluation(child);
  const auto children = static_cast<double>(node.children.size());
  switch (node.kind) {
    case Kind::constant: return 0;
    case Kind::leaf: return node.leaf->operations(node.parameters);
    case Kind::product:
    case Kind::sum: return operations + children - 1;
    case Kind::convolution:
    case Kind::power: return operations + 1;
    case Kind::list_leaf:
    case Kind::normalize: return operations + 2;
  }
  return operations;
}

}  // namespace

double useful_operations(const Expression& edge_kernel) {
  const bool constant = edge_kernel.root().kind == Expression::Kind::constant;
  return constant ? 3 : evaluation(edge_kernel.root()) + 4;
}

}  // namespace octile::bench
