// SPDX-License-Identifier: BSD-3-Clause
#include "commands/proposal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <octile/base/parallel.hpp>
#include <octile/expression.hpp>

#include "commands/attribute_range.hpp"
#include "commands/presets.hpp"
#include "readers/structure_attributes.hpp"

namespace octile::app {
namespace {

using LabelsOf = const LabelColumns& (Graph::*)() const;

void append_to(std::string& record, std::uint64_t number) {
  std::array<char, sizeof number> bytes;
  std::memcpy(bytes.data(), &number, bytes.size());
  record.append(bytes.data(), bytes.size());
}
void append_to(std::string& record, std::int64_t number) { append_to(record, static_cast<std::uint64_t>(number)); }
void append_to(std::string& record, double number) { append_to(record, std::bit_cast<std::uint64_t>(number)); }
void append_to(std::string& record, const std::string& text) {
  append_to(record, std::uint64_t{text.size()});
  record += text;
}
template <class Item>
void append_to(std::string& record, const std::vector<Item>& list) {
  append_to(record, std::uint64_t{list.size()});
  for (const Item& item : list) append_to(record, item);
}

/// Appends the values of an attribute, by its number, to the records of its vertices or edges.
void add_values(std::vector<std::string>& records, std::uint64_t attribute, const LabelColumn& column) {
  std::visit(
      [&](const auto& values) {
        for (std::size_t k = 0; k < values.size(); ++k) {
          append_to(records[k], attribute);
          append_to(records[k], values[k]);
        }
      },
      column);
}

/// What a kernel that is made for an attribute has to know of it.
struct SeenValues {
  enum class Type { number, text, other };
  Type type = Type::other;
  std::size_t graphs = 0;  ///< that have it
  std::size_t distinct = 0;
  bool whole = true;           ///< whether all numbers are
  std::size_t judged = 0;      ///< graphs that have it and are so large that values would repeat
  std::size_t unrepeated = 0;  ///< of these, those where hardly any value does
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

/// Values beyond so many are not counted: they are many.
constexpr std::size_t many_values = 64;

/// In smaller graphs labels may differ by chance.
constexpr std::size_t least_judged = 4;

SeenValues::Type value_type_of(const LabelColumn& column) {
  if (std::holds_alternative<std::vector<std::string>>(column)) return SeenValues::Type::text;
  const bool number =
      std::holds_alternative<std::vector<std::int64_t>>(column) || std::holds_alternative<std::vector<double>>(column);
  return number ? SeenValues::Type::number : SeenValues::Type::other;
}

class AttributeTally {
 public:
  void add(const LabelColumn& column) {
    if (seen_.graphs++ == 0) {
      seen_.type = value_type_of(column);
    } else if (value_type_of(column) != seen_.type) {
      seen_.type = SeenValues::Type::other;
    }
    std::visit(
        [this](const auto& values) {
          for (const auto& value : values) count(value);
          if (seen_.type != SeenValues::Type::other) judge(values);
        },
        column);
  }

  SeenValues result() const {
    SeenValues seen = seen_;
    seen.distinct = texts_.size() + numbers_.size();
    return seen;
  }

 private:
  void count(const std::string& text) {
    if (texts_.size() < many_values) texts_.insert(text);
  }
  void count(std::int64_t number) { count(static_cast<double>(number)); }
  void count(double number) {
    seen_.whole = seen_.whole && number == std::floor(number);
    seen_.low = std::min(seen_.low, number);
    seen_.high = std::max(seen_.high, number);
    if (numbers_.size() < many_values) numbers_.insert(number);
  }
  template <class Item>
  void count(const std::vector<Item>&) {}

  template <class Value>
  void judge(std::vector<Value> values) {
    if (values.size() < least_judged) return;
    const std::size_t count = values.size();
    std::ranges::sort(values);
    const auto distinct = static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
    ++seen_.judged;
    // A tenth may be equal by rounding, as coordinates are; names never are.
    const std::size_t most = std::is_same_v<Value, double> ? count / 10 : 0;
    seen_.unrepeated += count - distinct <= most ? 1 : 0;
  }

