// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/lowering.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <octile/base/parallel.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>
#include <octile/kernels/compiled_kernel.hpp>
#include <octile/kernels/graph_labels.hpp>
#include <octile/kernels/label_records.hpp>
#include <octile/kernels/simplified.hpp>

namespace octile {
namespace {

/// Up to here every code, and every number of a list, is a float of its own.
constexpr std::size_t largest_code = std::size_t(1) << 24;

/// Numbers the values of one slot over the set; one in which an attribute is both text and number is refused.
class Coder {
 public:
  double code(const Comparable& value, const Graph& graph, std::string_view attribute) {
    require_kind(std::holds_alternative<std::string_view>(value), graph, attribute);
    const auto [found, fresh] = codes_.try_emplace(value, codes_.size());
    if (fresh && codes_.size() > largest_code) {
      throw Error(fmt::format("more than {} distinct labels under one delta; allowed are so many", largest_code));
    }
    return static_cast<double>(found->second);
  }

 private:
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

  std::unordered_map<Comparable, std::size_t> codes_;
  const Graph* first_graph_ = nullptr;
  bool text_ = false;
};

/// Numbers the labels of graph after graph over the whole set.
class Interner {
 public:
  /// `most`: the records of all graphs together.
  Interner(const std::vector<Slot>& slots, std::size_t most, LoweredKernel& lowered)
      : slots_(slots),
        numbers_alone_(std::ranges::none_of(slots, [](const Slot& slot) { return slot.coded || slot.list; })),
        lowered_(lowered),
        coders_(slots.size()),
        codes_(slots.size()),
        lengths_(slots.size()),
        records_(slots.size(), most) {
    lowered_.list_begin.push_back(0);
  }

  /// The numbers in the set of all records of a graph.
  std::vector<std::uint32_t> numbers(const Graph& graph, const GraphLabels& labels) {
    std::vector<std::uint32_t> numbers(labels.hashes.size());
    if (numbers_alone_) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        numbers[k] =
            records_.number(std::span(labels.records).subspan(k * slots_.size(), slots_.size()), labels.hashes[k]);
      }
      return numbers;
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      codes_[s].clear();
      for (const Comparable& value : labels.codes[s]) {
        codes_[s].push_back(coders_[s].code(value, graph, slots_[s].attribute));
      }
    }
    std::vector<double> lists;
    for (const auto& [s, list] : labels.lists) lists.push_back(list_number(graph, s, list));
    std::vector<double> record(slots_.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        const double value = labels.records[k * slots_.size() + s];
        if (slots_[s].list) {
          record[s] = lists[static_cast<std::size_t>(value)];
        } else {
          record[s] = slots_[s].coded ? codes_[s][static_cast<std::size_t>(value)] : value;
        }
      }
      numbers[k] = records_.number(record, HashNumbers()(record));
    }
    return numbers;
  }

  void finish() {
    lowered_.record_count = records_.count();
    lowered_.records = records_.take();
  }

 private:
  double list_number(const Graph& graph, std::size_t s, std::vector<double> list) {
    if (slots_[s].coded) {
      for (double& value : list) value = codes_[s][static_cast<std::size_t>(value)];
    }
    if (slots_[s].order == Slot::Order::set) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    if (slots_[s].order == Slot::Order::vector) require_vector(graph, s, list);
    const auto [found, fresh] = lists_.try_emplace(std::move(list), lists_.size());
    if (lists_.size() > largest_code || lowered_.list_values.size() + found->first.size() > INT32_MAX) {
      throw Error(
          fmt::format("more than {} distinct lists, or 2^31 elements of lists; allowed are so many", largest_code));
    }
    if (fresh) {
      lowered_.list_values.insert(lowered_.list_values.end(), found->first.begin(), found->first.end());
      lowered_.list_begin.push_back(static_cast<std::int32_t>(lowered_.list_values.size()));
    }
    return static_cast<double>(found->second);
  }

  void require_vector(const Graph& graph, std::size_t s, const std::vector<double>& list) {
    std::size_t& length = lengths_[s];
    if (length == 0) length = list.size();
    if (list.empty() || list.size() != length) {
      throw Error(fmt::format("graph '{}': a vector '{}' has {} numbers; allowed are {} in all graphs", graph.name(),
                              slots_[s].attribute, list.size(),
                              list.empty() ? "one or more, equally many" : std::to_string(length)));
    }
    const auto wrong = std::ranges::find_if(
        list, [](double value) { return value != 0 && !(value >= least_in_vector && value <= largest_in_vector); });
    if (wrong != list.end()) {
      throw Error(
          fmt::format("graph '{}': a vector '{}' has the number {}; allowed are 0 and numbers from {:g} to {:g}",
                      graph.name(), slots_[s].attribute, *wrong, least_in_vector, largest_in_vector));
    }
  }

  /// Squares of larger numbers could overflow where programs run in single precision, those of smaller ones vanish.
  static constexpr double least_in_vector = 1e-15;
  static constexpr double largest_in_vector = 1e15;

  const std::vector<Slot>& slots_;
  bool numbers_alone_;  ///< a graph's records and hashes are the set's
  LoweredKernel& lowered_;
  std::vector<Coder> coders_;
  std::vector<std::vector<double>> codes_;  ///< of one graph, by slot
  std::vector<std::size_t> lengths_;        ///< by slot: of its vectors, 0 before the first
  Records records_;
  std::unordered_map<std::vector<double>, std::size_t, HashNumbers> lists_;
};

