// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/graph_labels.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <type_traits>
#include <unordered_map>

#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/kernels/label_records.hpp>
#include <octile/kernels/leaf_table.hpp>

namespace octile {
namespace {

/// Up to here every integer is a real number of its own.
constexpr std::int64_t largest_integer = std::int64_t(1) << 53;

std::string_view site_name(LabelSite site) { return site == LabelSite::vertex ? "vertex" : "edge"; }

Comparable comparable(std::int64_t value) { return value; }
Comparable comparable(const std::string& value) { return std::string_view(value); }
Comparable comparable(double value) {
  // 2^63 bounds what a 64-bit integer may hold.
  if (std::trunc(value) == value && std::abs(value) < 0x1p63) return static_cast<std::int64_t>(value);
  return value;
}

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
    if (slot.order == Slot::Order::vector && !list && !text) return;  // a number is a vector of one
    std::string allowed =
        slot.coded ? fmt::format("numbers or texts ({})", leaf_names(LeafReads::equality)) : "numbers";
    if (slot.list) allowed = slot.coded ? "lists (convolution, tanimoto)" : "lists of numbers (convolution, dot)";
    throw Error(fmt::format("graph '{}': {} attribute '{}' is {}; kernel '{}' takes {}", graph_.name(),
                            site_name(site_), slot.attribute, column_type_name(column), text_, allowed));
  }

  /// What a slot makes of element k of its column: a number, a code, or that of a list.
  template <class Value>
  double number(std::size_t s, std::size_t k, const Value& value) {
    if constexpr (std::is_same_v<Value, RealList> || std::is_same_v<Value, TextList>) {
      return list_number(s, k, value);
    } else {
      if (slots_[s].order == Slot::Order::vector) return list_number(s, k, std::vector<Value>{value});
      return element(s, value);
    }
  }

  template <class Value>
  double element(std::size_t s, const Value& value) {
    if (slots_[s].coded) return code(s, comparable(value));
    if constexpr (std::is_integral_v<Value>) {
      // As real numbers two such integers may be the same.
      if (value > largest_integer || value < -largest_integer) {
        throw Error(fmt::format(
            "graph '{}': {} attribute '{}' has the integer {}, with which kernel '{}' computes; allowed are those of "
            "up to "
            "2^53, or a kernel that only compares ({})",
            graph_.name(), site_name(site_), slots_[s].attribute, value, text_, leaf_names(LeafReads::equality)));
      }
    }
    if constexpr (std::is_arithmetic_v<Value>) return static_cast<double>(value);
    return 0;  // `require_type` refuses texts that are not coded
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
    if (list.empty() && site_ == LabelSite::vertex && slots_[s].order == Slot::Order::as_given) {
      throw Error(
          fmt::format("graph '{}': attribute '{}' of vertex {} is an empty list, of which the vertex kernel "
                      "'{}' has no mean; allowed are lists of one or more",
                      graph_.name(), slots_[s].attribute, k, text_));
    }
    std::vector<double> elements;
    elements.reserve(list.size());
    for (const auto& value : list) elements.push_back(element(s, value));
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

}  // namespace

GraphLabels read_labels(const std::string& text, const std::vector<Slot>& slots, LabelSite site, const Graph& graph) {
  return GraphReader(text, slots, site, graph).read();
}

}  // namespace octile
