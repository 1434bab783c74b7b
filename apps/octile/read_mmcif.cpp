// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <fmt/format.h>
#include <gemmi/cif.hpp>
#include <gemmi/mmcif.hpp>

#include <octile/error.hpp>

#include "heavy_atoms.hpp"
#include "one_graph.hpp"
#include "read.hpp"
#include "text.hpp"
#include "text_file.hpp"

namespace octile::app {
namespace {

/// gemmi takes what is no element for an unknown one, whose symbol is X.
void check_elements(gemmi::cif::Block& block) {
  for (const std::string& value : block.find_values("_atom_site.type_symbol")) {
    const std::string symbol = gemmi::cif::as_string(value);
    if (symbol == "X" || atomic_number_of(symbol)) continue;
    throw Error(fmt::format("_atom_site.type_symbol is {}; allowed is the symbol of an element, such as C or CL",
                            in_quotes(symbol)));
  }
}

}  // namespace

GraphReader mmcif_reader(const std::string& path, const SpatialRule& rule) {
  return one_graph(path, rule, [path](TextFile& file) {
    std::string text;
    for (std::string line; file.next(line);) text += line += '\n';
    gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), path.c_str());
    if (document.blocks.empty()) throw Error("holds no data block; expected is mmCIF");
    check_elements(document.blocks.front());
    const gemmi::Structure structure = gemmi::make_structure(document);
    if (structure.models.empty()) throw Error("holds no atoms; expected is a loop of _atom_site");
    return heavy_atoms(structure.models.front());
  });
}

}  // namespace octile::app
