// SPDX-License-Identifier: BSD-3-Clause
#include <octile/parameters.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;

bool is_unlabelled(const Node& root) { return root.kind == Kind::constant && root.parameters[0] == 1; }

/// `visit(node, k)` for each parameter, in the order of the text.
template <class AnyNode, class Visit>
void for_each_parameter(AnyNode& node, const Visit& visit) {
  if (node.kind == Kind::constant) visit(node, std::size_t(0));
  if (node.kind == Kind::leaf) {
    for (std::size_t k = 0; k < node.parameters.size(); ++k) {
      if (node.leaf->parameters[k].differentiable()) visit(node, k);
    }
  }
  for (auto& child : node.children) for_each_parameter(child, visit);
}

std::string name_of(const Node& node, std::size_t k) {
  if (node.kind == Kind::constant) return "weight";
  const std::string leaf = fmt::format("{}({})", node.leaf->name, node.attribute);
  return node.leaf->parameters.size() == 1 ? leaf : fmt::format("{}.{}", leaf, node.leaf->parameters[k].name);
}

/// An attribute as a text reads it back.
std::string attribute_text(const std::string& attribute) {
  const bool plain = !attribute.empty() && std::ranges::all_of(attribute, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  return plain ? attribute : fmt::format("\"{}\"", attribute);
}

std::string text_of(const Node& node) {
  const auto joined = [&node](std::string_view sign) {
    std::string text;
    for (const Node& child : node.children) {
      const bool enclosed = node.kind == Kind::product && child.kind == Kind::sum;
      text +=
          fmt::format("{}{}{}{}", text.empty() ? "" : sign, enclosed ? "(" : "", text_of(child), enclosed ? ")" : "");
    }
    return text;
  };
  switch (node.kind) {
    case Kind::constant: return fmt::format("{}", node.parameters[0]);
    case Kind::product: return joined("*");
    case Kind::sum: return joined("+");
    case Kind::convolution:
      return fmt::format("convolution({}, {})", attribute_text(node.attribute), text_of(node.children[0]));
    case Kind::power: return fmt::format("power({}, {})", text_of(node.children[0]), node.parameters[0]);
    case Kind::normalize: return fmt::format("normalize({})", text_of(node.children[0]));
    case Kind::list_leaf: return fmt::format("{}({})", node.list_leaf->name, attribute_text(node.attribute));
    case Kind::leaf: break;
  }
  std::string text = fmt::format("{}({}", node.leaf->name, attribute_text(node.attribute));
  for (const double parameter : node.parameters) text += fmt::format(", {}", parameter);
  return text + ")";
}

/// The expression with the next values of a list.
Expression with_values(const Expression& expression, std::span<const double>& values) {
  if (is_unlabelled(expression.root())) return expression;
  Node root = expression.root();
  for_each_parameter(root, [&values](Node& node, std::size_t k) {
    node.parameters[k] = values.front();
    values = values.subspan(1);
  });
  return Expression::parse(text_of(root));
}

}  // namespace

std::vector<Parameter> parameters(const Expression& expression, std::string_view site) {
  std::vector<Parameter> all;
  if (is_unlabelled(expression.root())) return all;
  for_each_parameter(expression.root(), [&all, site](const Node& node, std::size_t k) {
    Parameter parameter{fmt::format("{}.{}", site, name_of(node, k)), node.parameters[k]};
    if (node.kind == Kind::leaf) {
      parameter.low = node.leaf->parameters[k].low;
      parameter.high = node.leaf->parameters[k].high;
    }
    const std::string name = parameter.name;
    int same = 1;
    while (std::ranges::find(all, parameter.name, &Parameter::name) != all.end()) {
      parameter.name = fmt::format("{}#{}", name, ++same);
    }
    all.push_back(std::move(parameter));
  });
  return all;
}

std::vector<Parameter> parameters(const KernelSpec& kernel) {
  std::vector<Parameter> all = parameters(kernel.vertex, "vertex");
  std::ranges::move(parameters(kernel.edge, "edge"), std::back_inserter(all));
  Parameter q{"q", kernel.stopping.q()};
  if (kernel.stopping.meaning() == StoppingMeaning::probability) q.high = 1;
  all.push_back(std::move(q));
  return all;
}

KernelSpec with_parameters(const KernelSpec& kernel, std::span<const double> values) {
  const std::size_t count = parameters(kernel).size();
  if (values.size() != count) {
    throw Error(fmt::format("{} values for the parameters of a kernel that has {}", values.size(), count));
  }
  std::span<const double> left = values;
  KernelSpec changed = kernel;
  changed.vertex = with_values(kernel.vertex, left);
  changed.edge = with_values(kernel.edge, left);
  changed.stopping = Stopping(kernel.stopping.meaning(), left.front());
  changed.vertex.require_vertex_kernel();
  changed.edge.require_edge_kernel();
  return changed;
}

}  // namespace octile
