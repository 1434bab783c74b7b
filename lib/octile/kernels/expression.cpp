// SPDX-License-Identifier: BSD-3-Clause
#include <octile/expression.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;
using Range = Expression::Range;

/// The names of all kernels, for messages.
std::string kernel_names() {
  std::string names;
  for (const LeafRow& leaf : leaf_table()) names += fmt::format("{}, ", leaf.name);
  for (const ListLeafRow& leaf : list_leaf_table()) names += fmt::format("{}, ", leaf.name);
  return names + "convolution, power, normalize";
}

/// Which kernels can be 0, in words: "a delta with h = 0, or a wendland beyond its radius".
std::string zeros() {
  std::string zeros;
  for (const LeafRow& leaf : leaf_table()) {
    if (!leaf.zero.empty()) zeros += fmt::format("{}{}", zeros.empty() ? "" : ", or ", leaf.zero);
  }
  for (const ListLeafRow& leaf : list_leaf_table()) zeros += fmt::format(", or {}", leaf.zero);
  return zeros;
}

/// Sums of rounded coefficients such as 0.7 + 0.2 + 0.1 may pass 1 by a few ulps.
constexpr double range_slack = 1e-12;

Range range_of(const Node& node) {
  switch (node.kind) {
    case Kind::constant: return {node.parameters[0], node.parameters[0], node.parameters[0] > 0};
    case Kind::leaf: return node.leaf->range(node.parameters);
    case Kind::list_leaf: return node.list_leaf->range;
    case Kind::product: {
      Range range{1, 1, true};
      for (const Node& child : node.children) {
        const Range factor = range_of(child);
        range.lowest *= factor.lowest;
        range.highest *= factor.highest;
        range.positive = range.positive && factor.positive;
      }
      return range;
    }
    case Kind::sum: {
      Range range{0, 0, false};
      for (const Node& child : node.children) {
        const Range term = range_of(child);
        range.lowest += term.lowest;
        range.highest += term.highest;
        range.positive = range.positive || term.positive;
      }
      return range;
    }
    case Kind::convolution: {
      // A mean of inner values; an empty edge list gives 0, an empty vertex list is refused with the labels.
      const Range inner = range_of(node.children[0]);
      return {0, inner.highest, inner.positive};
    }
    case Kind::power: {
      const Range inner = range_of(node.children[0]);
      const double exponent = node.parameters[0];
      const double lowest = std::pow(inner.lowest, exponent);
      return {lowest, std::pow(inner.highest, exponent), inner.positive && (inner.lowest == 0 || lowest > 0)};
    }
    case Kind::normalize: {
      // κ(a, b)² ≤ κ(a, a) κ(b, b) holds for the leaf kernels, and so for sums, products, means and powers of them.
      const Range inner = range_of(node.children[0]);
      return {inner.highest > 0 && std::isfinite(inner.highest) ? inner.lowest / inner.highest : 0, 1, inner.positive};
    }
  }
  throw Error("a base kernel of a kind whose values are not known");
}

void collect_attributes(const Node& node, std::set<std::string>& attributes) {
  if (!node.attribute.empty() && node.attribute != "_") attributes.insert(node.attribute);
  for (const Node& child : node.children) collect_attributes(child, attributes);
}

