// SPDX-License-Identifier: BSD-3-Clause
#include <octile/lowering.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

using Node = Expression::Node;
using Kind = Expression::Kind;

/// How a slot reads its attribute: what a delta compares becomes a code, what a
/// formula subtracts stays a number; alone or as the elements of a list.
struct Slot {
  std::string attribute;
  bool coded = false;
  bool list = false;
  bool operator==(const Slot&) const = default;
};

/// Turns an expression tree into a program, collecting the slots it needs.
class Compiler {
 public:
  explicit Compiler(const Expression& expression) : text_(expression.text()) { emit(expression.root(), nullptr); }

  std::vector<Instruction> program;
  std::vector<Slot> slots;

 private:
  std::int32_t slot_of(Slot slot) {
    const auto found = std::ranges::find(slots, slot);
    if (found != slots.end()) return static_cast<std::int32_t>(found - slots.begin());
    slots.push_back(std::move(slot));
    return static_cast<std::int32_t>(slots.size() - 1);
  }

  void push(Instruction instruction) {
    program.push_back(instruction);
    if (++depth_ > program_stack) {
      throw Error(fmt::format("expression '{}': nested too deeply; allowed are {} levels", text_, program_stack));
    }
  }

  /// `list` is the slot of the convolution that the node stands in, if any.
  void emit(const Node& node, Slot* list) {
    Instruction instruction;
    if (node.kind == Kind::delta || node.kind == Kind::gaussian || node.kind == Kind::wendland) {
      const bool coded = node.kind == Kind::delta;
      if (list == nullptr) {
        instruction.slot = slot_of({node.attribute, coded, false});
      } else {
        require_one_reading(node, *list, coded);
      }
    }
    switch (node.kind) {
      case Kind::constant:
        instruction.code = Instruction::Code::constant;
        instruction.parameter = node.parameters[0];
        return push(instruction);
      case Kind::delta:
        instruction.code = Instruction::Code::delta;
        instruction.parameter = node.parameters[0];
        return push(instruction);
      case Kind::gaussian:
        instruction.code = Instruction::Code::square_exponential;
        instruction.parameter = formula::square_exponential_rate(node.parameters[0]);
        return push(instruction);
      case Kind::wendland:
        instruction.code = Instruction::Code::wendland;
        instruction.parameter = 1.0 / node.parameters[0];
        instruction.degree = static_cast<std::int32_t>(node.parameters[1]);
        instruction.exponent = formula::wendland_exponent(instruction.degree, static_cast<int>(node.parameters[2]));
        return push(instruction);
      case Kind::product:
      case Kind::sum: return emit_chain(node, list);
      case Kind::convolution: return emit_convolution(node);
    }
  }

  void emit_chain(const Node& node, Slot* list) {
    const auto code = node.kind == Kind::product ? Instruction::Code::multiply : Instruction::Code::add;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      emit(node.children[k], list);
      if (k == 0) continue;
      Instruction instruction;
      instruction.code = code;
      program.push_back(instruction);
      --depth_;
    }
  }

  void emit_convolution(const Node& node) {
    const std::size_t here = program.size();
    push({});
    const int outer_depth = std::exchange(depth_, 0);
    Slot list{node.attribute, false, true};
    reading_.reset();
    emit(node.children.at(0), &list);
    depth_ = outer_depth;
    list.coded = reading_.value_or(false);
    program[here].code = Instruction::Code::convolution;
    program[here].slot = slot_of(list);
    program[here].count = static_cast<std::int32_t>(program.size() - here - 1);
  }

  /// The elements of one list are either codes or numbers.
  void require_one_reading(const Node& node, const Slot& list, bool coded) {
    if (reading_.value_or(coded) != coded) {
      throw Error(
          fmt::format("expression '{}', column {}: delta and a numeric kernel inside one convolution over "
                      "'{}'; allowed is one or the other",
                      text_, node.column, list.attribute));
    }
    reading_ = coded;
  }

  std::string text_;
  int depth_ = 0;
  std::optional<bool> reading_;
};

std::string_view site_name(LabelSite site) { return site == LabelSite::vertex ? "vertex" : "edge"; }

