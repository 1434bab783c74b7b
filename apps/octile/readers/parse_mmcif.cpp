// SPDX-License-Identifier: BSD-3-Clause
#include "readers/parse_mmcif.hpp"

#include <stdexcept>

// The reader of crystals comes with a writer, which would need a library for its numbers.
#define USE_STD_SNPRINTF
#include <gemmi/cif.hpp>
#include <gemmi/mmcif.hpp>
#include <gemmi/smcif.hpp>

namespace octile::app {
namespace {

bool is_element(const std::string& symbol) {
  return symbol == "X" || (symbol.size() <= 2 && gemmi::find_element(symbol.c_str()) != gemmi::El::X);
}

gemmi::cif::Document document_of(const std::string& text, const std::string& path) {
  gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), path.c_str());
  if (document.blocks.empty()) throw std::runtime_error("holds no data block; expected is mmCIF");
  return document;
}

bool has_sites(gemmi::cif::Block& block) { return bool(block.find_values("_atom_site_fract_x")); }

/// The operations of symmetry that a block lists.
std::vector<gemmi::Op> listed_operations(gemmi::cif::Block& block) {
  std::vector<gemmi::Op> operations;
  for (const char* tag : {"_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz"}) {
    for (const std::string& value : block.find_values(tag)) {
      operations.push_back(gemmi::parse_triplet(gemmi::cif::as_string(value)));
    }
    if (!operations.empty()) break;
  }
  return operations;
}

/// Makes the cell's images those of the operations that the block lists.
void set_images(gemmi::SmallStructure& structure, gemmi::cif::Block& block) {
  const std::vector<gemmi::Op> operations = listed_operations(block);
  if (operations.empty()) {
    if (structure.spacegroup_hm.empty() || structure.find_spacegroup() != nullptr) return;
    throw std::runtime_error("the space group '" + structure.spacegroup_hm +
                             "' is not known; allowed is a known one, or a loop of _space_group_symop_operation_xyz");
  }
  structure.cell.images.clear();
  for (const gemmi::Op& operation : operations) {
    if (operation == gemmi::Op::identity()) continue;
    const gemmi::Transform image{gemmi::rot_as_mat33(operation), gemmi::tran_as_vec3(operation)};
    structure.cell.images.emplace_back(image);
  }
}

void check_site(const gemmi::SmallStructure::Site& site) {
  if (site.element == gemmi::El::X) {
    throw std::runtime_error("the site '" + site.label + "' is of the element '" + site.type_symbol +
                             "'; allowed is the symbol of an element, such as C or Cl");
  }
  if (!(site.occ > 0.999)) {
    throw std::runtime_error("the site '" + site.label + "' is occupied to " + std::to_string(site.occ) +
                             "; allowed is 1: an atom that is there in every cell");
  }
}

}  // namespace

Crystal parse_crystal(const std::string& text, const std::string& path) {
  gemmi::cif::Document document = document_of(text, path);
  std::size_t chosen = 0;
  while (chosen < document.blocks.size() && !has_sites(document.blocks[chosen])) ++chosen;
  if (chosen == document.blocks.size())
    throw std::runtime_error("holds no atoms; expected is a loop of _atom_site_fract_x");
  gemmi::cif::Block& block = document.blocks[chosen];
  gemmi::SmallStructure structure = gemmi::make_small_structure_from_block(block);
  if (!structure.cell.is_crystal()) {
    throw std::runtime_error(
        "the cell is not given; allowed are _cell_length_a, b, c and _cell_angle_alpha, beta, gamma");
  }
  if (structure.sites.empty())
    throw std::runtime_error("the loop of sites has no _atom_site_label, by which they are told");
  for (const gemmi::SmallStructure::Site& site : structure.sites) check_site(site);
  set_images(structure, block);
  Crystal crystal;
  for (const gemmi::SmallStructure::Site& site : structure.get_all_unit_cell_sites()) {
    const gemmi::Position place = structure.cell.orthogonalize(site.fract);
    crystal.atomic_number.push_back(site.element.atomic_number());
    crystal.label.push_back(site.label);
    crystal.place.push_back({place.x, place.y, place.z});
  }
  const std::array<gemmi::Fractional, 3> units = {gemmi::Fractional(1, 0, 0), gemmi::Fractional(0, 1, 0),
                                                  gemmi::Fractional(0, 0, 1)};
  for (std::size_t k = 0; k < 3; ++k) {
    const gemmi::Position vector = structure.cell.orthogonalize(units[k]);
    crystal.vectors[k] = {vector.x, vector.y, vector.z};
  }
  return crystal;
}

gemmi::Structure parse_mmcif(const std::string& text, const std::string& path) {
  gemmi::cif::Document document = document_of(text, path);
  for (const std::string& value : document.blocks.front().find_values("_atom_site.type_symbol")) {
    const std::string symbol = gemmi::cif::as_string(value);
    if (is_element(symbol)) continue;
    throw std::runtime_error("_atom_site.type_symbol is '" + symbol +
                             "'; allowed is the symbol of an element, such as C or CL");
  }
  // The library wraps longer ones around.
  constexpr std::size_t most_digits = 9;
  for (const std::string& value : document.blocks.front().find_values("_atom_site.auth_seq_id")) {
    if (value.size() <= most_digits) continue;
    throw std::runtime_error("_atom_site.auth_seq_id is '" + value + "'; allowed is a number of up to 9 characters");
  }
  gemmi::Structure structure = gemmi::make_structure(document);
  if (structure.models.empty()) throw std::runtime_error("holds no atoms; expected is a loop of _atom_site");
  return structure;
}

}  // namespace octile::app
