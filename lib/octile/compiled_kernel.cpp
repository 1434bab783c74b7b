// SPDX-License-Identifier: BSD-3-Clause
#include <octile/compiled_kernel.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;

Error unknown_kind(std::string_view text) {
  return Error(fmt::format("expression '{}' has a base kernel of a kind that is not lowered", text));
}

/// Turns an expression tree into a program, collecting the slots it needs.
class Compiler {
 public:
  explicit Compiler(const Expression& expression) : text_(expression.text()) { emit(expression.root(), nullptr); }

  CompiledKernel take() { return std::move(compiled_); }

 private:
  std::int32_t slot_of(Slot slot) {
    const auto found = std::ranges::find(compiled_.slots, slot);
    if (found != compiled_.slots.end()) return static_cast<std::int32_t>(found - compiled_.slots.begin());
    compiled_.slots.push_back(std::move(slot));
    return static_cast<std::int32_t>(compiled_.slots.size() - 1);
  }

  void push(Instruction instruction) {
    compiled_.program.push_back(instruction);
    if (++depth_ > program_stack) {
      throw Error(fmt::format("expression '{}': nested too deeply; allowed are {} levels", text_, program_stack));
    }
  }

  /// `list` is the slot of the convolution that the node stands in, if any.
  void emit(const Node& node, Slot* list) {
    switch (node.kind) {
      case Kind::constant: return emit_constant(node.parameters[0]);
      case Kind::leaf: return emit_leaf(node, list);
      case Kind::product:
      case Kind::sum: return emit_chain(node, list);
      case Kind::convolution: return emit_convolution(node);
    }
    throw unknown_kind(text_);
  }

  void emit_constant(double value) {
    Instruction instruction;
    instruction.code = Instruction::Code::constant;
    instruction.parameter = value;
    push(instruction);
  }

  void emit_leaf(const Node& node, Slot* list) {
    Instruction instruction{node.leaf->prepare(node.parameters)};
    instruction.code = Instruction::Code::leaf;
    instruction.leaf = node.leaf->number;
    const bool coded = node.leaf->reads == LeafReads::equality;
    if (list == nullptr) {
      instruction.slot = slot_of({node.attribute, coded, false});
    } else {
      require_one_reading(node, *list, coded);
    }
    push(instruction);
  }

  void emit_chain(const Node& node, Slot* list) {
    const auto code = node.kind == Kind::product ? Instruction::Code::multiply : Instruction::Code::add;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      emit(node.children[k], list);
      if (k == 0) continue;
      Instruction instruction;
      instruction.code = code;
      compiled_.program.push_back(instruction);
      --depth_;
    }
  }

  void emit_convolution(const Node& node) {
    const std::size_t here = compiled_.program.size();
    push({});
    const int outer_depth = std::exchange(depth_, 0);
    Slot list{node.attribute, false, true};
    reading_.reset();
    emit(node.children.at(0), &list);
    depth_ = outer_depth;
    list.coded = reading_.value_or(false);
    compiled_.program[here].code = Instruction::Code::convolution;
    compiled_.program[here].slot = slot_of(list);
    compiled_.program[here].count = static_cast<std::int32_t>(compiled_.program.size() - here - 1);
  }

  /// The elements of one list are either codes or numbers.
  void require_one_reading(const Node& node, const Slot& list, bool coded) {
    if (reading_.value_or(coded) != coded) {
      throw Error(
          fmt::format("expression '{}', column {}: {} and a numeric kernel inside one convolution over "
                      "'{}'; allowed is one or the other",
                      text_, node.column, leaf_names(LeafReads::equality), list.attribute));
    }
    reading_ = coded;
  }

  CompiledKernel compiled_;
  std::string text_;
  int depth_ = 0;
  std::optional<bool> reading_;
};

}  // namespace

CompiledKernel compile(const Expression& expression) { return Compiler(expression).take(); }

}  // namespace octile
