// SPDX-License-Identifier: BSD-3-Clause
#include "readers/molecule_graph.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>

#include "readers/atom_surroundings.hpp"

namespace octile::app {

MoleculeGraphs::MoleculeGraphs(const MoleculeOptions& options)
    : features_(chosen_features(options.features)), explicit_hydrogens_(options.explicit_hydrogens) {}

Graph MoleculeGraphs::operator()(RDKit::RWMol& molecule, std::string name) const {
  if (explicit_hydrogens_) RDKit::MolOps::addHs(molecule);
  std::vector<Edge> edges;
  edges.reserve(molecule.getNumBonds());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    edges.push_back(
        {static_cast<std::int32_t>(bond->getBeginAtomIdx()), static_cast<std::int32_t>(bond->getEndAtomIdx()), 1.0});
  }
  AtomSurroundings around(molecule);
  const FeaturedMolecule featured{molecule, around, explicit_hydrogens_};
  LabelColumns atoms;
  LabelColumns bonds;
  for (const MoleculeFeature* feature : features_) {
    (feature->of_bonds ? bonds : atoms).emplace(std::string(feature->name), feature->column(featured));
  }
  return Graph::from_edges(std::move(name), static_cast<std::int32_t>(molecule.getNumAtoms()), std::move(edges),
                           std::move(atoms), bonds);
}

}  // namespace octile::app
