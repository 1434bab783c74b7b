// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "readers/read.hpp"
#include "readers/smiles.hpp"

// The one list of formats. A new format takes a source file, its declaration and its line here, and its name in
// CMakeLists.txt. The help, the messages and the reading of folders follow from the list.
namespace octile::app {

/// Which lines of a file with one graph a line are passed over, beside blank ones.
struct LineRules {
  bool comments = false;                               ///< lines that start with '#'
  bool (*is_header)(std::string_view line) = nullptr;  ///< the first line, if it is one
};

/// One graph a line. Defined in lines.cpp.
GraphReader line_reader(const std::string& path, LineParser parse, const LineRules& rules);

/// A table with a molecule a record, whose fields the separator divides. Defined in molecule_table.cpp.
GraphReader molecule_table_reader(const std::string& path, char separator, const ReadOptions& options);

/// The molecules of an SDF or MOL file. Defined in sdf.cpp.
GraphReader sdf_reader(const std::string& path, const ReadOptions& options);

/// Frames of XYZ, also extended. Defined in xyz.cpp.
GraphReader xyz_reader(const std::string& path, const ReadOptions& options);

/// The heavy atoms of a file of the Protein Data Bank, by gemmi. Defined in pdb.cpp.
GraphReader pdb_reader(const std::string& path, const ReadOptions& options);

/// The data blocks of a CIF file: the heavy atoms of mmCIF, or all atoms in the cell of a crystal. Defined in cif.cpp.
GraphReader cif_reader(const std::string& path, const ReadOptions& options);

/// The graphs of a dataset of the collection TUDataset, by its file of edges. Defined in tudataset.cpp.
GraphReader tudataset_reader(const std::string& path, const ReadOptions& options);

/// The graph of a list of edges. Defined in edge_list.cpp.
GraphReader edge_list_reader(const std::string& path, const ReadOptions& options);

/// The graphs of a JSON document. Defined in json_file.cpp.
GraphReader json_reader(const std::string& path, const ReadOptions& options);

/// The graphs of a GML file. Defined in gml.cpp.
GraphReader gml_reader(const std::string& path, const ReadOptions& options);

/// The graphs of a GraphML file. Defined in graphml.cpp.
GraphReader graphml_reader(const std::string& path, const ReadOptions& options);

inline constexpr std::array all_formats = {
#ifdef OCTILE_WITH_RDKIT
    Format{".smi", "SMILES, one molecule a line", Takes::molecules,
           [](const std::string& path, const ReadOptions& options) {
             return line_reader(path, smiles_parser(options.max_vertices, options.molecules), {true, is_smiles_header});
           }},
    Format{
        ".csv", "a table with SMILES, its fields separated by commas", Takes::columns | Takes::molecules,
        [](const std::string& path, const ReadOptions& options) { return molecule_table_reader(path, ',', options); },
        true},
    Format{
        ".tsv", "the same, separated by tabs", Takes::columns | Takes::molecules,
        [](const std::string& path, const ReadOptions& options) { return molecule_table_reader(path, '\t', options); },
        true},
    Format{".sdf", "SDF, one molecule a record", Takes::columns | Takes::molecules, sdf_reader},
    Format{".mol", "MOL, one molecule a file", Takes::columns | Takes::molecules, sdf_reader},
#endif
    Format{".jsonl", "node-link JSON, one graph a line", Takes::nothing,
           [](const std::string& path, const ReadOptions&) { return line_reader(path, node_link_parser(), {}); }},
    Format{".json", "the same, one graph a file or a list of them", Takes::nothing, json_reader, true},
#ifdef OCTILE_WITH_EXPAT
    Format{".graphml", "GraphML", Takes::nothing, graphml_reader},
#endif
    Format{".gml", "GML", Takes::nothing, gml_reader},
    Format{".edges", "a list of edges, one graph a file", Takes::nothing, edge_list_reader},
    Format{".edgelist", "a list of edges", Takes::nothing, edge_list_reader},
    Format{"_A.txt", "TUDataset, the folder NAME or its file NAME_A.txt", Takes::nothing, tudataset_reader},
#ifdef OCTILE_WITH_GEMMI
    Format{".xyz", "XYZ, one graph a frame", Takes::rule, xyz_reader},
    Format{".extxyz", "extended XYZ", Takes::rule, xyz_reader},
    Format{".pdb", "Protein Data Bank, one graph a file", Takes::rule | Takes::choice, pdb_reader},
    Format{".ent", "Protein Data Bank", Takes::rule | Takes::choice, pdb_reader},
    Format{".cif", "mmCIF and CIF, one graph a data block", Takes::rule | Takes::choice, cif_reader},
#endif
};

}  // namespace octile::app
