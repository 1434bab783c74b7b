// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/error.hpp>
#include <octile/graph.hpp>

#include "readers/spatial_adjacency.hpp"

namespace octile::app {

/// A part of a file that is not a valid graph. The rest of the file can still be read.
class RefusedGraph : public Error {
 public:
  using Error::Error;
};

/// Returns the graphs of one open file in their order, one a call, and nothing at its end. Throws `RefusedGraph`, after
/// which the next call reads the next graph, or another `Error` if the file cannot be read any further. Both name file
/// and line: "FILE:LINE: reason".
using GraphReader = std::function<std::optional<Graph>()>;

/// A file format that can be read.
struct Format {
  std::string_view suffix;
  std::string_view description;
  bool has_coordinates;  ///< its graphs are atoms in space, joined by the rule
  GraphReader (*open)(const std::string& path, const SpatialRule& rule);
};

/// All formats that this build can read (formats.hpp has the list). Files may be compressed, with ".gz" after the suffix.
std::span<const Format> formats();

/// Whether this build reads compressed files.
bool reads_compressed();

/// The format of a file by its suffix; throws `Error` for an unknown one.
const Format& format_of(const std::string& path);

/// The suffixes of all formats: ".smi, .jsonl, ...".
std::string known_suffixes();

/// The inputs, with each folder replaced by its files that have a known suffix, sorted by name. Folders in it and files
/// whose name starts with a dot are skipped. Throws `Error` for a folder without such a file.
std::vector<std::string> input_files(const std::vector<std::string>& inputs);

struct ReadOptions {
  /// Skips and lists graphs that are refused, instead of throwing.
  bool skip_invalid = false;
  /// How atoms in space are joined.
  SpatialRule rule = {};
  /// Called after each graph with the number read so far. An exception from it ends the reading.
  std::function<void(std::size_t)> on_graph;
};

struct GraphFile {
  std::vector<Graph> graphs;
  std::vector<std::string> skipped;  ///< "FILE:LINE: reason" of each skipped graph
};

/// Reads a file by its suffix. Throws `Error` for an unknown suffix, a file that
/// cannot be read or holds no graph, and, as "FILE:LINE: reason", a refused graph.
GraphFile read_graph_file(const std::string& path, const ReadOptions& options);

/// The graphs of a file, all of which must be valid.
std::vector<Graph> read_graphs(const std::string& path, const SpatialRule& rule = {});

/// Makes a graph from a line that is neither blank nor a comment. `default_name`
/// is its name if the line gives none. Throws `Error` that says what is wrong
/// with the line, without file and line number.
using LineParser = std::function<Graph(std::string_view line, const std::string& default_name)>;

/// SMILES through RDKit: `SMILES [name]`. Defined in smiles.cpp.
LineParser smiles_parser();

/// Node-link JSON as networkx writes it. Defined in node_link.cpp.
LineParser node_link_parser();

}  // namespace octile::app
