// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "readers/decoder.hpp"
#include "readers/formats.hpp"
#include "readers/number_rows.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

using Index = std::uint32_t;

/// An entry of the adjacency matrix. Its row in the file is also that of its labels.
struct Entry {
  Index i;
  Index j;
  Index row;
};

/// An edge: two entries that mirror each other.
struct Mirrored {
  Entry entry;    ///< (i, j) with i < j
  Index reverse;  ///< the row of (j, i)
};

/// The name of a column: `label` alone, or one of `label0`, `label1`, …
std::string column_name(const std::string& what, const NumberRows& rows, std::size_t column) {
  return rows.columns == 1 ? what : fmt::format("{}{}", what, column);
}

bool all_whole(const NumberRows& rows, std::size_t column) {
  constexpr double largest = 9e15;  // below 2^53, up to which doubles represent all integers
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const double value = rows.at(row, column);
    if (std::floor(value) != value || std::abs(value) > largest) return false;
  }
  return true;
}

/// The graphs of a dataset NAME of the collection TUDataset. Line k of these files (from 1), with numbers separated by commas, is
///
///     NAME_A                                 i, j: an entry of the adjacency matrix of all vertices (from 1), both triangles
///     NAME_edge_labels, _edge_attributes     of entry k
///     NAME_graph_indicator                   the graph (from 1) of vertex k
///     NAME_node_labels, _node_attributes     of vertex k
///     NAME_graph_labels, _graph_attributes   of graph k
///
/// All files but NAME_A and NAME_graph_indicator may be absent.
class TuDataset {
 public:
  explicit TuDataset(const std::string& path);

  std::optional<ReadGraph> next() {
    if (graph_ == vertices_.size()) return std::nullopt;
    return ReadGraph{graph_of(graph_++)};
  }

 private:
  /// Rows that belong to vertices, entries or graphs, as columns of labels.
  struct Labels {
    std::string what;  ///< "label" or "attribute"
    NumberRows rows;
    std::vector<bool> whole;     ///< of each column: whether it is one of integers
    std::vector<bool> signless;  ///< of each column of entries: whether the sign tells the direction
  };

  std::optional<std::string> file_of(const std::string& part) const;
  std::vector<Labels> read_labels(const std::string& of, std::size_t expected) const;
  void place_vertices(const NumberRows& indicator);
  void place_entries(const NumberRows& adjacency);
  void find_signless();
  std::vector<Mirrored> edges_of(std::size_t graph) const;
  void check_mirrored(const Mirrored& edge) const;
  LabelColumns columns_of(const std::vector<Labels>& labels, const std::vector<Index>& rows) const;
  Graph graph_of(std::size_t graph) const;

  std::string adjacency_;  ///< the path of NAME_A
  std::string stem_;       ///< path and NAME
  std::vector<Index> graph_of_vertex_;
  std::vector<Index> place_of_vertex_;  ///< its number in its graph
  std::vector<std::vector<Index>> vertices_;
  std::vector<std::vector<Entry>> entries_;  ///< of each graph, by (i, j)
  std::vector<Labels> vertex_labels_;
  std::vector<Labels> edge_labels_;
  std::vector<Labels> targets_;
  std::size_t graph_ = 0;
};

TuDataset::TuDataset(const std::string& path) : adjacency_(path) {
  constexpr std::string_view ending = "_A.txt";
  stem_ = without_compression(path);
  stem_.resize(stem_.size() - ending.size());
  const std::optional<std::string> indicator = file_of("graph_indicator");
  if (!indicator) {
    throw Error(fmt::format("{}: there is no {}_graph_indicator.txt beside it, which a TUDataset has", path, stem_));
  }
  place_vertices(read_number_rows(*indicator));
  const NumberRows adjacency = read_number_rows(path);
  place_entries(adjacency);
  vertex_labels_ = read_labels("node", graph_of_vertex_.size());
  edge_labels_ = read_labels("edge", adjacency.rows);
  targets_ = read_labels("graph", vertices_.size());
  find_signless();
}

/// The file of a part, plain or compressed, if there is one.
std::optional<std::string> TuDataset::file_of(const std::string& part) const {
  const std::string plain = fmt::format("{}_{}.txt", stem_, part);
  std::error_code ignored;
  if (std::filesystem::exists(plain, ignored)) return plain;
  for (const Compression& compression : compressions) {
    const std::string compressed = plain + std::string(compression.suffix);
    if (std::filesystem::exists(compressed, ignored)) return compressed;
  }
  return std::nullopt;
}

