// SPDX-License-Identifier: BSD-3-Clause
#include "readers/parse_mmcif.hpp"

#include <stdexcept>

#include <gemmi/cif.hpp>
#include <gemmi/mmcif.hpp>

namespace octile::app {
namespace {

bool is_element(const std::string& symbol) {
  return symbol == "X" || (symbol.size() <= 2 && gemmi::find_element(symbol.c_str()) != gemmi::El::X);
}

}  // namespace

gemmi::Structure parse_mmcif(const std::string& text, const std::string& path) {
  gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), path.c_str());
  if (document.blocks.empty()) throw std::runtime_error("holds no data block; expected is mmCIF");
  for (const std::string& value : document.blocks.front().find_values("_atom_site.type_symbol")) {
    const std::string symbol = gemmi::cif::as_string(value);
    if (is_element(symbol)) continue;
    throw std::runtime_error("_atom_site.type_symbol is '" + symbol +
                             "'; allowed is the symbol of an element, such as C or CL");
  }
  gemmi::Structure structure = gemmi::make_structure(document);
  if (structure.models.empty()) throw std::runtime_error("holds no atoms; expected is a loop of _atom_site");
  return structure;
}

}  // namespace octile::app
