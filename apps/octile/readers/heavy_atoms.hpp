// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "readers/atom_choice.hpp"
#include "readers/atoms.hpp"

namespace gemmi {
struct Model;
}

namespace octile::app {

/// The heavy atoms of a model that are chosen, in its order, with labels `chain`, `residue`, `residue_number` (unless one of them has
/// none) and `atom`: without hydrogens and waters, with ions and ligands. Waters are taken if their residues are chosen by name. Of
/// alternative positions of an atom, and of alternative residues at one position of the chain, the first; the others are counted.
/// Throws `Error` if nothing is left, with what there is to choose from.
Atoms heavy_atoms(const gemmi::Model& model, const AtomChoice& choice);

/// Throws `Error` if a structure of so many models lacks that of the choice. The first one may be absent.
void check_model(std::size_t models, const AtomChoice& choice);

}  // namespace octile::app