std::vector<TuDataset::Labels> TuDataset::read_labels(const std::string& of, std::size_t expected) const {
  std::vector<Labels> result;
  for (const auto& [what, files] : {std::pair("label", "labels"), std::pair("attribute", "attributes")}) {
    const std::optional<std::string> path = file_of(fmt::format("{}_{}", of, files));
    if (!path) continue;
    Labels labels{what, read_number_rows(*path), {}, {}};
    if (labels.rows.rows != expected) {
      throw Error(fmt::format("{}: has {}; expected are {}, one for each {}", *path, counted(labels.rows.rows, "row"),
                              expected, of == "edge" ? "line of " + adjacency_ : of));
    }
    for (std::size_t column = 0; column < labels.rows.columns; ++column) {
      labels.whole.push_back(labels.what == "label" && all_whole(labels.rows, column));
    }
    labels.signless.assign(labels.rows.columns, false);
    result.push_back(std::move(labels));
  }
  return result;
}

/// A row's number as an index from 0. Throws `Error` unless it is one of 1 … most.
Index index_at(const NumberRows& rows, std::size_t row, std::size_t column, std::size_t most, std::string_view what) {
  const double value = rows.at(row, column);
  if (std::floor(value) == value && value >= 1 && value <= static_cast<double>(most)) {
    return static_cast<Index>(value) - 1;
  }
  throw Error(
      fmt::format("{}:{}: {} is the number of no {}; allowed is 1 to {}", rows.path, row + 1, value, what, most));
}

void check_columns(const NumberRows& rows, std::size_t columns) {
  if (rows.rows == 0 || rows.columns == columns) return;
  throw Error(fmt::format("{}:1: has {}; expected {}", rows.path, counted(rows.columns, "number"), columns));
}

void TuDataset::place_vertices(const NumberRows& indicator) {
  check_columns(indicator, 1);
  for (std::size_t row = 0; row < indicator.rows; ++row) {
    const Index graph = index_at(indicator, row, 0, indicator.rows, "graph");
    if (graph >= vertices_.size()) vertices_.resize(graph + 1);
    graph_of_vertex_.push_back(graph);
    place_of_vertex_.push_back(static_cast<Index>(vertices_[graph].size()));
    vertices_[graph].push_back(static_cast<Index>(row));
  }
}

void TuDataset::place_entries(const NumberRows& adjacency) {
  check_columns(adjacency, 2);
  entries_.resize(vertices_.size());
  for (std::size_t row = 0; row < adjacency.rows; ++row) {
    const Index i = index_at(adjacency, row, 0, graph_of_vertex_.size(), "vertex");
    const Index j = index_at(adjacency, row, 1, graph_of_vertex_.size(), "vertex");
    const Index graph = graph_of_vertex_[i];
    if (graph_of_vertex_[j] != graph) {
      throw Error(fmt::format("{}:{}: joins vertex {} of graph {} and vertex {} of graph {}; allowed is one graph",
                              adjacency_, row + 1, i + 1, graph + 1, j + 1, graph_of_vertex_[j] + 1));
    }
    entries_[graph].push_back({i, j, static_cast<Index>(row)});
  }
  for (std::vector<Entry>& entries : entries_) {
    std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.i, entry.j); });
  }
}

/// The edges of a graph, by (i, j). Throws `RefusedGraph` for entries that are no edges.
std::vector<Mirrored> TuDataset::edges_of(std::size_t graph) const {
  const auto refused = [&](const Entry& entry, std::string_view what) {
    return RefusedGraph(fmt::format("{}:{}: graph {}: ({}, {}) {}", adjacency_, entry.row + 1, graph + 1, entry.i + 1,
                                    entry.j + 1, what));
  };
  const std::vector<Entry>& entries = entries_[graph];
  const auto ends = [](const Entry& entry) { return std::pair(entry.i, entry.j); };
  std::vector<Mirrored> edges;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& entry = entries[k];
    if (entry.i == entry.j) throw refused(entry, "is a self-loop; allowed are two vertices");
    if (k > 0 && ends(entries[k - 1]) == ends(entry)) throw refused(entry, "is given twice; allowed is once");
    const auto reverse = std::ranges::lower_bound(entries, std::pair(entry.j, entry.i), {}, ends);
    if (reverse == entries.end() || ends(*reverse) != std::pair(entry.j, entry.i)) {
      throw refused(entry, fmt::format("is given without ({}, {}); allowed are both", entry.j + 1, entry.i + 1));
    }
    if (entry.i < entry.j) edges.push_back({entry, reverse->row});
  }
  return edges;
}

