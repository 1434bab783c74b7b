// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/labels.hpp>

namespace RDKit {
class ROMol;
}

namespace octile::app {
class AtomSurroundings;
}

// The one table of what atoms and bonds of molecules are labelled with. The readers, the help, `octile kernels` and the test of the
// documentation take it from here. A new feature takes its line in molecule_features.cpp.
namespace octile::app {

/// A sanitized molecule, as features see it.
struct FeaturedMolecule {
  const RDKit::ROMol& molecule;
  AtomSurroundings& around;
  bool explicit_hydrogens = false;  ///< whether all hydrogens are among its atoms
};

/// A label of atoms or of bonds.
struct MoleculeFeature {
  std::string_view name;
  bool of_bonds;
  std::string_view values;  ///< what they are, in words
  bool standard;            ///< whether the set `default` has it
  /// The values of all atoms, or of all bonds, in their order.
  LabelColumn (*column)(const FeaturedMolecule& molecule);
};

/// All features: those of atoms, then those of bonds. Some of both have the same name.
std::span<const MoleculeFeature> molecule_features();

/// The features that a text names: of atoms and of bonds, by their names and by those of sets (`default`, `all`), separated by
/// commas; a name that both have means both. Throws `Error` that names what is not known, and what is allowed.
std::vector<const MoleculeFeature*> chosen_features(std::string_view text);

/// The names that `chosen_features` takes, for the help: "default, all, element, ...".
std::string feature_names();

}  // namespace octile::app