/// Graphs that a thread reads at a time, and rows of a table.
constexpr std::size_t graphs_at_once = 16;
constexpr std::size_t rows_at_once = 8;

/// Graphs are read side by side, and what they have numbered one after the other: a set has fewer records than labels.
void intern(std::span<const Graph> graphs, const Expression& expression, const std::vector<Slot>& slots, LabelSite site,
            LoweredKernel& lowered) {
  const std::string& text = expression.text();
  std::vector<GraphLabels> labels(graphs.size());
  in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) labels[g] = read_labels(text, slots, site, graphs[g]);
  });
  std::size_t records = 0;
  for (const GraphLabels& of_graph : labels) records += of_graph.hashes.size();
  Interner interner(slots, records, lowered);
  std::vector<std::vector<std::uint32_t>> numbers(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    stop_if_asked();
    numbers[g] = interner.numbers(graphs[g], labels[g]);
  }
  interner.finish();
  lowered.ids.resize(graphs.size());
  in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      for (std::uint32_t& id : labels[g].ids) id = numbers[g][id];
      lowered.ids[g] = std::move(labels[g].ids);
    }
  });
}

/// The program with every constant factor and every exponent set to 1. Its κ is 0 where labels alone make it 0, such as
/// empty lists, and not where constants make it small.
std::vector<Instruction> without_sizes(std::vector<Instruction> program) {
  for (Instruction& instruction : program) {
    const bool sizes = instruction.code == Instruction::Code::constant || instruction.code == Instruction::Code::power;
    if (sizes) instruction.parameter = 1;
  }
  return program;
}

/// Puts 1 / √κ(a, a) of each kernel that is normalised behind the slots of record a; 0 where κ(a, a) is 0, as for an empty list.
void add_scales(const std::vector<std::vector<Instruction>>& normalized, const std::string& text,
                LoweredKernel& lowered) {
  if (normalized.empty()) return;
  const auto slots = static_cast<std::size_t>(lowered.slots);
  const std::size_t wider = slots + normalized.size();
  const RecordPointers labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
                              lowered.slots};
  const auto with_itself = [&](const std::vector<Instruction>& program, std::size_t record) {
    const auto a = static_cast<std::uint32_t>(record);
    return run_program<double>(program.data(), static_cast<int>(program.size()), labels, a, a);
  };
  std::vector<double> records(lowered.record_count * wider);
  for (std::size_t a = 0; a < lowered.record_count; ++a) {
    std::copy_n(lowered.records.data() + a * slots, slots, records.data() + a * wider);
  }
  for (std::size_t k = 0; k < normalized.size(); ++k) {
    const std::vector<Instruction> whether = without_sizes(normalized[k]);
    for (std::size_t a = 0; a < lowered.record_count; ++a) {
      const double value = with_itself(normalized[k], a);
      const bool nothing = with_itself(whether, a) == 0;
      if (!nothing && !std::isnormal(value)) {
        throw Error(fmt::format("kernel '{}': inside normalize a label has the value {} with itself; allowed are {}",
                                text, value, normal_numbers));
      }
      records[a * wider + slots + k] = nothing ? 0 : 1 / std::sqrt(value);
    }
  }
  lowered.records = std::move(records);
  lowered.slots = static_cast<std::int32_t>(wider);
  lowered.numbers.resize(wider);
}

void tabulate(LoweredKernel& lowered) {
  const RecordPointers labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
                              lowered.slots};
  const std::size_t count = lowered.record_count;
  lowered.table.resize(count * count);
  in_parallel(count, rows_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const double value = run_program<double>(lowered.program.data(), static_cast<int>(lowered.program.size()),
                                                 labels, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        lowered.table[a * count + b] = value;
        lowered.table[b * count + a] = value;
      }
    }
  });
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
  CompiledKernel compiled = compile(expression);
  lowered.program = std::move(compiled.program);
  lowered.exact = std::move(compiled.exact);
  lowered.slots = static_cast<std::int32_t>(compiled.slots.size());
  for (const Slot& slot : compiled.slots) {
    lowered.numbers.emplace_back(slot.coded || slot.list ? "" : slot.attribute);
    if (slot.order == Slot::Order::vector) lowered.vectors.push_back(slot.attribute);
  }
  intern(graphs, expression, compiled.slots, site, lowered);
  add_scales(compiled.normalized, expression.text(), lowered);
  if (!lowered.constant() && lowered.record_count > 0 && lowered.record_count <= table_limit) tabulate(lowered);
  return lowered;
}

}  // namespace octile
