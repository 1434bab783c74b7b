// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/simplified.hpp>

#include <octile/error.hpp>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;

/// κ(a, a), where it is the same for all labels.
std::optional<double> diagonal(const Node& node) {
  switch (node.kind) {
    case Kind::constant: return node.parameters[0];
    case Kind::leaf: return 1;
    case Kind::list_leaf: return node.list_leaf->unit ? std::optional(1.0) : std::nullopt;
    case Kind::product:
    case Kind::sum: {
      double all = node.kind == Kind::product ? 1 : 0;
      for (const Node& child : node.children) {
        const std::optional<double> part = diagonal(child);
        if (!part) return std::nullopt;
        all = node.kind == Kind::product ? all * *part : all + *part;
      }
      return all;
    }
    case Kind::power: {
      const std::optional<double> base = diagonal(node.children[0]);
      return base ? std::optional(std::pow(*base, node.parameters[0])) : std::nullopt;
    }
    case Kind::convolution:
    case Kind::normalize: return std::nullopt;
  }
  throw Error("a base kernel of a kind that is not simplified");
}

void require_normal(double number, std::string_view what) {
  if (std::isnormal(number)) return;
  throw Error(fmt::format("{} is {}; allowed are {}", what, number, normal_numbers));
}

/// κ^exponent of a kernel that is `divisible`.
Node raised(Node node, double exponent) {
  if (node.kind == Kind::constant) {
    node.parameters = {std::pow(node.parameters[0], exponent)};
    require_normal(node.parameters[0], "a power of a number");
  }
  if (node.kind == Kind::leaf) {
    node.parameters = node.leaf->power(node.parameters, exponent);
    const LeafArguments arguments = node.leaf->prepare(node.parameters);
    if (!std::isfinite(arguments.parameter) || !std::isfinite(arguments.shape)) {
      throw Error(fmt::format("the exponent of a {} is {}, which is too large for its other numbers", node.leaf->name,
                              exponent));
    }
  }
  if (node.kind == Kind::power) return raised(std::move(node.children[0]), exponent * node.parameters[0]);
  for (Node& child : node.children) child = raised(std::move(child), exponent);
  return node;
}

Node scaled(double factor, Node node) {
  if (factor == 1) return node;
  Node constant;
  constant.column = node.column;
  constant.parameters = {factor};
  Node product;
  product.kind = Kind::product;
  product.column = node.column;
  product.children.push_back(std::move(constant));
  product.children.push_back(std::move(node));
  return product;
}

Node simplified_node(const Node& node) {
  Node simple = node;
  for (Node& child : simple.children) child = simplified_node(child);
  if (simple.kind == Kind::power) {
    const double exponent = simple.parameters[0];
    if (exponent == 1) return std::move(simple.children[0]);
    return Expression::divisible(simple.children[0]) ? raised(std::move(simple.children[0]), exponent) : simple;
  }
  if (simple.kind != Kind::normalize) return simple;
  const std::optional<double> with_itself = diagonal(simple.children[0]);
  if (!with_itself) return simple;
  require_normal(*with_itself, "inside normalize the value of a label with itself");
  return scaled(1 / *with_itself, std::move(simple.children[0]));
}

}  // namespace

Node simplified(const Expression& expression) {
  try {
    return simplified_node(expression.root());
  } catch (const Error& error) {
    throw Error(fmt::format("expression '{}': {}", expression.text(), error.what()));
  }
}

}  // namespace octile
