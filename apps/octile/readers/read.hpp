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

#include "readers/atom_choice.hpp"
#include "readers/spatial_adjacency.hpp"

namespace octile::app {

/// A part of a file that is not a valid graph. The rest of the file can still be read.
class RefusedGraph : public Error {
 public:
  using Error::Error;
};

/// A graph of a file, and the line that it begins in, from 1; 0 where a file is one graph, or says it in several places.
struct ReadGraph {
  Graph graph;
  std::size_t line = 0;
};

/// Returns the graphs of one open file in their order, one a call, and nothing at its end. Throws `RefusedGraph`, after
/// which the next call reads the next graph, or another `Error` if the file cannot be read any further. Both name file
/// and line: "FILE:LINE: reason".
using GraphReader = std::function<std::optional<ReadGraph>()>;

/// Where a graph stands.
struct GraphSource {
  std::string file;        ///< as it was named
  std::size_t number = 0;  ///< of the graph in it, from 1, with those that were skipped
  std::size_t line = 0;    ///< as in `ReadGraph`
};

/// The input that stands for standard input.
inline constexpr std::string_view standard_input = "-";

/// What is taken from a table of molecules, by the names of its columns (in SDF, of its data items).
struct Columns {
  std::string smiles;                ///< if empty: the column that is called "smiles", in any case
  std::string name;                  ///< if empty: graphs are named by file and line
  std::vector<std::string> targets;  ///< numbers to learn
};

/// What becomes of a molecule's atoms and bonds. molecule_features.hpp has the features.
struct MoleculeOptions {
  std::string features = "default";  ///< names of features and of sets of them, separated by commas
  bool explicit_hydrogens = false;   ///< each hydrogen is a vertex, too
};

/// Throws `Error` for features of molecules that are not known, with those that are. A build without RDKit knows none.
void check_features(const std::string& features);

/// The names that they are chosen by, for the help: "default, all, element, ...". Empty in a build without RDKit.
std::string known_features();

/// The most vertices of a graph where nothing else is said: a molecule of so many atoms is read within a minute.
inline constexpr std::size_t default_max_vertices = 100000;

struct ReadOptions {
  /// Skips and lists graphs that are refused, instead of throwing.
  bool skip_invalid = false;
  /// How atoms in space are joined.
  SpatialRule rule = {};
  /// Which atoms of structures of chains and residues are vertices.
  AtomChoice atoms = {};
  /// What is taken from tables.
  Columns columns = {};
  /// What becomes of molecules.
  MoleculeOptions molecules = {};
  /// The most vertices of a graph.
  std::size_t max_vertices = default_max_vertices;
  /// The suffix of the format of standard input.
  std::string format = {};
  /// Called after each graph with the number read so far. An exception from it ends the reading.
  std::function<void(std::size_t)> on_graph;
  /// Called for a structure with the number of its atoms' further positions that were left out, if there are any.
  std::function<void(std::size_t)> on_left_out;
};

/// What a format takes from the options beside `skip_invalid` and what is called: any of these together.
enum class Takes : unsigned { nothing = 0, rule = 1, columns = 2, molecules = 4, choice = 8 };

constexpr Takes operator|(Takes a, Takes b) {
  return static_cast<Takes>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// A file format that can be read.
struct Format {
  std::string_view suffix;
  std::string_view description;
  Takes
      takes;  ///< `molecules`: it holds molecules; `rule`: atoms in space; `choice`: structures, whose atoms are chosen
  GraphReader (*open)(const std::string& path, const ReadOptions& options);
  /// Whether a folder does not stand for such files: many with that suffix hold no graphs.
  bool not_in_folders = false;

  constexpr bool takes_any(Takes what) const {
    return (static_cast<unsigned>(takes) & static_cast<unsigned>(what)) != 0;
  }
};

/// All formats that this build can read (formats.hpp has the list). Files may be compressed, with one of
/// `compressed_suffixes` after the suffix.
std::span<const Format> formats();

/// The suffixes of the compressed files that this build reads, such as ".gz".
std::vector<std::string_view> compressed_suffixes();

/// The format of a file by its suffix, that of standard input by `suffix`; throws `Error` for an unknown one.
const Format& format_of(const std::string& path, const std::string& suffix);

/// "has 7 vertices; --max-atoms allows 6".
std::string too_many_vertices(std::size_t vertices, std::size_t most);

/// The suffixes of all formats: ".smi, .jsonl, ...".
std::string known_suffixes();

/// The inputs, with each pattern that is no file's name replaced by what it matches, and then each folder by its files that have a
/// known suffix, both sorted by name. Folders in it and files whose name starts with a dot are skipped, and so are tables and .json files.
/// Throws `Error` for a folder without such a file, and for a pattern that matches nothing.
std::vector<std::string> input_files(const std::vector<std::string>& inputs);

struct GraphFile {
  std::vector<Graph> graphs;
  std::vector<GraphSource> sources;  ///< of each graph
  std::vector<std::string> skipped;  ///< "FILE:LINE: reason" of each skipped graph
};

/// Reads a file by its suffix, or standard input. Throws `Error` for an unknown suffix, a file that
/// cannot be read or holds no graph, and, as "FILE:LINE: reason", a refused graph.
GraphFile read_graph_file(const std::string& path, const ReadOptions& options);

/// The graphs of a file, all of which must be valid.
std::vector<Graph> read_graphs(const std::string& path, const SpatialRule& rule = {});

/// Makes a graph from a line that is neither blank nor a comment. `default_name`
/// is its name if the line gives none. Throws `Error` that says what is wrong
/// with the line, without file and line number. Several threads may call it at once.
using LineParser = std::function<Graph(std::string_view line, const std::string& default_name)>;

/// SMILES through RDKit: `SMILES [name]`, or `SMILES<tab>[name]<tab>more`. Defined in smiles.cpp.
LineParser smiles_parser(std::size_t max_atoms = default_max_vertices, const MoleculeOptions& options = {});

/// Node-link JSON as networkx writes it. Defined in node_link.cpp.
LineParser node_link_parser();

}  // namespace octile::app
