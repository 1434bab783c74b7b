// SPDX-License-Identifier: BSD-3-Clause
#include "readers/molecule_features.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/ROMol.h>
#include <GraphMol/RingInfo.h>
#include <RDGeneral/types.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <octile/error.hpp>

#include "readers/atom_surroundings.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

using RDKit::Atom;
using RDKit::Bond;
using Seen = FeaturedMolecule;

/// The name of a value in a table; "none" where it is not there.
template <class Names, class Value>
std::string name_in(const Names& names, Value value) {
  const auto* const found = std::ranges::find(names, value, &Names::value_type::first);
  return found == names.end() ? "none" : found->second;
}

std::string hybridization(const Atom& atom) {
  constexpr std::array names = {std::pair(Atom::S, "S"),        std::pair(Atom::SP, "SP"),
                                std::pair(Atom::SP2, "SP2"),    std::pair(Atom::SP3, "SP3"),
                                std::pair(Atom::SP2D, "SP2D"),  std::pair(Atom::SP3D, "SP3D"),
                                std::pair(Atom::SP3D2, "SP3D2")};
  return name_in(names, atom.getHybridization());
}

/// R or S. Unlike RDKit's own tag this does not depend on the order of the atoms.
std::string chirality(const Atom& atom) {
  std::string code;
  return atom.getPropIfPresent(RDKit::common_properties::_CIPCode, code) ? code : "none";
}

std::string stereo(const Bond& bond) {
  constexpr std::array names = {std::pair(Bond::STEREOANY, "any"), std::pair(Bond::STEREOZ, "Z"),
                                std::pair(Bond::STEREOE, "E"), std::pair(Bond::STEREOCIS, "cis"),
                                std::pair(Bond::STEREOTRANS, "trans")};
  return name_in(names, bond.getStereo());
}

std::int64_t as_integer(std::size_t number) { return static_cast<std::int64_t>(number); }

std::string element(const Atom& atom) { return atom.getSymbol(); }
std::int64_t atomic_number(const Atom& atom) { return atom.getAtomicNum(); }
std::int64_t charge(const Atom& atom) { return atom.getFormalCharge(); }
std::int64_t aromatic(const Atom& atom) { return as_integer(atom.getIsAromatic()); }
std::int64_t rings(const Atom& atom) {
  return as_integer(atom.getOwningMol().getRingInfo()->numAtomRings(atom.getIdx()));
}
std::int64_t in_ring(const Atom& atom) { return as_integer(rings(atom) > 0); }
std::int64_t degree(const Atom& atom) { return as_integer(atom.getDegree()); }
double mass(const Atom& atom) { return atom.getMass(); }

double order(const Bond& bond) { return bond.getBondTypeAsDouble(); }
std::int64_t conjugated(const Bond& bond) { return as_integer(bond.getIsConjugated()); }
std::int64_t bond_in_ring(const Bond& bond) {
  return as_integer(bond.getOwningMol().getRingInfo()->numBondRings(bond.getIdx()) > 0);
}

/// The values of a function of each atom, or of each bond.
template <auto value>
LabelColumn of_atoms(const Seen& seen) {
  std::vector<std::invoke_result_t<decltype(value), const Atom&>> column;
  for (const Atom* atom : seen.molecule.atoms()) column.push_back(value(*atom));
  return column;
}

template <auto value>
LabelColumn of_bonds(const Seen& seen) {
  std::vector<std::invoke_result_t<decltype(value), const Bond&>> column;
  for (const Bond* bond : seen.molecule.bonds()) column.push_back(value(*bond));
  return column;
}

LabelColumn hydrogens(const Seen& seen) {
  std::vector<std::int64_t> column;
  for (const Atom* atom : seen.molecule.atoms()) {
    column.push_back(as_integer(atom->getTotalNumHs(seen.explicit_hydrogens)));
  }
  return column;
}

template <int radius>
LabelColumn morgan(const Seen& seen) {
  return seen.around.morgan_hashes(radius);
}

template <int distance>
LabelColumn neighbors(const Seen& seen) {
  return seen.around.elements_at_distance(distance);
}

template <int distance>
LabelColumn neighbor_counts(const Seen& seen) {
  return seen.around.element_counts(distance);
}

LabelColumn ring_sizes(const Seen& seen) {
  std::vector<RealList> sizes_of(seen.molecule.getNumAtoms());
  for (const auto& ring : seen.molecule.getRingInfo()->atomRings()) {
    for (const int atom : ring) sizes_of[static_cast<std::size_t>(atom)].push_back(static_cast<double>(ring.size()));
  }
  // A vertex kernel cannot compare an empty list (its value would be 0), so an atom in no ring has the one size 0.
  for (RealList& sizes : sizes_of) {
    if (sizes.empty()) sizes.push_back(0);
  }
  return sizes_of;
}

LabelColumn smallest_rings(const Seen& seen) {
  std::vector<std::int64_t> smallest(seen.molecule.getNumAtoms(), 0);
  for (const auto& ring : seen.molecule.getRingInfo()->atomRings()) {
    for (const int atom : ring) {
      std::int64_t& size = smallest[static_cast<std::size_t>(atom)];
      size = size == 0 ? as_integer(ring.size()) : std::min(size, as_integer(ring.size()));
    }
  }
  return smallest;
}

