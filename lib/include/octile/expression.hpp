// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <octile/kernels/leaf_table.hpp>

namespace octile {

/// A base kernel composed at run time, as a tree over named attributes.
///
///     sum     := product { '+' product }
///     product := factor { '*' factor }
///     factor  := NUMBER | '(' sum ')' | call
///     call    := leaf '(' attribute { ',' parameter } ')'      a leaf kernel, as leaf_table.hpp has them
///              | list leaf '(' attribute ')'                     a leaf kernel of lists
///              | 'convolution' '(' attribute ',' sum ')'         inside: attribute is '_'
///              | 'power' '(' sum ',' exponent ')'                κ^exponent, which stays positive definite
///              | 'normalize' '(' sum ')'                         κ(a, b) / √(κ(a, a) κ(b, b))
///     attribute := a name of letters, digits, '_', '-', '.', or any text in double quotes
///
/// `1` is the unlabelled case. docs/kernels.md explains it with examples.
class Expression {
 public:
  /// What a node of the tree is.
  enum class Kind { constant, leaf, list_leaf, product, sum, convolution, power, normalize };

  /// A node of the tree, with all below it.
  struct Node {
    Kind kind = Kind::constant;              ///< what it is, and so which of the others it has
    std::size_t column = 0;                  ///< where it stands in the text, from 1
    const LeafRow* leaf = nullptr;           ///< of a leaf: which
    const ListLeafRow* list_leaf = nullptr;  ///< of a list leaf: which
    std::string attribute;                   ///< of leaves, convolution; "_" inside a convolution
    std::vector<double> parameters;          ///< constant: {c}; leaf: all that its row has; power: {exponent}
    std::vector<Node> children;              ///< of product, sum (two or more), convolution, power and normalize (one)
  };

  using Range = ValueRange;  ///< lowest and highest value, and whether none is 0

  /// Reads an expression. Throws `Error` that quotes the text and points at the
  /// column, for bad grammar, an unknown kernel, or a parameter that breaks the
  /// kernel's range or positive definiteness.
  static Expression parse(std::string_view text);

  const Node& root() const { return root_; }         ///< the node that is the whole kernel
  const std::string& text() const { return text_; }  ///< as parse() was given it
  /// What its values can be, from its tree alone.
  Range range() const;
  /// Whether every power of a kernel with an exponent greater than 0 is positive definite, as that of a gaussian is.
  static bool divisible(const Node& node);

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
