// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/compiled_kernel.hpp>

#include <octile/error.hpp>
#include <octile/kernels/simplified.hpp>

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

/// What becomes of a kernel that is normalised.
enum class Normalizing {
  exactly,    ///< `normalize`, which runs it three times
  by_scales,  ///< `scale`, with numbers of the records
};

/// Turns an expression tree into a program, collecting the slots it needs.
class Compiler {
 public:
  Compiler(const std::string& text, std::vector<Slot>& slots, Normalizing normalizing)
      : text_(text), slots_(slots), normalizing_(normalizing) {}

  std::vector<Instruction> program(const Node& root) {
    emit(root, nullptr);
    return std::move(program_);
  }

  /// The kernels that were normalised by scales, in their order.
  std::vector<std::vector<Instruction>> normalized() { return std::move(normalized_); }

 private:
  std::int32_t slot_of(Slot slot) {
    const auto found = std::ranges::find(slots_, slot);
    if (found != slots_.end()) return static_cast<std::int32_t>(found - slots_.begin());
    slots_.push_back(std::move(slot));
    return static_cast<std::int32_t>(slots_.size() - 1);
  }

  void push(Instruction instruction) {
    program_.push_back(instruction);
    if (++depth_ > program_stack) {
      throw Error(fmt::format("expression '{}': nested too deeply; allowed are {} levels", text_, program_stack));
    }
  }

  /// `list` is the slot of the convolution that the node stands in, if any.
  void emit(const Node& node, Slot* list) {
    switch (node.kind) {
      case Kind::constant: return emit_constant(node.parameters[0]);
      case Kind::leaf: return emit_leaf(node, list);
      case Kind::list_leaf: return emit_list_leaf(node);
      case Kind::product:
      case Kind::sum: return emit_chain(node, list);
      case Kind::convolution: return emit_convolution(node);
      case Kind::power: return emit_power(node, list);
      case Kind::normalize: return normalizing_ == Normalizing::exactly ? emit_normalize(node) : emit_scaled(node);
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
      instruction.slot = slot_of({node.attribute, coded, false, Slot::Order::as_given});
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
      program_.push_back(instruction);
      --depth_;
    }
  }

  void emit_list_leaf(const Node& node) {
    const bool sets = node.list_leaf->reads == ListReads::sets;
    Instruction instruction;
    instruction.code = Instruction::Code::list_leaf;
    instruction.leaf = node.list_leaf->number;
    instruction.slot = slot_of({node.attribute, sets, true, sets ? Slot::Order::set : Slot::Order::vector});
    push(instruction);
  }

  void emit_power(const Node& node, Slot* list) {
    emit(node.children.at(0), list);
    Instruction instruction;
    instruction.code = Instruction::Code::power;
    instruction.parameter = node.parameters[0];
    program_.push_back(instruction);
  }

  void emit_normalize(const Node& node) {
    const std::size_t here = program_.size();
    push({});
    const int outer_depth = std::exchange(depth_, 0);
    emit(node.children.at(0), nullptr);
    depth_ = outer_depth;
    program_[here].code = Instruction::Code::normalize;
    program_[here].count = static_cast<std::int32_t>(program_.size() - here - 1);
  }

  /// The slots of scales stand behind all others, whose number is not known yet: `compile` adds it.
  void emit_scaled(const Node& node) {
    const auto here = static_cast<std::ptrdiff_t>(program_.size());
    emit(node.children.at(0), nullptr);
    normalized_.emplace_back(program_.begin() + here, program_.end());
    Instruction scale;
    scale.code = Instruction::Code::scale;
    scale.slot = static_cast<std::int32_t>(normalized_.size() - 1);
    push(scale);
    Instruction multiply;
    multiply.code = Instruction::Code::multiply;
    program_.push_back(multiply);
    --depth_;
  }

  void emit_convolution(const Node& node) {
    const std::size_t here = program_.size();
    push({});
    const int outer_depth = std::exchange(depth_, 0);
    Slot list{node.attribute, false, true, Slot::Order::as_given};
    reading_.reset();
    emit(node.children.at(0), &list);
    depth_ = outer_depth;
    list.coded = reading_.value_or(false);
    program_[here].code = Instruction::Code::convolution;
    program_[here].slot = slot_of(list);
    program_[here].count = static_cast<std::int32_t>(program_.size() - here - 1);
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

  const std::string& text_;
  std::vector<Slot>& slots_;
  Normalizing normalizing_;
  std::vector<Instruction> program_;
  std::vector<std::vector<Instruction>> normalized_;
  int depth_ = 0;
  std::optional<bool> reading_;
};

}  // namespace

CompiledKernel compile(const Expression& expression) {
  CompiledKernel compiled;
  compiled.exact = Compiler(expression.text(), compiled.slots, Normalizing::exactly).program(expression.root());
  Compiler values(expression.text(), compiled.slots, Normalizing::by_scales);
  compiled.program = values.program(simplified(expression));
  compiled.normalized = values.normalized();
  for (Instruction& instruction : compiled.program) {
    if (instruction.code == Instruction::Code::scale) {
      instruction.slot += static_cast<std::int32_t>(compiled.slots.size());
    }
  }
  return compiled;
}

}  // namespace octile