  SeenValues seen_;
  std::set<std::string> texts_;
  std::set<double> numbers_;
};

/// The attributes that all graphs have that have vertices, or edges, at all.
std::map<std::string, SeenValues> common_attributes(const std::vector<Graph>& graphs, LabelsOf columns) {
  const bool of_edges = columns == &Graph::edge_labels;
  const auto exempt = static_cast<std::size_t>(
      std::ranges::count_if(graphs, [of_edges](const Graph& graph) { return of_edges && graph.edge_count() == 0; }));
  const ColumnsByAttribute by_attribute = columns_by_attribute(graphs, columns);
  std::vector<SeenValues> seen(by_attribute.size());
  in_parallel(seen.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      AttributeTally tally;
      // Only a graph without edges has a column without values.
      for (const LabelColumn* const column : by_attribute[k].second) {
        if (column_size(*column) > 0) tally.add(*column);
      }
      seen[k] = tally.result();
    }
  });
  std::map<std::string, SeenValues> attributes;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (seen[k].graphs > 0 && seen[k].graphs + exempt == graphs.size())
      attributes.emplace(by_attribute[k].first, seen[k]);
  }
  return attributes;
}

/// Whether all that an expression reads is there, in a type that it takes.
bool reads_all(const Expression::Node& node, const std::map<std::string, SeenValues>& attributes) {
  if (node.kind == Expression::Kind::convolution || node.kind == Expression::Kind::list_leaf) return false;
  if (node.kind == Expression::Kind::leaf) {
    const auto found = attributes.find(node.attribute);
    if (found == attributes.end() || found->second.type == SeenValues::Type::other) return false;
    return node.leaf->reads == LeafReads::equality || found->second.type == SeenValues::Type::number;
  }
  return std::ranges::all_of(node.children, [&](const auto& child) { return reads_all(child, attributes); });
}

/// A name as an expression has it; nothing for one that neither it nor a shell could take.
std::optional<std::string> name_in_expression(const std::string& name) {
  const auto plain = [](char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-' || byte == '.';
  };
  if (!name.empty() && std::ranges::all_of(name, plain)) return name;
  const auto harmless = [](char byte) {
    return static_cast<unsigned char>(byte) >= ' ' && byte != '"' && byte != '\'';
  };
  if (name.empty() || !std::ranges::all_of(name, harmless)) return std::nullopt;
  return fmt::format("\"{}\"", name);
}

/// Whether values are labels that are equal or not, rather than numbers that are near or far.
bool is_discrete(const SeenValues& seen) {
  return seen.type == SeenValues::Type::text ||
         (seen.type == SeenValues::Type::number && seen.whole && seen.distinct < many_values);
}

/// Whether each vertex has a value of its own: a name or a number of it, or if no numbers are whole, where it lies.
bool names_each(const SeenValues& seen) { return seen.judged > 0 && seen.unrepeated == seen.judged; }

/// What tells vertices, or edges, apart: labels first, then numbers. What names each of them says nothing about its kind; numbers that name
/// a vertex, as coordinates do, are left out where there are labels. Those of edges are lengths, mostly.
std::vector<std::string> factors_of(const std::map<std::string, SeenValues>& attributes, bool of_vertices,
                                    std::size_t most) {
  std::vector<std::string> labels;
  std::vector<std::string> numbers;
  std::vector<std::string> coordinates;
  for (const auto& [name, seen] : attributes) {
    const std::optional<std::string> written = name_in_expression(name);
    if (!written || seen.distinct < 2 || seen.type == SeenValues::Type::other) continue;
    const bool name_of_each = names_each(seen);
    if (name_of_each && (seen.type == SeenValues::Type::text || seen.whole)) continue;
    if (is_discrete(seen)) {
      labels.push_back(fmt::format("delta({},0.3)", *written));
      continue;
    }
    // Values a quarter of the range apart are clearly different.
    const double length = (seen.high - seen.low) / 4;
    if (length > 0 && length < std::numeric_limits<double>::max()) {
      (name_of_each && of_vertices ? coordinates : numbers)
          .push_back(fmt::format("gaussian({},{:.2g})", *written, length));
    }
  }
  std::vector<std::string> factors = labels;
  factors.insert(factors.end(), numbers.begin(), numbers.end());
  if (labels.empty()) factors.insert(factors.end(), coordinates.begin(), coordinates.end());
  factors.resize(std::min(factors.size(), most));
  return factors;
}

