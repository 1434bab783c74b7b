// SPDX-License-Identifier: BSD-3-Clause
#include <octile/lowering.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <octile/compiled_kernel.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>
#include <octile/parallel.hpp>

namespace octile {
namespace {

std::string_view site_name(LabelSite site) { return site == LabelSite::vertex ? "vertex" : "edge"; }

/// A value that a delta compares. Integers and reals are one kind, compared as numbers and exactly: a real that is whole is
/// an integer.
using Comparable = std::variant<std::int64_t, double, std::string_view>;

Comparable comparable(std::int64_t value) { return value; }
Comparable comparable(const std::string& value) { return std::string_view(value); }
Comparable comparable(double value) {
  // 2^63 bounds what a 64-bit integer may hold.
  if (std::trunc(value) == value && std::abs(value) < 0x1p63) return static_cast<std::int64_t>(value);
  return value;
}

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
  /// Up to here every code is a float of its own.
  static constexpr std::size_t largest_code = std::size_t(1) << 24;

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

struct HashNumbers {
  std::size_t operator()(std::span<const double> numbers) const {
    std::size_t hash = numbers.size();
    for (const double value : numbers) hash = (hash ^ std::hash<double>{}(value)) * 1099511628211ULL;
    return hash ^ hash >> 32U;
  }
};

/// Records of so many slots, each once and in the order of first appearance.
class Records {
 public:
  /// `most`: there will be no more of them.
  Records(std::size_t slots, std::size_t most) : slots_(slots), places_(std::bit_ceil(2 * most + 1), 0) {
    values_.reserve(most * slots);
  }

  /// The number of a record, which is `count()` before the call if it is new.
  std::uint32_t number(std::span<const double> record, std::size_t hash) {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash & mask;
    while (places_[place] != 0 && !std::ranges::equal((*this)[places_[place] - 1], record)) place = (place + 1) & mask;
    if (places_[place] == 0) {
      values_.insert(values_.end(), record.begin(), record.end());
      places_[place] = ++count_;
    }
    return places_[place] - 1;
  }

  std::uint32_t count() const { return count_; }
  std::vector<double> take() { return std::move(values_); }

 private:
  std::span<const double> operator[](std::uint32_t number) const {
    return std::span(values_).subspan(number * slots_, slots_);
  }

  std::size_t slots_;
  std::uint32_t count_ = 0;
  std::vector<double> values_;
  std::vector<std::uint32_t> places_;  ///< number + 1, or 0: a power of two of them, at most half of them taken
};

/// The labels of one graph, numbered within it by first appearance.
struct GraphLabels {
  std::vector<std::vector<Comparable>> codes;                      ///< by slot: what its deltas compare
  std::vector<std::pair<std::size_t, std::vector<double>>> lists;  ///< slot, and codes or numbers
  std::vector<double> records;                                     ///< slot by slot a code, a number, or that of a list
  std::vector<std::size_t> hashes;                                 ///< one a record
  std::vector<std::uint32_t> ids;                                  ///< by vertex or edge
};

/// Reads the labels of one graph.
class GraphReader {
 public:
  GraphReader(const std::string& text, const std::vector<Slot>& slots, LabelSite site, const Graph& graph)
      : text_(text), slots_(slots), site_(site), graph_(graph), codes_(slots.size()) {
    labels_.codes.resize(slots.size());
  }

  GraphLabels read() {
    const std::size_t count =
        site_ == LabelSite::vertex ? static_cast<std::size_t>(graph_.vertex_count()) : graph_.edge_count();
    labels_.ids.resize(count);
    if (count == 0) return std::move(labels_);
    std::vector<double> values(count * slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) read_slot(s, values);
    Records records(slots_.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto record = std::span(values).subspan(k * slots_.size(), slots_.size());
      const std::size_t hash = HashNumbers()(record);
      labels_.ids[k] = records.number(record, hash);
      if (labels_.hashes.size() < records.count()) labels_.hashes.push_back(hash);
    }
    labels_.records = records.take();
    return std::move(labels_);
  }

 private:
  void read_slot(std::size_t s, std::vector<double>& values) {
    const Slot& slot = slots_[s];
    const LabelColumns& labels = site_ == LabelSite::vertex ? graph_.vertex_labels() : graph_.edge_labels();
    const auto found = labels.find(slot.attribute);
    if (found == labels.end()) {
      std::string known;
      for (const auto& [name, column] : labels) known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
      throw Error(fmt::format("graph '{}' has no {} attribute '{}', which kernel '{}' reads; it has: {}", graph_.name(),
                              site_name(site_), slot.attribute, text_, known.empty() ? "none" : known));
    }
    require_type(slot, found->second);
    const auto read = [&](const auto& column) {
      for (std::size_t k = 0; k < column.size(); ++k) values[k * slots_.size() + s] = number(s, k, column[k]);
    };
    std::visit(read, found->second);
  }

  void require_type(const Slot& slot, const LabelColumn& column) const {
    const bool list =
        std::holds_alternative<std::vector<RealList>>(column) || std::holds_alternative<std::vector<TextList>>(column);
    const bool text = std::holds_alternative<std::vector<std::string>>(column) ||
                      std::holds_alternative<std::vector<TextList>>(column);
    if (list == slot.list && (slot.coded || !text)) return;
    std::string allowed =
        slot.coded ? fmt::format("numbers or texts ({})", leaf_names(LeafReads::equality)) : "numbers";
    if (slot.list) allowed = slot.coded ? "lists (convolution)" : "lists of numbers (convolution)";
    throw Error(fmt::format("graph '{}': {} attribute '{}' is {}; kernel '{}' takes {}", graph_.name(),
                            site_name(site_), slot.attribute, column_type_name(column), text_, allowed));
  }

