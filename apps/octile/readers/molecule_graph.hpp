// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <octile/graph.hpp>

namespace RDKit {
class ROMol;
}

namespace octile::app {

/// The graph of a sanitized molecule: a vertex an atom, an edge a bond, with the labels that docs/formats.md lists.
Graph molecule_graph(const RDKit::ROMol& molecule, std::string name);

}  // namespace octile::app