/// What is wrong with a text, in one line, whatever the text holds. Of a long one, such as a file that was given by mistake, the middle
/// is left out.
Error refused(std::string_view text, std::size_t column, std::string_view reason) {
  constexpr std::size_t longest = 400;
  const auto shown = [](std::string_view whole) {
    std::string part(whole);
    if (whole.size() > longest) {
      part = fmt::format("{} ... {}", whole.substr(0, longest / 2), whole.substr(whole.size() - longest / 2));
    }
    for (char& byte : part) {
      if (std::iscntrl(static_cast<unsigned char>(byte)) != 0) byte = ' ';
    }
    return part;
  };
  return Error(fmt::format("expression '{}', column {}: {}", shown(text), column, shown(reason)));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node parse() {
    Node root = sum();
    if (position_ < text_.size()) fail(position_, "an operator '*' or '+', or the end, is expected here");
    return root;
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& reason) const {
    throw refused(text_, position + 1, reason);
  }

  void skip_spaces() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }

  bool accept(char symbol) {
    skip_spaces();
    if (position_ >= text_.size() || text_[position_] != symbol) return false;
    ++position_;
    skip_spaces();
    return true;
  }

  void expect(char symbol, std::string_view where) {
    skip_spaces();
    if (!accept(symbol)) fail(position_, fmt::format("'{}' is expected {}", symbol, where));
  }

  Node sum() {
    return chain(Kind::sum, '+', [this] { return product(); });
  }
  Node product() {
    return chain(Kind::product, '*', [this] { return factor(); });
  }

  template <class Part>
  Node chain(Kind kind, char symbol, const Part& part) {
    skip_spaces();
    const std::size_t start = position_;
    std::vector<Node> parts{part()};
    while (accept(symbol)) parts.push_back(part());
    if (parts.size() == 1) return std::move(parts.front());
    Node node;
    node.kind = kind;
    node.column = start + 1;
    node.children = std::move(parts);
    return node;
  }

  Node factor() {
    skip_spaces();
    if (position_ >= text_.size()) fail(position_, "a kernel or a number is expected here, but the text ends");
    if (++depth_ > 64) fail(position_, "parentheses are nested too deeply; allowed are 64 levels");
    Node node = factor_inside();
    --depth_;
    return node;
  }

  Node factor_inside() {
    const char next = text_[position_];
    if (accept('(')) {
      Node inside = sum();
      expect(')', "to close the parenthesis");
      return inside;
    }
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.' || next == '-' || next == '+') {
      Node node;
      node.column = position_ + 1;
      const double value = number("a coefficient", 0, HUGE_VAL, true);
      node.parameters = {value};
      return node;
    }
    if (std::isalpha(static_cast<unsigned char>(next)) == 0) {
      fail(position_,
           fmt::format("'{}' is not expected here; allowed is a number, '(' or a kernel: {}", next, kernel_names()));
    }
    return call();
  }

  /// A number in (low, high], or [low, high] unless `open`.
  double number(std::string_view what, double low, double high, bool open) {
    skip_spaces();
    const std::size_t start = position_;
    double value = 0;
    const char* first = text_.data() + start;
    const auto [end, fault] = std::from_chars(first, text_.data() + text_.size(), value);
    if (fault != std::errc() || end == first) fail(start, fmt::format("{} is expected here, a number", what));
    position_ = static_cast<std::size_t>(end - text_.data());
    const bool inside = std::isfinite(value) && (open ? value > low : value >= low) && value <= high;
    if (!inside) {
      const std::string above = fmt::format("{} {}", open ? "greater than" : "at least", low);
      fail(start, fmt::format("{} is {}; allowed is a number {}{}", what, value, above,
                              high < HUGE_VAL ? fmt::format(" and at most {}", high) : std::string()));
    }
    return value;
  }

  double parameter(const LeafParameter& row) {
    skip_spaces();
    const std::size_t start = position_;
    const double value = number(row.title, row.low, row.high, row.above_low);
    if (!row.has_step(value)) fail(start, fmt::format("{} is {}; allowed is {}", row.title, value, row.steps()));
    return value;
  }

  /// Reads the parameters of a leaf kernel, up to its closing parenthesis.
  std::vector<double> parameters(const LeafRow& leaf) {
    std::vector<double> values;
    for (const LeafParameter& row : leaf.parameters) {
      if (!row.standard) separator(row.title);
      const bool given = !row.standard || accept(',');
      values.push_back(given ? parameter(row) : *row.standard);
    }
    return values;
  }

  static bool is_name(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-' || letter == '.';
  }

  std::string attribute() {
    skip_spaces();
    const std::size_t start = position_;
    std::string name;
    if (accept('"')) {
      const std::size_t close = text_.find('"', start + 1);
      if (close == std::string_view::npos) fail(start, "this quotation mark is not closed");
      name = text_.substr(start + 1, close - start - 1);
      position_ = close + 1;
      if (name == "_") fail(start, "'_' is the element of a list inside a convolution, not an attribute");
    } else {
      while (position_ < text_.size() && is_name(text_[position_])) name += text_[position_++];
    }
    if (name.empty()) fail(start, "the name of an attribute is expected here");
    if (name == "_" && !in_convolution_) fail(start, "'_' stands for a list's element inside a convolution only");
    if (name != "_" && in_convolution_) {
      fail(start, fmt::format("inside a convolution the attribute is '_', not '{}'", name));
    }
    skip_spaces();
    return name;
  }

  /// A list leaf, by its name at `start`.
  void list_leaf(Node& node, std::size_t start) {
    if (in_convolution_) {
      fail(start,
           fmt::format("{} compares lists, and inside a convolution there are their elements", node.list_leaf->name));
    }
    open(node, Kind::list_leaf);
  }

  void convolution(Node& node, std::size_t start) {
    if (in_convolution_) fail(start, "a convolution inside a convolution is not allowed");
    open(node, Kind::convolution);
    separator("the kernel of its elements");
    in_convolution_ = true;
    node.children.push_back(sum());
    in_convolution_ = false;
  }

  void power(Node& node) {
    node.kind = Kind::power;
    expect('(', "after power");
    node.children.push_back(sum());
    separator("the exponent");
    skip_spaces();
    const std::size_t start = position_;
    const double exponent = number("the exponent", 0, HUGE_VAL, true);
    if (exponent != std::floor(exponent) && !Expression::divisible(node.children[0])) {
      fail(start,
           fmt::format("the exponent is {}; allowed is a whole number, and any greater than 0 for products of delta, "
                       "gaussian, rational, periodic and matern with nu = 0.5",
                       exponent));
    }
    node.parameters = {exponent};
  }

  void normalize(Node& node, std::size_t start) {
    if (in_convolution_) fail(start, "normalize is not allowed inside a convolution; it may stand around one");
    if (in_normalize_) fail(start, "normalize inside normalize is not allowed");
    node.kind = Kind::normalize;
    expect('(', "after normalize");
    in_normalize_ = true;
    node.children.push_back(sum());
    in_normalize_ = false;
  }

  Node call() {
    const std::size_t start = position_;
    std::string name;
    while (position_ < text_.size() && is_name(text_[position_])) name += text_[position_++];
    Node node;
    node.column = start + 1;
    node.leaf = find_leaf(name);
    if (node.leaf != nullptr) {
      open(node, Kind::leaf);
      node.parameters = parameters(*node.leaf);
    } else if (node.list_leaf = find_list_leaf(name); node.list_leaf != nullptr) {
      list_leaf(node, start);
    } else if (name == "convolution") {
      convolution(node, start);
    } else if (name == "power") {
      power(node);
    } else if (name == "normalize") {
      normalize(node, start);
    } else {
      fail(start, fmt::format("unknown kernel '{}'; allowed are {}", name, kernel_names()));
    }
    expect(')', fmt::format("to close {}(", name));
    return node;
  }

  void open(Node& node, Kind kind) {
    node.kind = kind;
    expect('(', "after the name of a kernel");
    node.attribute = attribute();
  }

  void separator(std::string_view what) { expect(',', fmt::format("before {}", what)); }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool in_convolution_ = false;
  bool in_normalize_ = false;
};

}  // namespace

