// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// A base kernel composed at run time, as a tree over named attributes.
///
///     sum     := product { '+' product }
///     product := factor { '*' factor }
///     factor  := NUMBER | '(' sum ')' | call
///     call    := 'delta' '(' attribute ',' h ')'                        h in [0, 1]
///              | 'gaussian' '(' attribute ',' length ')'                length > 0
///              | 'wendland' '(' attribute ',' radius [',' k [',' d]] ')'  k in 0…3, d in 1…10
///              | 'convolution' '(' attribute ',' sum ')'                inside: attribute is '_'
///     attribute := a name of letters, digits, '_', '-', '.', or any text in double quotes
///
/// `1` is the unlabelled case. docs/kernels.md explains it with examples.
class Expression {
 public:
  enum class Kind { constant, delta, gaussian, wendland, product, sum, convolution };

  struct Node {
    Kind kind = Kind::constant;
    std::size_t column = 0;          ///< where it stands in the text, from 1
    std::string attribute;           ///< of delta, gaussian, wendland, convolution; "_" inside a convolution
    std::vector<double> parameters;  ///< constant: {c}; delta: {h}; gaussian: {length}; wendland: {radius, k, d}
    std::vector<Node> children;      ///< of product, sum (two or more) and convolution (one)
  };

  /// What a kernel's values can be, from its tree alone: within [lowest, highest];
  /// `positive` says that no two labels have the value 0 (lists not being empty).
  struct Range {
    double lowest = 0;
    double highest = 1;
    bool positive = false;
  };

  /// Reads an expression. Throws `Error` that quotes the text and points at the
  /// column, for bad grammar, an unknown kernel, or a parameter that breaks the
  /// kernel's range or positive definiteness.
  static Expression parse(std::string_view text);

  const Node& root() const { return root_; }
  const std::string& text() const { return text_; }
  Range range() const;

  /// Every attribute that the expression reads.
  std::set<std::string> attributes() const;

  /// Throws `Error` unless the values lie in (0, 1], as V× needs (it is inverted).
  void require_vertex_kernel() const;
  /// Throws `Error` unless the values lie in [0, 1], as E× needs.
  void require_edge_kernel() const;

 private:
  Expression(std::string text, Node root) : text_(std::move(text)), root_(std::move(root)) {}

  std::string text_;
  Node root_;
};

}  // namespace octile
