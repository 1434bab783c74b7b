// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/simplified.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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

Node constant(double value, std::size_t column) {
  Node node;
  node.column = column;
  node.parameters = {value};
  return node;
}

/// Whether two nodes are the same kernel, written the same way.
bool alike(const Node& one, const Node& other) {
  return one.kind == other.kind && one.leaf == other.leaf && one.list_leaf == other.list_leaf &&
         one.attribute == other.attribute && one.parameters == other.parameters &&
         std::ranges::equal(one.children, other.children, alike);
}

/// The children of a product or sum, with those of a child of the same kind in its place.
std::vector<Node> flattened(const Node& node) {
  std::vector<Node> all;
  for (const Node& child : node.children) {
    if (child.kind == node.kind) {
      const std::vector<Node> inner = flattened(child);
      all.insert(all.end(), inner.begin(), inner.end());
    } else {
      all.push_back(child);
    }
  }
  return all;
}

/// A product or sum of some nodes; of one it is that node.
Node joined(Kind kind, std::size_t column, std::vector<Node> children) {
  if (children.size() == 1) return std::move(children[0]);
  Node node;
  node.kind = kind;
  node.column = column;
  node.children = std::move(children);
  return node;
}

/// factor · kernel. Without a kernel the number alone.
struct Term {
  double factor = 1;
  std::vector<Node> kernel;
};

Term term_of(const Node& node) {
  if (node.kind == Kind::constant) return {node.parameters[0], {}};
  if (node.kind != Kind::product) return {1, {node}};
  Term term;
  for (const Node& child : flattened(node)) {
    if (child.kind == Kind::constant) {
      term.factor *= child.parameters[0];
    } else {
      term.kernel.push_back(child);
    }
  }
  return term;
}

/// Its number is its last factor, which needs one place of a machine's stack.
Node node_of(Term term, std::size_t column) {
  if (term.kernel.empty() || term.factor != 1) term.kernel.push_back(constant(term.factor, column));
  return joined(Kind::product, column, std::move(term.kernel));
}

/// A product with one number at most, and that is not 1.
Node with_one_number(const Node& product) {
  const std::vector<Node> factors = flattened(product);
  const auto numbers = std::ranges::count(factors, Kind::constant, &Node::kind);
  Term term = term_of(product);
  const bool fewer = numbers > 1 || (numbers == 1 && term.factor == 1);
  return fewer && std::isnormal(term.factor) ? node_of(std::move(term), product.column) : product;
}

/// A sum whose terms are unlike.
Node with_unlike_terms(const Node& sum) {
  const std::vector<Node> written = flattened(sum);
  std::vector<Term> terms;
  std::vector<Node> nodes;  // of each term, as it stands
  for (const Node& node : written) {
    Term term = term_of(node);
    const auto like = std::ranges::find_if(
        terms, [&](const Term& other) { return std::ranges::equal(term.kernel, other.kernel, alike); });
    if (like == terms.end()) {
      terms.push_back(std::move(term));
      nodes.push_back(node);
    } else {
      like->factor += term.factor;
      nodes[static_cast<std::size_t>(like - terms.begin())] = node_of(*like, node.column);
    }
  }
  if (terms.size() == written.size()) return sum;
  const bool normal = std::ranges::all_of(terms, [](const Term& term) { return std::isnormal(term.factor); });
  return normal ? joined(Kind::sum, sum.column, std::move(nodes)) : sum;
}

Node scaled(double factor, Node node) {
  if (factor == 1) return node;
  const std::size_t column = node.column;
  return with_one_number(joined(Kind::product, column, {constant(factor, column), std::move(node)}));
}

Node simplified_node(const Node& node) {
  Node simple = node;
  for (Node& child : simple.children) child = simplified_node(child);
  if (simple.kind == Kind::power) {
    const double exponent = simple.parameters[0];
    if (exponent == 1) return std::move(simple.children[0]);
    return Expression::divisible(simple.children[0]) ? raised(std::move(simple.children[0]), exponent) : simple;
  }
  if (simple.kind == Kind::product) return with_one_number(simple);
  if (simple.kind == Kind::sum) return with_unlike_terms(simple);
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