Expression Expression::parse(std::string_view text) {
  Node root = Parser(text).parse();
  return {std::string(text), std::move(root)};
}

Range Expression::range() const { return range_of(root_); }

bool Expression::divisible(const Node& node) {
  switch (node.kind) {
    case Kind::constant: return true;
    case Kind::leaf: return !node.leaf->power(node.parameters, 2).empty();
    case Kind::product:
    case Kind::power:
    case Kind::normalize: return std::ranges::all_of(node.children, divisible);
    case Kind::list_leaf:
    case Kind::sum:
    case Kind::convolution: return false;
  }
  return false;
}

std::set<std::string> Expression::attributes() const {
  std::set<std::string> attributes;
  collect_attributes(root_, attributes);
  return attributes;
}

void Expression::require_edge_kernel() const {
  const Range values = range();
  if (values.highest > 1 + range_slack) {
    const std::string reached = std::isinf(values.highest) ? "its values have no upper limit"
                                                           : fmt::format("its values reach {}", values.highest);
    throw refused(
        text_, root_.column,
        fmt::format("{}; allowed are values up to 1 (write normalize(...) around it, or scale the terms of a sum so "
                    "that their coefficients add up to 1)",
                    reached));
  }
}

void Expression::require_vertex_kernel() const {
  require_edge_kernel();
  if (!range().positive) {
    throw refused(
        text_, root_.column,
        fmt::format("as a vertex kernel its values must be greater than 0, and here they can be 0 ({})", zeros()));
  }
}

}  // namespace octile
