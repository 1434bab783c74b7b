// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "readers/atoms.hpp"

namespace gemmi {
struct Model;
}

namespace octile::app {

/// The heavy atoms of a model, in its order, with labels `residue` and `atom`: without hydrogens and waters, with ions
/// and ligands. Of alternative positions of an atom, and of alternative residues at one position of the chain, the
/// first. Throws `Error` if nothing is left.
Atoms heavy_atoms(const gemmi::Model& model);

}  // namespace octile::app