/// Numbers the values that a delta compares. Integers and reals are one kind, compared as numbers and exactly; a set
/// in which one attribute is both text and number is refused.
class Coder {
 public:
  double code(const LabelValue& value, const Graph& graph, std::string_view attribute) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      require_kind(true, graph, attribute);
      return number(texts_, *text);
    }
    require_kind(false, graph, attribute);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return number(integers_, *integer);
    const double real = std::get<double>(value);
    // 2^63 bounds what a 64-bit integer may hold.
    if (std::trunc(real) == real && std::abs(real) < 0x1p63) return number(integers_, static_cast<std::int64_t>(real));
    return number(reals_, real);
  }

 private:
  /// Up to here every code is a float of its own.
  static constexpr std::size_t largest_code = std::size_t(1) << 24;

  template <class Map, class Key>
  double number(Map& codes, const Key& key) {
    const auto [found, fresh] = codes.try_emplace(key, next_);
    if (fresh && ++next_ > largest_code) {
      throw Error(fmt::format("more than {} distinct labels under one delta; allowed are so many", largest_code));
    }
    return static_cast<double>(found->second);
  }

  void require_kind(bool text, const Graph& graph, std::string_view attribute) {
    if (first_graph_ == nullptr) {
      first_graph_ = &graph;
      text_ = text;
    }
    if (text_ != text) {
      throw Error(fmt::format("attribute '{}' is {} in graph '{}' and {} in graph '{}'; allowed is one or the other",
                              attribute, text_ ? "text" : "a number", first_graph_->name(), text ? "text" : "a number",
                              graph.name()));
    }
  }

  std::unordered_map<std::string, std::size_t> texts_;
  std::unordered_map<std::int64_t, std::size_t> integers_;
  std::unordered_map<double, std::size_t> reals_;
  std::size_t next_ = 0;
  const Graph* first_graph_ = nullptr;
  bool text_ = false;
};

struct HashRecord {
  std::size_t operator()(const std::vector<double>& record) const {
    std::size_t hash = record.size();
    for (const double value : record) hash = hash * 1099511628211ULL + std::hash<double>{}(value);
    return hash;
  }
};

/// Reads the labels of a set into numbered records.
class Interner {
 public:
  Interner(const Expression& expression, const std::vector<Slot>& slots, LabelSite site, LoweredKernel& lowered)
      : text_(expression.text()), slots_(slots), site_(site), lowered_(lowered), coders_(slots.size()) {
    lowered_.list_begin.push_back(0);
  }

