// SPDX-License-Identifier: BSD-3-Clause
#include "readers/heavy_atoms.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <gemmi/model.hpp>

#include <octile/error.hpp>

namespace octile::app {
namespace {

constexpr char no_alternative = '\0';

/// Alternative residues follow one another under one number, and all of their atoms are marked as alternatives.
bool is_later_alternative(const gemmi::Chain& chain, std::size_t k) {
  const auto is_alternative = [](const gemmi::Atom& atom) { return atom.altloc != no_alternative; };
  const gemmi::Residue& residue = chain.residues[k];
  return k > 0 && chain.residues[k - 1].seqid == residue.seqid && std::ranges::all_of(residue.atoms, is_alternative);
}

}  // namespace

Atoms heavy_atoms(const gemmi::Model& model) {
  Atoms atoms;
  std::vector<std::string> residue_names;
  std::vector<std::string> atom_names;
  for (const gemmi::Chain& chain : model.chains) {
    for (std::size_t k = 0; k < chain.residues.size(); ++k) {
      const gemmi::Residue& residue = chain.residues[k];
      if (residue.is_water() || is_later_alternative(chain, k)) continue;
      std::set<std::string_view> taken;
      for (const gemmi::Atom& atom : residue.atoms) {
        // Atoms with equal names that are not marked as alternatives are different atoms: some programs name all carbons C.
        const bool first = taken.insert(atom.name).second;
        if (atom.is_hydrogen() || (!first && atom.altloc != no_alternative)) continue;
        atoms.add(atom.element.atomic_number(), {atom.pos.x, atom.pos.y, atom.pos.z});
        residue_names.push_back(residue.name);
        atom_names.push_back(atom.name);
      }
    }
  }
  if (atoms.place.empty())
    throw Error("holds no heavy atom outside of waters; allowed is one or more in the first model");
  atoms.labels.emplace("residue", std::move(residue_names));
  atoms.labels.emplace("atom", std::move(atom_names));
  return atoms;
}

}  // namespace octile::app