  /// What a slot makes of element k of its column: a number, a code, or that of a list.
  template <class Value>
  double number(std::size_t s, std::size_t k, const Value& value) {
    if constexpr (std::is_same_v<Value, RealList> || std::is_same_v<Value, TextList>) {
      return list_number(s, k, value);
    } else {
      if (slots_[s].coded) return code(s, comparable(value));
      if constexpr (std::is_arithmetic_v<Value>) return static_cast<double>(value);
      return 0;  // `require_type` refuses texts that are not coded
    }
  }

  double code(std::size_t s, const Comparable& value) {
    // Most graphs have few: those are compared one by one, the others kept in a table.
    constexpr std::size_t few = 16;
    std::vector<Comparable>& known = labels_.codes[s];
    const std::size_t compared = std::min(known.size(), few);
    const auto place =
        std::find(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(compared), value) - known.begin();
    if (static_cast<std::size_t>(place) < compared) return static_cast<double>(place);
    const auto next = static_cast<double>(known.size());
    if (known.size() >= few) {
      const auto [found, fresh] = codes_[s].try_emplace(value, next);
      if (!fresh) return found->second;
    }
    known.push_back(value);
    return next;
  }

  template <class List>
  double list_number(std::size_t s, std::size_t k, const List& list) {
    if (list.empty() && site_ == LabelSite::vertex) {
      throw Error(
          fmt::format("graph '{}': attribute '{}' of vertex {} is an empty list, on which the vertex kernel "
                      "'{}' may be 0; allowed are lists of one or more",
                      graph_.name(), slots_[s].attribute, k, text_));
    }
    std::vector<double> elements;
    elements.reserve(list.size());
    for (const auto& value : list) elements.push_back(number(s, k, value));
    const auto [found, fresh] = lists_.try_emplace({s, std::move(elements)}, static_cast<double>(labels_.lists.size()));
    if (fresh) labels_.lists.push_back(found->first);
    return found->second;
  }

  const std::string& text_;
  const std::vector<Slot>& slots_;
  LabelSite site_;
  const Graph& graph_;
  GraphLabels labels_;
  std::vector<std::unordered_map<Comparable, double>> codes_;
  std::map<std::pair<std::size_t, std::vector<double>>, double> lists_;
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
        records_(slots.size(), most) {
    lowered_.list_begin.push_back(0);
  }

  /// Of each of the graph's records, its number in the set.
  std::vector<std::uint32_t> numbers(const Graph& graph, const GraphLabels& labels) {
    std::vector<std::uint32_t> numbers(labels.hashes.size());
    if (numbers_alone_) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        numbers[k] =
            records_.number(std::span(labels.records).subspan(k * slots_.size(), slots_.size()), labels.hashes[k]);
      }
      return numbers;
    }
    std::vector<std::vector<double>>& codes = codes_;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      codes[s].clear();
      for (const Comparable& value : labels.codes[s]) {
        codes[s].push_back(coders_[s].code(value, graph, slots_[s].attribute));
      }
    }
    std::vector<double> lists;
    for (const auto& [s, list] : labels.lists) lists.push_back(list_number(codes[s], s, list));
    std::vector<double> record(slots_.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        const double value = labels.records[k * slots_.size() + s];
        if (slots_[s].list) {
          record[s] = lists[static_cast<std::size_t>(value)];
        } else {
          record[s] = slots_[s].coded ? codes[s][static_cast<std::size_t>(value)] : value;
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
  double list_number(const std::vector<double>& codes, std::size_t s, std::vector<double> list) {
    if (slots_[s].coded) {
      for (double& value : list) value = codes[static_cast<std::size_t>(value)];
    }
    const auto [found, fresh] = lists_.try_emplace(std::move(list), lists_.size());
    if (fresh) {
      lowered_.list_values.insert(lowered_.list_values.end(), found->first.begin(), found->first.end());
      lowered_.list_begin.push_back(static_cast<std::int32_t>(lowered_.list_values.size()));
    }
    return static_cast<double>(found->second);
  }

  const std::vector<Slot>& slots_;
  bool numbers_alone_;  ///< a graph's records and hashes are the set's
  LoweredKernel& lowered_;
  std::vector<Coder> coders_;
  std::vector<std::vector<double>> codes_;  ///< of one graph, by slot
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
    for (std::size_t g = begin; g < end; ++g) labels[g] = GraphReader(text, slots, site, graphs[g]).read();
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

void tabulate(LoweredKernel& lowered) {
  const RecordPointers<double> labels{lowered.records.data(), lowered.list_begin.data(), lowered.list_values.data(),
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
  lowered.slots = static_cast<std::int32_t>(compiled.slots.size());
  for (const Slot& slot : compiled.slots) lowered.numbers.push_back(slot.coded || slot.list ? "" : slot.attribute);
  intern(graphs, expression, compiled.slots, site, lowered);
  if (!lowered.constant() && lowered.record_count > 0 && lowered.record_count <= table_limit) tabulate(lowered);
  return lowered;
}

}  // namespace octile
