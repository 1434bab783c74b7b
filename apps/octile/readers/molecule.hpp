// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

namespace RDKit {
class RWMol;
}

namespace octile::app {

/// The molecule of a SMILES as RDKit's `SmilesToMol` gives it: without hydrogens, sanitized, with its rings and its
/// stereochemistry, and nothing of extended SMILES. 20,000 atoms take seconds, but longer where the
/// text states the stereochemistry of hundreds of equal units: RDKit tells those apart from the ends of their chain. Null,
/// with the reason in RDKit's log, for text that is no SMILES; throws RDKit's exceptions for atoms that cannot be.
std::unique_ptr<RDKit::RWMol> molecule_of_smiles(const std::string& smiles);

}  // namespace octile::app
