// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <octile/graph.hpp>

#include "readers/molecule_features.hpp"
#include "readers/read.hpp"

namespace RDKit {
class RWMol;
}

namespace octile::app {

/// Makes graphs of molecules: a vertex an atom, an edge a bond, labelled with features.
class MoleculeGraphs {
 public:
  /// Throws `Error` for features that are not known.
  explicit MoleculeGraphs(const MoleculeOptions& options);

  /// The graph of a sanitized molecule, to which hydrogens are added if they are asked for. They follow the other atoms.
  Graph operator()(RDKit::RWMol& molecule, std::string name) const;

 private:
  std::vector<const MoleculeFeature*> features_;
  bool explicit_hydrogens_;
};

}  // namespace octile::app
