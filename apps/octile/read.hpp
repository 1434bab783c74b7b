// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/graph.hpp>

namespace octile::app {

/// One graph from one line, which is neither blank nor a comment; `default_name`
/// is its name where the line gives none. Throws `Error` that says what is wrong
/// with the line, without naming file and line.
using LineParser = std::function<Graph(std::string_view line, const std::string& default_name)>;

/// A file format that is read: one graph a line.
struct Format {
  std::string_view suffix;
  std::string_view description;
  bool comments;           ///< lines that start with '#' are skipped
  LineParser (*parser)();  ///< a parser for one file
};

/// The one list of formats that are read.
std::span<const Format> formats();

struct ReadOptions {
  /// Passes over lines that are refused and lists them, instead of throwing.
  bool skip_invalid = false;
  /// Called after each graph with the number read so far; what it throws ends the reading.
  std::function<void(std::size_t)> on_graph;
};

struct GraphFile {
  std::vector<Graph> graphs;
  std::vector<std::string> skipped;  ///< "FILE:LINE: reason", one a line passed over
};

/// Reads a file by its suffix. Throws `Error` for an unknown suffix, a file that
/// cannot be read or holds no graph, and, as "FILE:LINE: reason", a refused line.
GraphFile read_graph_file(const std::string& path, const ReadOptions& options);

/// The graphs of a file; every line must be valid.
std::vector<Graph> read_graphs(const std::string& path);

/// SMILES through RDKit: `SMILES [name]`. Defined in read_smiles.cpp.
LineParser smiles_parser();

/// Node-link JSON as networkx writes it. Defined in read_node_link.cpp.
LineParser node_link_parser();

}  // namespace octile::app
