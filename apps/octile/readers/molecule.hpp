// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

namespace RDKit {
class RWMol;
}

namespace octile::app {

/// The molecule of a SMILES, as RDKit's `SmilesToMol` makes it: without hydrogens, sanitized, with its rings and its
/// stereochemistry, without extended SMILES. 20,000 atoms take seconds. It takes longer if the text states the
/// stereochemistry of hundreds of equal units, which RDKit tells apart from the ends of their chain on. Null, with the
/// reason in RDKit's log, for text that is no SMILES. Throws RDKit's exceptions for impossible atoms, and `Error` for more than
/// `max_atoms` of them.
std::unique_ptr<RDKit::RWMol> molecule_of_smiles(const std::string& smiles, std::size_t max_atoms);

}  // namespace octile::app
