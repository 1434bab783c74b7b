// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "readers/atoms.hpp"

namespace gemmi {
struct Model;
}

namespace octile::app {

/// The heavy atoms of a model, in its order, with their labels `residue` and `atom`: no hydrogens and no waters; ions and
/// ligands stay. Of alternative places of an atom, and of alternative residues at one place of the chain, the first.
/// Throws `Error` where nothing is left.
Atoms heavy_atoms(const gemmi::Model& model);

}  // namespace octile::app