constexpr std::array all_features = {
    MoleculeFeature{"element", false, "C, N, Cl, ...", true, of_atoms<element>},
    MoleculeFeature{"atomic_number", false, "6, 7, 17, ...", true, of_atoms<atomic_number>},
    MoleculeFeature{"hybridization", false, "SP3, SP2, SP, S, SP2D, SP3D, SP3D2, none", true, of_atoms<hybridization>},
    MoleculeFeature{"charge", false, "formal charge", true, of_atoms<charge>},
    MoleculeFeature{"hydrogens", false, "hydrogens bound to the atom", true, hydrogens},
    MoleculeFeature{"aromatic", false, "0 or 1", true, of_atoms<aromatic>},
    MoleculeFeature{"in_ring", false, "0 or 1", true, of_atoms<in_ring>},
    MoleculeFeature{"chirality", false, "R, S, none", true, of_atoms<chirality>},
    MoleculeFeature{"ring_sizes", false,
                    "sizes of the rings that the atom is in (smallest set of smallest rings); [0] in none", true,
                    ring_sizes},
    MoleculeFeature{"ring_size", false, "size of the smallest of them; 0 in none", false, smallest_rings},
    MoleculeFeature{"rings", false, "number of them", false, of_atoms<rings>},
    MoleculeFeature{"degree", false, "atoms bound to the atom that are vertices", false, of_atoms<degree>},
    MoleculeFeature{"mass", false, "of the isotope, or else the mean of the element, in u", false, of_atoms<mass>},
    MoleculeFeature{"morgan0", false, "a number for the atom: its element, charge, isotope, degree, hydrogens and ring",
                    false, morgan<0>},
    MoleculeFeature{"morgan1", false, "a number for all up to 1 bond away, by Morgan's algorithm", false, morgan<1>},
    MoleculeFeature{"morgan2", false, "up to 2 bonds away", false, morgan<2>},
    MoleculeFeature{"morgan3", false, "up to 3 bonds away", false, morgan<3>},
    MoleculeFeature{"neighbors1", false, "elements of the atoms 1 bond away, sorted; [none] if there are none", false,
                    neighbors<1>},
    MoleculeFeature{"neighbors2", false, "2 bonds away", false, neighbors<2>},
    MoleculeFeature{"neighbors3", false, "3 bonds away", false, neighbors<3>},
    MoleculeFeature{"neighbors4", false, "4 bonds away", false, neighbors<4>},
    MoleculeFeature{"neighbor_counts1", false,
                    "atoms 1 bond away: numbers of H, B, C, N, O, F, Si, P, S, Cl, Br, I and others", false,
                    neighbor_counts<1>},
    MoleculeFeature{"neighbor_counts2", false, "2 bonds away", false, neighbor_counts<2>},
    MoleculeFeature{"neighbor_counts3", false, "3 bonds away", false, neighbor_counts<3>},
    MoleculeFeature{"neighbor_counts4", false, "4 bonds away", false, neighbor_counts<4>},
    MoleculeFeature{"order", true, "1, 1.5 (aromatic), 2, 3", true, of_bonds<order>},
    MoleculeFeature{"conjugated", true, "0 or 1", true, of_bonds<conjugated>},
    MoleculeFeature{"in_ring", true, "0 or 1", true, of_bonds<bond_in_ring>},
    MoleculeFeature{"stereo", true, "E, Z, cis, trans, any, none", true, of_bonds<stereo>},
};

/// A set of features.
struct FeatureSet {
  std::string_view name;
  bool (*has)(const MoleculeFeature& feature);
};

constexpr std::array feature_sets = {
    FeatureSet{"default", [](const MoleculeFeature& feature) { return feature.standard; }},
    FeatureSet{"all", [](const MoleculeFeature&) { return true; }},
};

}  // namespace

std::span<const MoleculeFeature> molecule_features() { return all_features; }

std::vector<const MoleculeFeature*> chosen_features(std::string_view text) {
  std::vector<bool> chosen(all_features.size(), false);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    const auto* const set = std::ranges::find(feature_sets, name, &FeatureSet::name);
    bool known = false;
    for (std::size_t k = 0; k < all_features.size(); ++k) {
      if (set == feature_sets.end() ? all_features[k].name != name : !set->has(all_features[k])) continue;
      known = chosen[k] = true;
    }
    if (known) continue;
    throw Error(fmt::format("{} is no feature of molecules; allowed are {}", in_quotes(name), feature_names()));
  }
  std::vector<const MoleculeFeature*> result;
  for (std::size_t k = 0; k < all_features.size(); ++k) {
    if (chosen[k]) result.push_back(&all_features[k]);
  }
  return result;
}

std::string feature_names() {
  std::vector<std::string_view> names;
  names.reserve(feature_sets.size() + all_features.size());
  for (const FeatureSet& set : feature_sets) names.push_back(set.name);
  for (const MoleculeFeature& feature : all_features) {
    if (std::ranges::find(names, feature.name) == names.end()) names.push_back(feature.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace octile::app
