// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/base_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
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
  const bool is_dot = node.kind == Expression::Kind::list_leaf && node.list_leaf->name == "dot";
  const bool is_convolution = node.kind == Expression::Kind::convolution;
  const bool wants_lists = is_convolution || node.kind == Expression::Kind::list_leaf;
  bool wants_numbers = is_dot || (!wants_lists && !is_delta(node));
  if (is_convolution) wants_numbers = computes_with(node.children.front(), "_");
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
    const bool one_number = is_dot && !has_lists(column);  // a vector of one
    if ((has_lists(column) != wants_lists && !one_number) || (wants_numbers && family == Family::texts)) {
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
    case Expression::Kind::power:
    case Expression::Kind::normalize:
      for (const Node& child : node.children) check_labels(child, graphs, what);
      return;
    case Expression::Kind::leaf:
    case Expression::Kind::list_leaf:
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

std::vector<Real> parameters_of(const Node& node) { return {node.parameters.begin(), node.parameters.end()}; }

/// A leaf kernel, of any labels.
Real leaf(const Node& node, const LabelValue& a, const LabelValue& b) {
  if (is_delta(node)) return equal(a, b) ? 1 : node.parameters[0];
  return number_kernel<Real>(node.leaf->name, parameters_of(node), number(a), number(b));
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
Real mean_over_lists(const LabelValue& a, const LabelValue& b, const Value& value) {
  const std::vector<Labels> left = elements(a);
  const std::vector<Labels> right = elements(b);
  if (left.empty() || right.empty()) return 0;
  Real sum = 0;
  for (const Labels& x : left) {
    for (const Labels& y : right) sum += value(x, y);
  }
  return sum / static_cast<Real>(left.size() * right.size());
}

/// The elements of a vector or of a number.
RealList vector_of(const LabelValue& value) {
  if (const auto* list = std::get_if<RealList>(&value)) return *list;
  return {number(value)};
}

/// The elements of a set, each once.
template <class List>
std::set<typename List::value_type> set_of(const List& list) {
  return {list.begin(), list.end()};
}

template <class List>
Real tanimoto(const List& a, const List& b) {
  const auto left = set_of(a);
  const auto right = set_of(b);
  auto either = left;
  either.insert(right.begin(), right.end());
  if (either.empty()) return 1;
  const std::size_t shared = left.size() + right.size() - either.size();
  return static_cast<Real>(shared) / static_cast<Real>(either.size());
}

/// A leaf kernel of lists.
Real list_leaf(const Node& node, const LabelValue& a, const LabelValue& b) {
  if (node.list_leaf->name == "dot") {
    const RealList left = vector_of(a);
    const RealList right = vector_of(b);
    Real sum = 0;
    for (std::size_t k = 0; k < left.size(); ++k) sum += Real(left[k]) * right.at(k);
    return sum;
  }
  if (node.list_leaf->name != "tanimoto") throw Error("reference: unknown kernel of lists");
  if (a.index() != b.index()) return elements(a).empty() && elements(b).empty() ? 1 : 0;
  if (const auto* reals = std::get_if<RealList>(&a)) return tanimoto(*reals, std::get<RealList>(b));
  return tanimoto(std::get<TextList>(a), std::get<TextList>(b));
}

/// Whether a label is nothing to a kernel, by what it is and not by rounding: an empty list, a vector of zeros.
bool is_nothing(const Node& node, const Labels& label) {
  const auto is_part_nothing = [&label](const Node& child) { return is_nothing(child, label); };
  switch (node.kind) {
    case Expression::Kind::constant:
    case Expression::Kind::leaf: return false;
    case Expression::Kind::list_leaf: {
      if (node.list_leaf->name != "dot") return false;
      return std::ranges::all_of(vector_of(label.at(node.attribute)), [](double x) { return x == 0; });
    }
    case Expression::Kind::convolution: return elements(label.at(node.attribute)).empty();
    case Expression::Kind::product: return std::ranges::any_of(node.children, is_part_nothing);
    case Expression::Kind::sum:
    case Expression::Kind::power:
    case Expression::Kind::normalize: return std::ranges::all_of(node.children, is_part_nothing);
  }
  throw Error("reference: unknown kind of base kernel");
}

/// The derivative of a leaf kernel by its parameter k.
Real leaf_slope(const Node& node, std::size_t k, const LabelValue& a, const LabelValue& b) {
  if (is_delta(node)) return equal(a, b) ? 0 : 1;
  return number_slope<Real>(node.leaf->name, parameters_of(node), k, number(a), number(b));
}

}  // namespace

namespace {

/// κ(a, a), which what is normalised is divided by.
Real with_itself(const Node& node, const Labels& label) {
  const Real value = evaluate(node, label, label);
  if (!std::isnormal(static_cast<double>(value))) {
    throw Error(fmt::format("inside normalize a label has the value {} with itself; allowed are 2.3e-308 to 1.7e308",
                            static_cast<double>(value)));
  }
  return value;
}

}  // namespace

Real evaluate(const Node& node, const Labels& a, const Labels& b) {
  switch (node.kind) {
    case Expression::Kind::constant: return node.parameters[0];
    case Expression::Kind::leaf: return leaf(node, a.at(node.attribute), b.at(node.attribute));
    case Expression::Kind::list_leaf: return list_leaf(node, a.at(node.attribute), b.at(node.attribute));
    case Expression::Kind::power: return std::pow(evaluate(node.children.front(), a, b), Real(node.parameters[0]));
    case Expression::Kind::normalize: {
      const Node& inner = node.children.front();
      if (is_nothing(inner, a) || is_nothing(inner, b)) return 0;
      return evaluate(inner, a, b) / (std::sqrt(with_itself(inner, a)) * std::sqrt(with_itself(inner, b)));
    }
    case Expression::Kind::product: {
      Real product = 1;
      for (const Node& child : node.children) product *= evaluate(child, a, b);
      return product;
    }
    case Expression::Kind::sum: {
      Real sum = 0;
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

Rounding rounding(const Node& node) {
  switch (node.kind) {
    case Expression::Kind::constant: return {1, 0};
    case Expression::Kind::leaf: {
      const std::string_view name = node.leaf->name;
      if (name == "delta") return {1, 0};
      // (1 − r)^p by r that is rounded, and polynomials of r.
      if (name == "wendland") return {100, 8 * (node.parameters[1] + node.parameters[2] + 4)};
      // The sine of what is left of a turn, over a length.
      if (name == "periodic") return {100 + 256 / Real(node.parameters[0]), 0};
      return {100, 0};
    }
    case Expression::Kind::list_leaf: return {100, 256};
    case Expression::Kind::power: {
      const Rounding inner = rounding(node.children.front());
      const Real exponent = std::max(Real(node.parameters[0]), Real(1));
      return {exponent * inner.relative + 4, exponent * inner.absolute};
    }
    case Expression::Kind::normalize: {
      const Rounding inner = rounding(node.children.front());
      return {2 * inner.relative + 100, 64 * inner.absolute};
    }
    case Expression::Kind::product:
    case Expression::Kind::sum: {
      Rounding all{Real(node.children.size()), 0};
      for (const Node& child : node.children) {
        const Rounding of_child = rounding(child);
        all.relative += of_child.relative;
        all.absolute += of_child.absolute;
      }
      return all;
    }
    case Expression::Kind::convolution: {
      const Rounding inner = rounding(node.children.front());
      return {inner.relative + 256, inner.absolute};
    }
  }
  throw Error("reference: unknown kind of base kernel");
}

Real slope(const Node& node, Position position, const Labels& a, const Labels& b) {
  const auto here = [&node, &position] { return &node == position.node; };
  switch (node.kind) {
    case Expression::Kind::constant: return here() ? 1 : 0;
    case Expression::Kind::leaf:
      return here() ? leaf_slope(node, position.parameter, a.at(node.attribute), b.at(node.attribute)) : 0;
    case Expression::Kind::list_leaf: return 0;
    case Expression::Kind::power: {
      const Real base = evaluate(node.children.front(), a, b);
      const Real exponent = node.parameters[0];
      return exponent * std::pow(base, exponent - 1) * slope(node.children.front(), position, a, b);
    }
    case Expression::Kind::normalize: {
      // The derivative of κ (κ_aa κ_bb)^(−1/2).
      const Node& inner = node.children.front();
      if (is_nothing(inner, a) || is_nothing(inner, b)) return 0;
      const Real of_a = with_itself(inner, a);
      const Real of_b = with_itself(inner, b);
      const Real changes = slope(inner, position, a, a) / of_a + slope(inner, position, b, b) / of_b;
      return (slope(inner, position, a, b) - evaluate(inner, a, b) * changes / 2) / std::sqrt(of_a * of_b);
    }
    case Expression::Kind::product: {
      Real sum = 0;
      for (const Node& varied : node.children) {
        Real product = slope(varied, position, a, b);
        for (const Node& child : node.children) {
          if (&child != &varied) product *= evaluate(child, a, b);
        }
        sum += product;
      }
      return sum;
    }
    case Expression::Kind::sum: {
      Real sum = 0;
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
