// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/program.hpp>

#include <string>
#include <vector>

namespace octile {

/// How a slot reads its attribute: what a delta compares becomes a code, what a
/// formula subtracts stays a number; alone or as the elements of a list.
struct Slot {
  std::string attribute;
  bool coded = false;
  bool list = false;
  bool operator==(const Slot&) const = default;
};

/// An expression as a postfix program over slots of a label record.
struct CompiledKernel {
  std::vector<Instruction> program;
  std::vector<Slot> slots;  ///< each once, in the order of first use
};

/// Throws `Error` for an expression that is nested too deeply, or that reads one list both ways.
CompiledKernel compile(const Expression& expression);

}  // namespace octile
