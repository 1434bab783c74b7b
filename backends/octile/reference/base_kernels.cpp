// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/base_kernels.hpp>

#include <cstdint>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/reference/leaf_formulas.hpp>

namespace octile::reference {
namespace {

using Node = Expression::Node;

enum class Family { numbers, texts };

/// The family of a column; nothing if it has no element that could be compared.
std::optional<Family> family_of(const LabelColumn& column) {
  if (const auto* lists = std::get_if<std::vector<RealList>>(&column)) {
    for (const RealList& list : *lists) {
      if (!list.empty()) return Family::numbers;
    }
    return std::nullopt;
  }
  if (const auto* lists = std::get_if<std::vector<TextList>>(&column)) {
    for (const TextList& list : *lists) {
      if (!list.empty()) return Family::texts;
    }
    return std::nullopt;
  }
  return std::holds_alternative<std::vector<std::string>>(column) ? Family::texts : Family::numbers;
}

bool has_lists(const LabelColumn& column) {
  return std::holds_alternative<std::vector<RealList>>(column) || std::holds_alternative<std::vector<TextList>>(column);
}

/// A delta compares labels; all other leaf kernels compute with them.
bool is_delta(const Node& node) { return node.kind == Expression::Kind::leaf && node.leaf->name == "delta"; }

/// Whether the tree computes with `attribute`.
bool computes_with(const Node& node, const std::string& attribute) {
  const bool here = node.kind == Expression::Kind::leaf && !is_delta(node) && node.attribute == attribute;
  bool below = false;
  for (const Node& child : node.children) below = below || computes_with(child, attribute);
  return here || below;
}

/// Checks the column that `node` reads in every graph: it must exist, have a type that can be read, and be comparable among graphs.
void check_column(const Node& node, std::span<const Graph> graphs, std::string_view what) {
  const bool wants_lists = node.kind == Expression::Kind::convolution;
  const bool wants_numbers = wants_lists ? computes_with(node.children.front(), "_") : !is_delta(node);
  const std::string wanted = wants_lists ? (wants_numbers ? "a list of reals" : "a list of reals or of texts")
                                         : (wants_numbers ? "integer or real" : "integer, real or text");
  const Graph* earlier = nullptr;
  std::optional<Family> earlier_family;
  for (const Graph& graph : graphs) {
    const bool of_vertices = what == "vertex";
    const LabelColumns& columns = of_vertices ? graph.vertex_labels() : graph.edge_labels();
    if (!of_vertices && graph.edge_count() == 0) continue;
    const auto found = columns.find(node.attribute);
    if (found == columns.end()) {
      throw Error(fmt::format("graph '{}' has no {} label '{}', which the {} kernel reads", graph.name(), what,
                              node.attribute, what));
    }
    const LabelColumn& column = found->second;
    const std::optional<Family> family = family_of(column);
    if (has_lists(column) != wants_lists || (wants_numbers && family == Family::texts)) {
      throw Error(fmt::format("graph '{}': {} label '{}' is {}; the kernel needs {}", graph.name(), what,
                              node.attribute, column_type_name(column), wanted));
    }
    if (!family) continue;
    if (earlier_family && *earlier_family != *family) {
      throw Error(fmt::format(
          "graph '{}': {} label '{}' is {}, but in graph '{}' it is {}", graph.name(), what, node.attribute,
          column_type_name(column), earlier->name(),
          column_type_name((of_vertices ? earlier->vertex_labels() : earlier->edge_labels()).at(node.attribute))));
    }
    earlier = &graph;
    earlier_family = family;
  }
}

}  // namespace

void check_labels(const Node& node, std::span<const Graph> graphs, std::string_view what) {
  switch (node.kind) {
    case Expression::Kind::constant: return;
    case Expression::Kind::product:
    case Expression::Kind::sum:
      for (const Node& child : node.children) check_labels(child, graphs, what);
      return;
    case Expression::Kind::leaf:
    case Expression::Kind::convolution: check_column(node, graphs, what); return;
  }
}

namespace {

double number(const LabelValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

/// Equality by value: an integer and a real are compared as numbers, in the type that holds both.
bool equal(const LabelValue& a, const LabelValue& b) {
  if (a.index() == b.index()) return a == b;
  // A long double holds every int64 and every double.
  const auto wide = [](const LabelValue& value) -> long double {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<long double>(*integer);
    return std::get<double>(value);
  };
  return wide(a) == wide(b);
}

/// A leaf kernel, of any labels.
double leaf(const Node& node, const LabelValue& a, const LabelValue& b) {
  if (is_delta(node)) return equal(a, b) ? 1 : node.parameters[0];
  return number_kernel<double>(node.leaf->name, node.parameters, number(a), number(b));
}

/// The elements of a list, each as labels with one attribute '_'.
std::vector<Labels> elements(const LabelValue& list) {
  std::vector<Labels> all;
  if (const auto* reals = std::get_if<RealList>(&list)) {
    for (const double real : *reals) all.push_back({{"_", real}});
  } else {
    for (const std::string& text : std::get<TextList>(list)) all.push_back({{"_", text}});
  }
  return all;
}

/// The mean of value(x, y) over all elements of two lists, 0 if one is empty.
template <class Value>
double mean_over_lists(const LabelValue& a, const LabelValue& b, const Value& value) {
  const std::vector<Labels> left = elements(a);
  const std::vector<Labels> right = elements(b);
  if (left.empty() || right.empty()) return 0;
  double sum = 0;
  for (const Labels& x : left) {
    for (const Labels& y : right) sum += value(x, y);
  }
  return sum / static_cast<double>(left.size() * right.size());
}

/// The derivative of a leaf kernel by its parameter k.
double leaf_slope(const Node& node, std::size_t k, const LabelValue& a, const LabelValue& b) {
  if (is_delta(node)) return equal(a, b) ? 0 : 1;
  return number_slope(node.leaf->name, node.parameters, k, number(a), number(b));
}

}  // namespace

double evaluate(const Node& node, const Labels& a, const Labels& b) {
  switch (node.kind) {
    case Expression::Kind::constant: return node.parameters[0];
    case Expression::Kind::leaf: return leaf(node, a.at(node.attribute), b.at(node.attribute));
    case Expression::Kind::product: {
      double product = 1;
      for (const Node& child : node.children) product *= evaluate(child, a, b);
      return product;
    }
    case Expression::Kind::sum: {
      double sum = 0;
      for (const Node& child : node.children) sum += evaluate(child, a, b);
      return sum;
    }
    case Expression::Kind::convolution: {
      return mean_over_lists(a.at(node.attribute), b.at(node.attribute),
                             [&](const Labels& x, const Labels& y) { return evaluate(node.children.front(), x, y); });
    }
  }
  throw Error("reference: unknown kind of base kernel");
}

double slope(const Node& node, Position position, const Labels& a, const Labels& b) {
  const auto here = [&node, &position] { return &node == position.node; };
  switch (node.kind) {
    case Expression::Kind::constant: return here() ? 1 : 0;
    case Expression::Kind::leaf:
      return here() ? leaf_slope(node, position.parameter, a.at(node.attribute), b.at(node.attribute)) : 0;
    case Expression::Kind::product: {
      double sum = 0;
      for (const Node& varied : node.children) {
        double product = slope(varied, position, a, b);
        for (const Node& child : node.children) {
          if (&child != &varied) product *= evaluate(child, a, b);
        }
        sum += product;
      }
      return sum;
    }
    case Expression::Kind::sum: {
      double sum = 0;
      for (const Node& child : node.children) sum += slope(child, position, a, b);
      return sum;
    }
    case Expression::Kind::convolution: {
      return mean_over_lists(a.at(node.attribute), b.at(node.attribute), [&](const Labels& x, const Labels& y) {
        return slope(node.children.front(), position, x, y);
      });
    }
  }
  throw Error("reference: unknown kind of base kernel");
}

std::vector<Position> positions(const Node& root) {
  std::vector<Position> all;
  // The number 1 alone is the unlabelled case.
  if (root.kind == Expression::Kind::constant && root.parameters[0] == 1) return all;
  const auto collect = [&all](const auto& self, const Node& node) -> void {
    if (node.kind == Expression::Kind::constant) all.push_back({&node, 0});
    for (std::size_t k = 0; node.kind == Expression::Kind::leaf && k < node.parameters.size(); ++k) {
      if (node.leaf->parameters[k].differentiable()) all.push_back({&node, k});
    }
    for (const Node& child : node.children) self(self, child);
  };
  collect(collect, root);
  return all;
}

std::vector<Labels> rows_of(const LabelColumns& columns, std::size_t count) {
  std::vector<Labels> rows(count);
  for (const auto& [attribute, column] : columns) {
    for (std::size_t k = 0; k < count; ++k) rows[k].emplace(attribute, column_value(column, k));
  }
  return rows;
}

}  // namespace octile::reference
