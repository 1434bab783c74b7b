// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octile/graph.hpp>

#include "readers/spatial_adjacency.hpp"

namespace octile::app {

/// Atoms in space, in their order: element k is that of atom k.
struct Atoms {
  std::vector<std::int64_t> atomic_number;  ///< 0 for an unknown element
  std::vector<Place> place;
  LabelColumns labels;  ///< further labels, one value an atom
  std::optional<PeriodicCell> cell;
  std::size_t left_out = 0;  ///< further positions of atoms that are among these

  void add(int number, const Place& where) {
    atomic_number.push_back(number);
    place.push_back(where);
  }
};

/// A label of atoms in space, or of their edges.
struct AtomAttribute {
  std::string_view name;
  std::string_view type;
  std::string_view values;
  bool of_edges;
};

/// All labels that atoms in space and their edges can have.
inline constexpr std::array atom_attributes = {
    AtomAttribute{"element", "text", "C, N, Cl, ..., as for molecules; deuterium is H", false},
    AtomAttribute{"atomic_number", "integer", "6, 7, 17, ...", false},
    AtomAttribute{"x", "real", "coordinates in Å", false},
    AtomAttribute{"y", "real", "", false},
    AtomAttribute{"z", "real", "", false},
    AtomAttribute{"chain", "text", "A, B, ..., only from PDB and mmCIF", false},
    AtomAttribute{"residue", "text", "ALA, GLY, ..., only from PDB and mmCIF", false},
    AtomAttribute{"residue_number", "integer", "as in the file, only from PDB and mmCIF", false},
    AtomAttribute{"atom", "text", "CA, CB, ..., only from PDB, mmCIF and CIF", false},
    AtomAttribute{"length", "real", "distance of the two atoms in Å", true},
};

/// The atomic number for a symbol in upper or lower case ("Cl", "CL"; "D" is 1) or for a number; nothing for any other text.
std::optional<int> atomic_number_of(std::string_view element);

/// The graph of atoms joined by a rule. Vertex labels: `element`, `atomic_number`, the coordinates `x`, `y` and `z` in
/// Å, and the atoms' own labels. Edge label: `length` in Å. Throws `Error` as `spatial_adjacency` does,
/// and for an unknown element if the cutoff is measured by radii.
Graph graph_of_atoms(std::string name, const Atoms& atoms, const SpatialRule& rule);

}  // namespace octile::app
