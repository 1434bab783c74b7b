// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/kernels/program.hpp>

#include <string>
#include <vector>

namespace octile {

/// How a slot reads its attribute: what a delta compares becomes a code, what a
/// formula subtracts stays a number; alone or as the elements of a list.
struct Slot {
  /// Lists as they are, those whose elements ascend and stand once, and those that have one length in the whole set.
  enum class Order { as_given, set, vector };

  std::string attribute;
  bool coded = false;
  bool list = false;
  Order order = Order::as_given;  ///< of a list
  bool operator==(const Slot&) const = default;
};

/// An expression as a postfix program over slots of a label record.
///
///     record │ slots │ 1 / √κ(a, a) of each of `normalized` │
struct CompiledKernel {
  std::vector<Instruction> program;  ///< of values: it has no `normalize`, and `scale` where the expression normalises
  std::vector<Instruction> exact;    ///< the same kernel for derivatives: instruction by instruction what the text has
  std::vector<Slot> slots;           ///< each once, in the order of first use
  /// The kernels whose values with themselves are not one number that is known: programs over the slots.
  std::vector<std::vector<Instruction>> normalized;
};

/// Throws `Error` for an expression that is nested too deeply, or that reads one list both ways.
CompiledKernel compile(const Expression& expression);

}  // namespace octile
