// SPDX-License-Identifier: BSD-3-Clause
#include "commands/attribute_range.hpp"

#include <algorithm>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <octile/base/parallel.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_texts = 6;

/// Counts values of one type that are added one by one. Numbers are reported by value, texts by frequency.
template <class Value>
class Tally {
 public:
  void add(const Value& value) { ++counts_[value]; }
  bool empty() const { return counts_.empty(); }

  std::string range() const requires(!std::is_same_v<Value, std::string>) {
    const auto [low, high] = std::ranges::minmax_element(counts_, {}, [](const auto& entry) { return entry.first; });
    const auto text = [](Value value) {
      if constexpr (std::is_floating_point_v<Value>) return fmt::format("{:.6g}", value);
      return fmt::format("{}", value);
    };
    if (counts_.size() == 1) return fmt::format("always {}", text(low->first));
    return fmt::format("{} to {}, {} distinct", text(low->first), text(high->first), with_commas(counts_.size()));
  }

  std::string range() const requires std::is_same_v<Value, std::string> {
    std::vector<std::pair<std::string, std::size_t>> texts(counts_.begin(), counts_.end());
    if (texts.size() == 1) return fmt::format("always {}", printable(texts.front().first));
    // The most frequent first, equal ones by the text, so that the output is stable.
    std::ranges::sort(texts, [](const auto& a, const auto& b) {
      return std::pair(b.second, a.first) < std::pair(a.second, b.first);
    });
    std::string list = fmt::format("{} distinct:", with_commas(texts.size()));
    for (std::size_t k = 0; k < std::min(most_texts, texts.size()); ++k) {
      list += fmt::format("{} {} ({})", k == 0 ? "" : ",", printable(texts[k].first), with_commas(texts[k].second));
    }
    return texts.size() > most_texts ? list + ", ..." : list;
  }

 private:
  std::unordered_map<Value, std::size_t> counts_;
};

template <class Value>
struct ItemOf {
  using Type = Value;
  static constexpr bool list = false;
};
template <class Value>
struct ItemOf<std::vector<Value>> {
  using Type = Value;
  static constexpr bool list = true;
};

/// The values of one attribute in all graphs that have it, all of the type `Value`.
template <class Value>
std::string values_of(const std::vector<const LabelColumn*>& columns) {
  using Item = ItemOf<Value>;
  Tally<typename Item::Type> items;
  Tally<std::size_t> lengths;
  for (const LabelColumn* column : columns) {
    for (const Value& value : std::get<std::vector<Value>>(*column)) {
      if constexpr (Item::list) {
        lengths.add(value.size());
        for (const auto& item : value) items.add(item);
      } else {
        items.add(value);
      }
    }
  }
  std::string text = items.empty() ? "no values" : items.range();
  if (Item::list && !lengths.empty()) text = fmt::format("length {}; {}", lengths.range(), text);
  return text;
}

AttributeRange range_of(const std::string& attribute, const std::vector<const LabelColumn*>& columns) {
  AttributeRange range{attribute, std::string(column_type_name(*columns.front())), "", columns.size()};
  const bool one_type = std::ranges::all_of(
      columns, [&columns](const LabelColumn* column) { return column->index() == columns.front()->index(); });
  if (one_type) {
    range.values = std::visit([&columns]<class Value>(const std::vector<Value>&) { return values_of<Value>(columns); },
                              *columns.front());
  } else {
    range.type = "mixed types";
    range.values = "no kernel can read it: its type differs from graph to graph";
  }
  return range;
}

}  // namespace

ColumnsByAttribute columns_by_attribute(const std::vector<Graph>& graphs,
                                        const LabelColumns& (Graph::*columns)() const) {
  std::map<std::string, std::vector<const LabelColumn*>> found;
  for (const Graph& graph : graphs) {
    for (const auto& [attribute, column] : (graph.*columns)()) found[attribute].push_back(&column);
  }
  return {found.begin(), found.end()};
}

std::vector<AttributeRange> attribute_ranges(const std::vector<Graph>& graphs,
                                             const LabelColumns& (Graph::*columns)() const) {
  const ColumnsByAttribute by_attribute = columns_by_attribute(graphs, columns);
  std::vector<AttributeRange> ranges(by_attribute.size());
  in_parallel(ranges.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) ranges[k] = range_of(by_attribute[k].first, by_attribute[k].second);
  });
  return ranges;
}

}  // namespace octile::app
