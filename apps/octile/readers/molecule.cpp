// SPDX-License-Identifier: BSD-3-Clause
#include "readers/molecule.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#include <GraphMol/SmilesParse/SmilesParse.h>

#include <fmt/format.h>

#include "readers/read.hpp"
#include "readers/ring_systems.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Up to this size RDKit finds the rings of a whole molecule faster than the molecule is split into ring systems.
/// RDKit's time grows with the cube of the number of rings: minutes for 20,000 atoms.
constexpr unsigned most_atoms_at_once = 400;

/// RDKit ranks all atoms to perceive stereochemistry, in a time that grows with the cube of their number: 50 s for a chain of 4,000
/// atoms, and minutes beyond.
constexpr unsigned most_stereo_atoms = 4000;

/// Whether a SMILES gives a turn of an atom's neighbours (@), or of bonds beside a double one (/ and \\).
bool states_stereochemistry(const RDKit::ROMol& molecule) {
  for (const RDKit::Atom* atom : molecule.atoms()) {
    if (atom->getChiralTag() != RDKit::Atom::CHI_UNSPECIFIED) return true;
  }
  for (const RDKit::Bond* bond : molecule.bonds()) {
    if (bond->getBondDir() != RDKit::Bond::NONE) return true;
  }
  return false;
}

using Ends = std::vector<std::pair<int, int>>;

/// Finds the rings of one ring system on its atoms and bonds alone, and adds them with their numbers in the molecule.
void add_rings(RDKit::RingInfo& rings_of_molecule, const Ends& bonds, const RingSystem& system) {
  RDKit::RWMol part;
  const auto number_in_part = [&system](int atom) {
    const auto found = std::ranges::lower_bound(system.atoms, atom);
    return static_cast<unsigned>(found - system.atoms.begin());
  };
  for (std::size_t k = 0; k < system.atoms.size(); ++k) part.addAtom(new RDKit::Atom(6), false, true);
  for (const int bond : system.bonds) {
    const auto& [one, other] = bonds[static_cast<std::size_t>(bond)];
    part.addBond(number_in_part(one), number_in_part(other), RDKit::Bond::SINGLE);
  }
  std::vector<std::vector<int>> rings;
  RDKit::MolOps::symmetrizeSSSR(part, rings);
  const auto given = [](std::vector<int> numbers, const std::vector<int>& names) {
    for (int& number : numbers) number = names[static_cast<std::size_t>(number)];
    return numbers;
  };
  const RDKit::RingInfo& found = *part.getRingInfo();
  for (std::size_t k = 0; k < found.atomRings().size(); ++k) {
    rings_of_molecule.addRing(given(found.atomRings()[k], system.atoms), given(found.bondRings()[k], system.bonds));
  }
}

/// The steps of RDKit's `sanitizeMol` in their order, with rings found system by system.
void sanitize_by_ring_systems(RDKit::RWMol& molecule) {
  molecule.clearComputedProps();
  RDKit::MolOps::cleanUp(molecule);
  molecule.updatePropertyCache(true);
  Ends bonds;  // a copy, since RDKit walks a list to find a bond by its number
  bonds.reserve(molecule.getNumBonds());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    bonds.emplace_back(static_cast<int>(bond->getBeginAtomIdx()), static_cast<int>(bond->getEndAtomIdx()));
  }
  molecule.getRingInfo()->initialize();
  for (const RingSystem& system : ring_systems(static_cast<int>(molecule.getNumAtoms()), bonds)) {
    add_rings(*molecule.getRingInfo(), bonds, system);
  }
  RDKit::MolOps::Kekulize(molecule);
  RDKit::MolOps::assignRadicals(molecule);
  RDKit::MolOps::setAromaticity(molecule);
  RDKit::MolOps::setConjugation(molecule);
  RDKit::MolOps::setHybridization(molecule);
  RDKit::MolOps::cleanupChirality(molecule);
  RDKit::MolOps::adjustHs(molecule);
}

}  // namespace

std::unique_ptr<RDKit::RWMol> molecule_of_smiles(const std::string& smiles, std::size_t max_atoms) {
  RDKit::SmilesParserParams parameters;
  // The line is split before this, so that a name such as "|x|" is never taken for an extension of SMILES.
  parameters.allowCXSMILES = false;
  parameters.parseName = false;
  // The molecule is sanitized below. The parser would also look for unmarked stereocentres, for which
  // it ranks all atoms, in a time that grows with the cube of their number.
  parameters.sanitize = false;
  parameters.removeHs = false;
  std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles, parameters));
  if (!molecule) return molecule;
  if (molecule->getNumAtoms() > max_atoms) {
    throw Error(fmt::format("{} {}", in_quotes(smiles), too_many_vertices(molecule->getNumAtoms(), max_atoms)));
  }
  if (molecule->getNumAtoms() > most_stereo_atoms && states_stereochemistry(*molecule)) {
    throw Error(
        fmt::format("{} has {} and states stereochemistry, which would take minutes to perceive; allowed are {}, or "
                    "more in a SMILES "
                    "without the marks @, / and \\",
                    in_quotes(smiles), counted(molecule->getNumAtoms(), "atom"), with_commas(most_stereo_atoms)));
  }
  const bool at_once = molecule->getNumAtoms() <= most_atoms_at_once;
  RDKit::MolOps::removeHs(*molecule, false, true, at_once);
  if (!at_once) sanitize_by_ring_systems(*molecule);
  RDKit::MolOps::assignStereochemistry(*molecule, true, true, false);
  return molecule;
}

}  // namespace octile::app
