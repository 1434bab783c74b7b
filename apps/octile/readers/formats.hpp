// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "readers/read.hpp"

// The one list of formats. A new format takes a source file, its declaration and its line here, and its name in
// CMakeLists.txt. The help, the messages and the reading of folders follow from the list.
namespace octile::app {

/// One graph a line; `comments`: lines that start with '#' are skipped. Defined in lines.cpp.
GraphReader line_reader(const std::string& path, LineParser parse, bool comments);

/// Frames of XYZ, also extended. Defined in xyz.cpp.
GraphReader xyz_reader(const std::string& path, const SpatialRule& rule);

/// The heavy atoms of a file of the Protein Data Bank, by gemmi. Defined in pdb.cpp.
GraphReader pdb_reader(const std::string& path, const SpatialRule& rule);

/// The heavy atoms of an mmCIF file. Defined in mmcif.cpp.
GraphReader mmcif_reader(const std::string& path, const SpatialRule& rule);

inline constexpr std::array all_formats = {
#ifdef OCTILE_WITH_RDKIT
    Format{".smi", "SMILES, one molecule a line", false,
           [](const std::string& path, const SpatialRule&) { return line_reader(path, smiles_parser(), true); }},
#endif
    Format{".jsonl", "node-link JSON, one graph a line", false,
           [](const std::string& path, const SpatialRule&) { return line_reader(path, node_link_parser(), false); }},
#ifdef OCTILE_WITH_GEMMI
    Format{".xyz", "XYZ, one graph a frame", true, xyz_reader},
    Format{".extxyz", "extended XYZ", true, xyz_reader},
    Format{".pdb", "Protein Data Bank, one graph a file", true, pdb_reader},
    Format{".ent", "Protein Data Bank", true, pdb_reader},
    Format{".cif", "mmCIF, one graph a file", true, mmcif_reader},
#endif
};

}  // namespace octile::app
