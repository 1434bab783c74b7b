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

using Seen = FeaturedMolecule;

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

/// R or S. Unlike RDKit's own tag this does not depend on the order of the atoms.
std::string chirality_name(const RDKit::Atom& atom) {
  std::string code;
  return atom.getPropIfPresent(RDKit::common_properties::_CIPCode, code) ? code : "none";
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

/// The values of a function of each atom, or of each bond.
template <class Value>
LabelColumn of_atoms(const Seen& seen, const Value& value) {
  std::vector<std::decay_t<std::invoke_result_t<Value, const RDKit::Atom&>>> column;
  for (const RDKit::Atom* atom : seen.molecule.atoms()) column.push_back(value(*atom));
  return column;
}

template <class Value>
LabelColumn of_bonds(const Seen& seen, const Value& value) {
  std::vector<std::decay_t<std::invoke_result_t<Value, const RDKit::Bond&>>> column;
  for (const RDKit::Bond* bond : seen.molecule.bonds()) column.push_back(value(*bond));
  return column;
}

std::int64_t as_integer(std::size_t number) { return static_cast<std::int64_t>(number); }

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
    MoleculeFeature{"element", false, "C, N, Cl, ...", true,
                    [](const Seen& seen) { return of_atoms(seen, [](const auto& atom) { return atom.getSymbol(); }); }},
    MoleculeFeature{"atomic_number", false, "6, 7, 17, ...", true,
                    [](const Seen& seen) {
                      return of_atoms(seen, [](const auto& atom) { return std::int64_t{atom.getAtomicNum()}; });
                    }},
    MoleculeFeature{"hybridization", false, "SP3, SP2, SP, S, SP2D, SP3D, SP3D2, none", true,
                    [](const Seen& seen) {
                      return of_atoms(seen,
                                      [](const auto& atom) { return hybridization_name(atom.getHybridization()); });
                    }},
    MoleculeFeature{"charge", false, "formal charge", true,
                    [](const Seen& seen) {
                      return of_atoms(seen, [](const auto& atom) { return std::int64_t{atom.getFormalCharge()}; });
                    }},
    MoleculeFeature{"hydrogens", false, "hydrogens bound to the atom", true,
                    [](const Seen& seen) {
                      return of_atoms(seen, [&](const auto& atom) {
                        return as_integer(atom.getTotalNumHs(seen.explicit_hydrogens));
                      });
                    }},
    MoleculeFeature{"aromatic", false, "0 or 1", true,
                    [](const Seen& seen) {
                      return of_atoms(seen, [](const auto& atom) { return as_integer(atom.getIsAromatic()); });
                    }},
    MoleculeFeature{"in_ring", false, "0 or 1", true,
                    [](const Seen& seen) {
                      const RDKit::RingInfo& rings = *seen.molecule.getRingInfo();
                      return of_atoms(
                          seen, [&](const auto& atom) { return as_integer(rings.numAtomRings(atom.getIdx()) > 0); });
                    }},
    MoleculeFeature{"chirality", false, "R, S, none", true,
                    [](const Seen& seen) { return of_atoms(seen, chirality_name); }},
    MoleculeFeature{"ring_sizes", false,
                    "sizes of the rings that the atom is in (smallest set of smallest rings); [0] in none", true,
                    ring_sizes},
    MoleculeFeature{"ring_size", false, "size of the smallest of them; 0 in none", false, smallest_rings},
    MoleculeFeature{"rings", false, "number of them", false,
                    [](const Seen& seen) {
                      const RDKit::RingInfo& rings = *seen.molecule.getRingInfo();
                      return of_atoms(seen,
                                      [&](const auto& atom) { return as_integer(rings.numAtomRings(atom.getIdx())); });
                    }},
    MoleculeFeature{
        "degree", false, "atoms bound to the atom that are vertices", false,
        [](const Seen& seen) { return of_atoms(seen, [](const auto& atom) { return as_integer(atom.getDegree()); }); }},
    MoleculeFeature{"mass", false, "of the isotope, or else the mean of the element, in u", false,
                    [](const Seen& seen) { return of_atoms(seen, [](const auto& atom) { return atom.getMass(); }); }},
    MoleculeFeature{"morgan0", false, "a number for the atom: its element, charge, isotope, degree, hydrogens and ring",
                    false, [](const Seen& seen) { return LabelColumn(morgan_hashes(seen.molecule, 0)); }},
    MoleculeFeature{"morgan1", false, "a number for all up to 1 bond away, by Morgan's algorithm", false,
                    [](const Seen& seen) { return LabelColumn(morgan_hashes(seen.molecule, 1)); }},
    MoleculeFeature{"morgan2", false, "up to 2 bonds away", false,
                    [](const Seen& seen) { return LabelColumn(morgan_hashes(seen.molecule, 2)); }},
    MoleculeFeature{"morgan3", false, "up to 3 bonds away", false,
                    [](const Seen& seen) { return LabelColumn(morgan_hashes(seen.molecule, 3)); }},
    MoleculeFeature{"neighbors1", false, "elements of the atoms 1 bond away, sorted; [none] if there are none", false,
                    [](const Seen& seen) { return LabelColumn(elements_at_distance(seen.molecule, 1)); }},
    MoleculeFeature{"neighbors2", false, "2 bonds away", false,
                    [](const Seen& seen) { return LabelColumn(elements_at_distance(seen.molecule, 2)); }},
    MoleculeFeature{"neighbors3", false, "3 bonds away", false,
                    [](const Seen& seen) { return LabelColumn(elements_at_distance(seen.molecule, 3)); }},
    MoleculeFeature{"neighbors4", false, "4 bonds away", false,
                    [](const Seen& seen) { return LabelColumn(elements_at_distance(seen.molecule, 4)); }},
    MoleculeFeature{
        "order", true, "1, 1.5 (aromatic), 2, 3", true,
        [](const Seen& seen) { return of_bonds(seen, [](const auto& bond) { return bond.getBondTypeAsDouble(); }); }},
    MoleculeFeature{"conjugated", true, "0 or 1", true,
                    [](const Seen& seen) {
                      return of_bonds(seen, [](const auto& bond) { return as_integer(bond.getIsConjugated()); });
                    }},
    MoleculeFeature{"in_ring", true, "0 or 1", true,
                    [](const Seen& seen) {
                      const RDKit::RingInfo& rings = *seen.molecule.getRingInfo();
                      return of_bonds(
                          seen, [&](const auto& bond) { return as_integer(rings.numBondRings(bond.getIdx()) > 0); });
                    }},
    MoleculeFeature{"stereo", true, "E, Z, cis, trans, any, none", true,
                    [](const Seen& seen) {
                      return of_bonds(seen, [](const auto& bond) { return stereo_name(bond.getStereo()); });
                    }},
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
