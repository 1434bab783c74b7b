// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

  void add(int number, const Place& where) {
    atomic_number.push_back(number);
    place.push_back(where);
  }
};

/// The atomic number for a symbol in upper or lower case ("Cl", "CL"; "D" is 1) or for a number; nothing for any other text.
std::optional<int> atomic_number_of(std::string_view element);

/// The graph of atoms joined by a rule. Vertex labels: `element`, `atomic_number`, the coordinates `x`, `y` and `z` in
/// Å, and the atoms' own labels. Edge label: `length` in Å. Throws `Error` as `spatial_adjacency` does.
Graph graph_of_atoms(std::string name, const Atoms& atoms, const SpatialRule& rule);

}  // namespace octile::app
