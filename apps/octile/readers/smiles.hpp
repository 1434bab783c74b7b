// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <octile/graph.hpp>

#include "readers/read.hpp"

namespace octile::app {

/// Makes a graph of a given name from a SMILES through RDKit. Throws `Error` that says what is wrong with the SMILES, and for one
/// of more atoms. Several threads may call it at once. The parser itself throws `Error` for features that are not known.
using MoleculeParser = std::function<Graph(const std::string& smiles, std::string name)>;
MoleculeParser molecule_parser(std::size_t max_atoms, const MoleculeOptions& options);

/// Whether a line names columns ("SMILES name", "canonical_smiles id"): its first word has "smiles" in it, in any case. No
/// SMILES has.
bool is_smiles_header(std::string_view line);

}  // namespace octile::app
