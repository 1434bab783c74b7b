// SPDX-License-Identifier: BSD-3-Clause
#include "readers/molecule_graph.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/ROMol.h>
#include <GraphMol/RingInfo.h>
#include <RDGeneral/types.h>

namespace octile::app {
namespace {

std::string hybridization_name(RDKit::Atom::HybridizationType hybridization) {
  switch (hybridization) {
    case RDKit::Atom::S: return "S";
    case RDKit::Atom::SP: return "SP";
    case RDKit::Atom::SP2: return "SP2";
    case RDKit::Atom::SP3: return "SP3";
    case RDKit::Atom::SP2D: return "SP2D";
    case RDKit::Atom::SP3D: return "SP3D";
    case RDKit::Atom::SP3D2: return "SP3D2";
    default: return "none";
  }
}

std::string stereo_name(RDKit::Bond::BondStereo stereo) {
  switch (stereo) {
    case RDKit::Bond::STEREOANY: return "any";
    case RDKit::Bond::STEREOZ: return "Z";
    case RDKit::Bond::STEREOE: return "E";
    case RDKit::Bond::STEREOCIS: return "cis";
    case RDKit::Bond::STEREOTRANS: return "trans";
    default: return "none";
  }
}

LabelColumns atom_labels(const RDKit::ROMol& molecule) {
  std::vector<std::string> element, hybridization, chirality;
  std::vector<std::int64_t> atomic_number, charge, hydrogens, aromatic, in_ring;
  for (const RDKit::Atom* atom : molecule.atoms()) {
    element.push_back(atom->getSymbol());
    hybridization.push_back(hybridization_name(atom->getHybridization()));
    // R or S. Unlike RDKit's own tag this does not depend on the order of the atoms.
    std::string code;
    chirality.push_back(atom->getPropIfPresent(RDKit::common_properties::_CIPCode, code) ? code : "none");
    atomic_number.push_back(atom->getAtomicNum());
    charge.push_back(atom->getFormalCharge());
    hydrogens.push_back(atom->getTotalNumHs());
    aromatic.push_back(atom->getIsAromatic() ? 1 : 0);
    in_ring.push_back(molecule.getRingInfo()->numAtomRings(atom->getIdx()) > 0 ? 1 : 0);
  }
  std::vector<RealList> ring_sizes(molecule.getNumAtoms());
  for (const auto& ring : molecule.getRingInfo()->atomRings()) {
    for (const int atom : ring) ring_sizes[static_cast<std::size_t>(atom)].push_back(static_cast<double>(ring.size()));
  }
  // A vertex kernel cannot compare an empty list (its value would be 0), so an atom in no ring has the one
  // size 0.
  for (RealList& sizes : ring_sizes) {
    if (sizes.empty()) sizes.push_back(0);
  }
  LabelColumns labels;
  labels.emplace("element", std::move(element));
  labels.emplace("hybridization", std::move(hybridization));
  labels.emplace("chirality", std::move(chirality));
  labels.emplace("atomic_number", std::move(atomic_number));
  labels.emplace("charge", std::move(charge));
  labels.emplace("hydrogens", std::move(hydrogens));
  labels.emplace("aromatic", std::move(aromatic));
  labels.emplace("in_ring", std::move(in_ring));
  labels.emplace("ring_sizes", std::move(ring_sizes));
  return labels;
}

LabelColumns bond_labels(const RDKit::ROMol& molecule) {
  std::vector<double> order;
  std::vector<std::int64_t> conjugated, in_ring;
  std::vector<std::string> stereo;
  for (const RDKit::Bond* bond : molecule.bonds()) {
    order.push_back(bond->getBondTypeAsDouble());
    conjugated.push_back(bond->getIsConjugated() ? 1 : 0);
    in_ring.push_back(molecule.getRingInfo()->numBondRings(bond->getIdx()) > 0 ? 1 : 0);
    stereo.push_back(stereo_name(bond->getStereo()));
  }
  LabelColumns labels;
  labels.emplace("order", std::move(order));
  labels.emplace("conjugated", std::move(conjugated));
  labels.emplace("in_ring", std::move(in_ring));
  labels.emplace("stereo", std::move(stereo));
  return labels;
}

}  // namespace

Graph molecule_graph(const RDKit::ROMol& molecule, std::string name) {
  std::vector<Edge> edges;
  edges.reserve(molecule.getNumBonds());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    edges.push_back(
        {static_cast<std::int32_t>(bond->getBeginAtomIdx()), static_cast<std::int32_t>(bond->getEndAtomIdx()), 1.0});
  }
  return Graph::from_edges(std::move(name), static_cast<std::int32_t>(molecule.getNumAtoms()), std::move(edges),
                           atom_labels(molecule), bond_labels(molecule));
}

}  // namespace octile::app