/// Coordinate differences and the like change their sign with the direction. A graph is undirected, so it has their magnitude.
void TuDataset::find_signless() {
  for (Labels& labels : edge_labels_) {
    if (labels.what != "attribute") continue;
    for (std::size_t graph = 0; graph < entries_.size(); ++graph) {
      std::vector<Mirrored> edges;
      try {
        edges = edges_of(graph);
      } catch (const RefusedGraph&) {
        continue;  // refused again when it is its turn
      }
      for (const Mirrored& edge : edges) {
        for (std::size_t column = 0; column < labels.rows.columns; ++column) {
          const double value = labels.rows.at(edge.entry.row, column);
          if (value != 0 && value == -labels.rows.at(edge.reverse, column)) labels.signless[column] = true;
        }
      }
    }
  }
}

void TuDataset::check_mirrored(const Mirrored& edge) const {
  for (const Labels& labels : edge_labels_) {
    for (std::size_t column = 0; column < labels.rows.columns; ++column) {
      const double value = labels.rows.at(edge.entry.row, column);
      const double other = labels.rows.at(edge.reverse, column);
      if (value == other || (labels.signless[column] && value == -other)) continue;
      throw RefusedGraph(fmt::format(
          "{}:{}: '{}' is {}, and in the other direction of the edge, in line {}, {}; allowed are equal ones{}",
          labels.rows.path, edge.entry.row + 1, column_name(labels.what, labels.rows, column), value, edge.reverse + 1,
          other, labels.what == "attribute" ? ", or such of opposite signs" : ""));
    }
  }
}

LabelColumns TuDataset::columns_of(const std::vector<Labels>& labels, const std::vector<Index>& rows) const {
  LabelColumns columns;
  for (const Labels& source : labels) {
    for (std::size_t column = 0; column < source.rows.columns; ++column) {
      std::vector<double> values;
      values.reserve(rows.size());
      for (const Index row : rows) {
        const double value = source.rows.at(row, column);
        values.push_back(source.signless[column] ? std::abs(value) : value);
      }
      const std::string name = column_name(source.what, source.rows, column);
      if (source.whole[column]) {
        columns.emplace(name, std::vector<std::int64_t>(values.begin(), values.end()));
      } else {
        columns.emplace(name, std::move(values));
      }
    }
  }
  return columns;
}

Graph TuDataset::graph_of(std::size_t graph) const {
  if (vertices_[graph].empty()) {
    throw RefusedGraph(fmt::format("{}: graph {} has no vertex; allowed is one or more", adjacency_, graph + 1));
  }
  const auto place = [this](Index vertex) { return static_cast<std::int32_t>(place_of_vertex_[vertex]); };
  std::vector<Edge> edges;
  std::vector<Index> rows;
  for (const Mirrored& edge : edges_of(graph)) {
    check_mirrored(edge);
    edges.push_back({place(edge.entry.i), place(edge.entry.j), 1.0});
    rows.push_back(edge.entry.row);
  }
  const std::string name = fmt::format("{}:{}", std::filesystem::path(stem_).filename().string(), graph + 1);
  Graph result = Graph::from_edges(name, static_cast<std::int32_t>(vertices_[graph].size()), std::move(edges),
                                   columns_of(vertex_labels_, vertices_[graph]), columns_of(edge_labels_, rows));
  std::map<std::string, double> targets;
  for (const Labels& source : targets_) {
    for (std::size_t column = 0; column < source.rows.columns; ++column) {
      targets.emplace(column_name(source.what, source.rows, column), source.rows.at(graph, column));
    }
  }
  result.set_targets(std::move(targets));
  return result;
}

}  // namespace

GraphReader tudataset_reader(const std::string& path, const ReadOptions&) {
  if (path == standard_input) {
    throw Error(fmt::format("{}: a TUDataset is a folder of files; allowed is its path", shown(path)));
  }
  const auto set = std::make_shared<TuDataset>(path);
  return [set] { return set->next(); };
}

}  // namespace octile::app
