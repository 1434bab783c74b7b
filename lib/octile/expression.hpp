// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <octile/leaf_table.hpp>

namespace octile {

/// A base kernel composed at run time, as a tree over named attributes.
///
///     sum     := product { '+' product }
///     product := factor { '*' factor }
///     factor  := NUMBER | '(' sum ')' | call
///     call    := leaf '(' attribute { ',' parameter } ')'      a leaf kernel, as leaf_table.hpp has them
///              | 'convolution' '(' attribute ',' sum ')'         inside: attribute is '_'
///     attribute := a name of letters, digits, '_', '-', '.', or any text in double quotes
///
/// `1` is the unlabelled case. docs/kernels.md explains it with examples.
class Expression {
 public:
  enum class Kind { constant, leaf, product, sum, convolution };

  struct Node {
    Kind kind = Kind::constant;
    std::size_t column = 0;          ///< where it stands in the text, from 1
    const LeafRow* leaf = nullptr;   ///< of a leaf: which
    std::string attribute;           ///< of leaf, convolution; "_" inside a convolution
    std::vector<double> parameters;  ///< constant: {c}; leaf: all that its row has
    std::vector<Node> children;      ///< of product, sum (two or more) and convolution (one)
  };

  using Range = ValueRange;

  /// Reads an expression. Throws `Error` that quotes the text and points at the
  /// column, for bad grammar, an unknown kernel, or a parameter that breaks the
  /// kernel's range or positive definiteness.
  static Expression parse(std::string_view text);

  const Node& root() const { return root_; }
  const std::string& text() const { return text_; }
  /// What its values can be, from its tree alone.
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