  std::vector<std::uint32_t> ids(const Graph& graph) {
    const std::size_t count =
        site_ == LabelSite::vertex ? static_cast<std::size_t>(graph.vertex_count()) : graph.edge_count();
    std::vector<std::uint32_t> result(count);
    if (count == 0) return result;
    std::vector<std::vector<double>> columns;
    for (std::size_t s = 0; s < slots_.size(); ++s) columns.push_back(read(graph, s, count));
    std::vector<double> record(slots_.size());
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t s = 0; s < slots_.size(); ++s) record[s] = columns[s][k];
      const auto [found, fresh] = records_.try_emplace(record, static_cast<std::uint32_t>(records_.size()));
      if (fresh) lowered_.records.insert(lowered_.records.end(), record.begin(), record.end());
      result[k] = found->second;
    }
    lowered_.record_count = records_.size();
    return result;
  }

 private:
  /// Slot s of every vertex or edge of the graph.
  std::vector<double> read(const Graph& graph, std::size_t s, std::size_t count) {
    const Slot& slot = slots_[s];
    const LabelColumns& labels = site_ == LabelSite::vertex ? graph.vertex_labels() : graph.edge_labels();
    const auto found = labels.find(slot.attribute);
    if (found == labels.end()) {
      std::string known;
      for (const auto& [name, column] : labels) known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
      throw Error(fmt::format("graph '{}' has no {} attribute '{}', which kernel '{}' reads; it has: {}", graph.name(),
                              site_name(site_), slot.attribute, text_, known.empty() ? "none" : known));
    }
    require_type(graph, slot, found->second);
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
      const LabelValue value = column_value(found->second, k);
      values[k] = slot.list ? list_number(graph, s, k, value) : number(graph, s, value);
    }
    return values;
  }

  void require_type(const Graph& graph, const Slot& slot, const LabelColumn& column) const {
    const bool list =
        std::holds_alternative<std::vector<RealList>>(column) || std::holds_alternative<std::vector<TextList>>(column);
    const bool text = std::holds_alternative<std::vector<std::string>>(column) ||
                      std::holds_alternative<std::vector<TextList>>(column);
    if (list == slot.list && (slot.coded || !text)) return;
    std::string_view allowed = slot.coded ? "numbers or texts (delta)" : "numbers (gaussian, wendland)";
    if (slot.list) allowed = slot.coded ? "lists (convolution)" : "lists of numbers (convolution)";
    throw Error(fmt::format("graph '{}': {} attribute '{}' is {}; kernel '{}' takes {}", graph.name(), site_name(site_),
                            slot.attribute, column_type_name(column), text_, allowed));
  }

  double number(const Graph& graph, std::size_t s, const LabelValue& value) {
    if (slots_[s].coded) return coders_[s].code(value, graph, slots_[s].attribute);
    return std::holds_alternative<double>(value) ? std::get<double>(value)
                                                 : static_cast<double>(std::get<std::int64_t>(value));
  }

  double list_number(const Graph& graph, std::size_t s, std::size_t k, const LabelValue& value) {
    std::vector<double> elements;
    if (const auto* reals = std::get_if<RealList>(&value)) {
      for (const double real : *reals) elements.push_back(number(graph, s, LabelValue(real)));
    } else {
      for (const std::string& text : std::get<TextList>(value)) elements.push_back(number(graph, s, LabelValue(text)));
    }
    if (elements.empty() && site_ == LabelSite::vertex) {
      throw Error(
          fmt::format("graph '{}': attribute '{}' of vertex {} is an empty list, on which the vertex kernel "
                      "'{}' may be 0; allowed are lists of one or more",
                      graph.name(), slots_[s].attribute, k, text_));
    }
    const auto [found, fresh] = lists_.try_emplace(elements, lists_.size());
    if (fresh) {
      lowered_.list_values.insert(lowered_.list_values.end(), elements.begin(), elements.end());
      lowered_.list_begin.push_back(static_cast<std::int32_t>(lowered_.list_values.size()));
    }
    return static_cast<double>(found->second);
  }

  std::string text_;
  const std::vector<Slot>& slots_;
  LabelSite site_;
  LoweredKernel& lowered_;
  std::vector<Coder> coders_;
  std::unordered_map<std::vector<double>, std::uint32_t, HashRecord> records_;
  std::unordered_map<std::vector<double>, std::size_t, HashRecord> lists_;
};

void tabulate(LoweredKernel& lowered) {
  const RecordPointers<double> labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
                                      lowered.slots};
  const std::size_t count = lowered.record_count;
  lowered.table.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double value = run_program<double>(lowered.program.data(), static_cast<int>(lowered.program.size()), labels,
                                               static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      lowered.table[a * count + b] = value;
      lowered.table[b * count + a] = value;
    }
  }
}

}  // namespace

std::string LoweredKernel::description() const {
  if (constant()) return fmt::format("constant {}", program[0].parameter);
  if (tabulated()) return fmt::format("table over {} labels", record_count);
  if (square_exponential()) return fmt::format("square exponential over {} labels", record_count);
  return fmt::format("program of {} steps over {} labels", program.size(), record_count);
}

LoweredKernel lower(std::span<const Graph> graphs, const Expression& expression, LabelSite site) {
  LoweredKernel lowered;
  Compiler compiler(expression);
  lowered.program = compiler.program;
  lowered.slots = static_cast<std::int32_t>(compiler.slots.size());
  Interner interner(expression, compiler.slots, site, lowered);
  lowered.ids.reserve(graphs.size());
  for (const Graph& graph : graphs) lowered.ids.push_back(interner.ids(graph));
  if (!lowered.constant() && lowered.record_count > 0 && lowered.record_count <= table_limit) tabulate(lowered);
  return lowered;
}

}  // namespace octile