/// Whether vertices of the set differ in the number of their edges.
bool degrees_differ(const std::vector<Graph>& graphs) {
  std::set<std::int64_t> seen;
  for (const Graph& graph : graphs) {
    for (const std::int64_t degree : degrees(graph)) seen.insert(degree);
  }
  return seen.size() > 1;
}

std::string product(const std::vector<std::string>& factors) {
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, "*"));
}

}  // namespace

std::size_t distinct_records(const std::vector<Graph>& graphs, LabelsOf columns) {
  std::map<std::string, std::uint64_t, std::less<>> numbers;  // of the attributes: shorter than their names
  for (const Graph& graph : graphs) {
    for (const auto& [name, column] : (graph.*columns)()) numbers.try_emplace(name, numbers.size());
  }
  constexpr std::size_t graphs_at_once = 256;
  std::unordered_set<std::string> records;
  std::mutex mutex;  // of `records`
  in_parallel(graphs.size(), graphs_at_once, [&](std::size_t begin, std::size_t end) {
    std::unordered_set<std::string> found;
    std::vector<std::string> rows;
    for (std::size_t g = begin; g < end; ++g) {
      const LabelColumns& of_graph = (graphs[g].*columns)();
      const std::size_t count = of_graph.empty() ? 0 : column_size(of_graph.begin()->second);
      rows.resize(std::max(rows.size(), count));
      for (std::size_t k = 0; k < count; ++k) rows[k].clear();
      for (const auto& [name, column] : of_graph) add_values(rows, numbers.find(name)->second, column);
      for (std::size_t k = 0; k < count; ++k) found.insert(rows[k]);
    }
    const std::lock_guard lock(mutex);
    records.merge(found);
  });
  return records.size();
}

std::string proposed_kernel(const std::vector<Graph>& graphs) {
  const std::map<std::string, SeenValues> vertices = common_attributes(graphs, &Graph::vertex_labels);
  const std::map<std::string, SeenValues> edges = common_attributes(graphs, &Graph::edge_labels);
  std::map<std::string, SeenValues> with_structure = vertices;
  for (const StructureAttribute& attribute : structure_attributes) {
    with_structure.try_emplace(std::string(attribute.name), SeenValues{SeenValues::Type::number});
  }
  for (const Preset& preset : presets) {
    const Expression vertex = Expression::parse(preset.vertex);
    const std::set<std::string> read = vertex.attributes();
    const bool reads_own = std::ranges::any_of(read, [&](const std::string& name) { return vertices.contains(name); });
    if (reads_own && reads_all(vertex.root(), with_structure) &&
        reads_all(Expression::parse(preset.edge).root(), edges)) {
      return fmt::format("--preset {}", preset.name);
    }
  }
  std::vector<std::string> of_vertices = factors_of(vertices, true, 3);
  const std::string edge = product(factors_of(edges, false, 2));
  if (of_vertices.empty() && edge == "1") return "--preset network";
  if (of_vertices.size() < 2 && !vertices.contains("degree") && degrees_differ(graphs)) {
    of_vertices.emplace_back("delta(degree,0.3)");
  }
  const std::string vertex = product(of_vertices);
  return fmt::format("--vertex {} --edge {} --stopping {}", shell_word(vertex), shell_word(edge),
                     presets.back().stopping);
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           std::string_view("_-./:,=+@%").find(byte) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char byte : word) {
    if (byte == '\'') {
      quoted += "'\\''";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

}  // namespace octile::app
