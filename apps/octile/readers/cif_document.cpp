// SPDX-License-Identifier: BSD-3-Clause
#include "readers/cif_document.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <stdexcept>

// The reader of crystals comes with a writer, which would need a library for its numbers.
#define USE_STD_SNPRINTF
#include <gemmi/cif.hpp>
#include <gemmi/mmcif.hpp>
#include <gemmi/smcif.hpp>

namespace octile::app {
namespace {

/// The lines in which the rows of loops begin, by the line of the loop.
using Rows = std::map<int, std::vector<int>>;

/// What gemmi reads, and the lines of rows, which it does not keep.
struct PlacedDocument : gemmi::cif::Document {
  Rows rows;
};

template <class Rule>
struct PlacedAction : gemmi::cif::Action<Rule> {};

template <>
struct PlacedAction<gemmi::cif::rules::loop_value> {
  template <class Input>
  static void apply(const Input& in, PlacedDocument& document) {
    const gemmi::cif::Item& item = document.items_->back();
    if (item.loop.values.size() % item.loop.tags.size() == 0) {
      document.rows[item.line_number].push_back(static_cast<int>(in.iterator().line));
    }
    gemmi::cif::Action<gemmi::cif::rules::loop_value>::apply(in, document);
  }
};

PlacedDocument parsed(const std::string& text, const std::string& path) {
  PlacedDocument document;
  document.source = path;
  tao::pegtl::memory_input<> input(text.data(), text.size(), path);
  tao::pegtl::parse<gemmi::cif::rules::file, PlacedAction, gemmi::cif::Errors>(input, document);
  gemmi::cif::check_for_missing_values(document);
  gemmi::cif::check_for_duplicates(document);
  return document;
}

/// A block and where its values stand.
struct PlacedBlock {
  gemmi::cif::Block& block;
  const Rows& rows;

  /// The line of a value of a tag that the block has.
  int line(const std::string& tag, std::size_t row = 0) const {
    const gemmi::cif::Item& item = *block.find_values(tag).item();
    if (item.type != gemmi::cif::ItemType::Loop) return item.line_number;
    const auto lines = rows.find(item.line_number);
    return lines == rows.end() || row >= lines->second.size() ? item.line_number : lines->second[row];
  }

  /// What `work` returns. What it throws is in the line of this value.
  template <class Work>
  auto in_line_of(const std::string& tag, std::size_t row, const Work& work) const {
    try {
      return work();
    } catch (const std::runtime_error& fault) {
      throw FaultInLine(line(tag, row), fault.what());
    }
  }

  /// Calls `check` with all values of a tag.
  template <class Check>
  void check_values(const std::string& tag, const Check& check) const {
    std::size_t row = 0;
    for (const std::string& value : block.find_values(tag)) in_line_of(tag, row++, [&] { check(value); });
  }
};

/// Refuses what is no number, which is read as one that is not finite.
void check_numbers(const PlacedBlock& placed, const std::string& tag) {
  placed.check_values(tag, [&tag](const std::string& value) {
    if (std::isfinite(gemmi::cif::as_number(value))) return;
    throw std::runtime_error(tag + " is '" + value + "'; allowed is a finite number in each row");
  });
}

bool is_element(const std::string& symbol) {
  return symbol == "X" || (symbol.size() <= 2 && gemmi::find_element(symbol.c_str()) != gemmi::El::X);
}

bool has_sites(gemmi::cif::Block& block) { return bool(block.find_values("_atom_site_fract_x")); }

bool has_atoms(gemmi::cif::Block& block) { return has_sites(block) || block.find_mmcif_category("_atom_site.").ok(); }

/// A value and the tag and the row where it stands.
struct Given {
  std::string text;
  std::string tag;
  std::size_t row = 0;
};

/// The first of the values of these tags that is known; an empty text if there is none.
Given first_value(gemmi::cif::Block& block, std::initializer_list<const char*> tags) {
  for (const char* tag : tags) {
    std::size_t row = 0;
    for (const std::string& value : block.find_values(tag)) {
      if (!gemmi::cif::is_null(value)) return {gemmi::cif::as_string(value), tag, row};
      ++row;
    }
  }
  return {};
}

/// The operations of symmetry that a block lists.
std::vector<gemmi::Op> listed_operations(const PlacedBlock& placed) {
  std::vector<gemmi::Op> operations;
  for (const char* tag : {"_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz"}) {
    placed.check_values(tag, [&operations](const std::string& value) {
      const std::string text = gemmi::cif::as_string(value);
      try {
        operations.push_back(gemmi::parse_triplet(text));
      } catch (const std::runtime_error&) {
        throw std::runtime_error("'" + text + "' is no operation of symmetry; allowed is one such as 'x,1/2-y,z'");
      }
    });
    if (!operations.empty()) break;
  }
  return operations;
}

/// A Hall symbol in one way of writing: in lower case, with one blank between its parts.
std::string plain_hall(const std::string& symbol) {
  std::string plain;
  for (const char byte : symbol) {
    const bool blank = byte == ' ' || byte == '_' || byte == '\t';
    if (!blank) {
      plain += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

std::runtime_error unknown_group(const std::string& group) {
  return std::runtime_error(group +
                            " is not known; allowed is a known one, or a loop of _space_group_symop_operation_xyz");
}

/// The library's list has all settings of its tables. Its parser of Hall symbols is not used: it takes some that are none.
const gemmi::SpaceGroup& group_by_hall(const std::string& symbol) {
  const std::string plain = plain_hall(symbol);
  for (const gemmi::SpaceGroup& group : gemmi::spacegroup_tables::main) {
    if (plain_hall(group.hall) == plain) return group;
  }
  throw unknown_group("the Hall symbol '" + symbol + "'");
}

std::runtime_error untold_origin(const std::string& given, const gemmi::SpaceGroup& group) {
  return std::runtime_error(
      "the space group is given by " + given +
      " alone, which has two choices of the origin; allowed is its Hall symbol, its name with the "
      "choice, such as '" +
      group.xhm() + "', or a loop of _space_group_symop_operation_xyz");
}

bool has_two_origins(const gemmi::SpaceGroup& group) { return group.ext == '1' || group.ext == '2'; }

/// Throws for a name that the library does not know, and for one without the choice of the origin where there are two, of which the
/// library would take the first.
void check_name(const gemmi::SmallStructure& structure) {
  const gemmi::SpaceGroup* const group = structure.find_spacegroup();
  if (group == nullptr) throw unknown_group("the space group '" + structure.spacegroup_hm + "'");
  const auto letters = [](std::string name) {
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    return plain_hall(name);
  };
  if (has_two_origins(*group) && letters(structure.spacegroup_hm) == letters(group->hm)) {
    throw untold_origin("its name '" + structure.spacegroup_hm + "'", *group);
  }
}

/// The standard setting of the International Tables.
const gemmi::SpaceGroup& group_by_number(const std::string& text, gemmi::UnitCell& cell) {
  const bool digits = !text.empty() && text.size() <= 3 && text.find_first_not_of("0123456789") == std::string::npos;
  const int number = digits ? std::stoi(text) : 0;
  if (number < 1 || number > 230) {
    throw std::runtime_error("the number of the space group is '" + text +
                             "'; allowed is a whole number from 1 to 230");
  }
  // The angles tell hexagonal axes from rhombohedral ones. Nothing tells one choice of the origin from another.
  const gemmi::SpaceGroup& standard = gemmi::get_spacegroup_reference_setting(number);
  const gemmi::SpaceGroup* const group = gemmi::find_spacegroup_by_name(standard.hm, cell.alpha, cell.gamma);
  if (group == nullptr) throw unknown_group("the space group of the number " + text);
  if (has_two_origins(standard)) throw untold_origin("its number " + text, standard);
  const double longest = std::max({cell.a, cell.b, cell.c});
  const double slack = 1e-3 * longest * longest;  // of squares of lengths
  if (!cell.is_compatible_with_spacegroup(group, slack)) {
    throw std::runtime_error("the cell does not fit the standard setting of the space group of the number " + text +
                             ", " + group->xhm() +
                             "; allowed is its Hall symbol, or a loop of _space_group_symop_operation_xyz");
  }
  return *group;
}

/// Makes the cell's images those of the symmetry that the block states. The library has set those of the name.
void set_images(gemmi::SmallStructure& structure, const PlacedBlock& placed) {
  const std::vector<gemmi::Op> operations = listed_operations(placed);
  if (operations.empty()) {
    const Given hall = first_value(placed.block, {"_space_group_name_Hall", "_symmetry_space_group_name_Hall"});
    const Given number = first_value(placed.block, {"_space_group_IT_number", "_symmetry_Int_Tables_number"});
    const auto set = [&](const Given& given, const auto& group) {
      placed.in_line_of(given.tag, given.row, [&] { structure.cell.set_cell_images_from_spacegroup(&group()); });
    };
    if (!hall.text.empty()) {
      set(
          hall, [&]() -> auto& { return group_by_hall(hall.text); });
    } else if (!structure.spacegroup_hm.empty()) {
      const Given name = first_value(placed.block, {"_space_group_name_H-M_alt", "_symmetry_space_group_name_H-M"});
      const auto check = [&structure] { check_name(structure); };
      name.text.empty() ? check() : placed.in_line_of(name.tag, name.row, check);
    } else if (!number.text.empty()) {
      set(
          number, [&]() -> auto& { return group_by_number(number.text, structure.cell); });
    }
    return;
  }
  structure.cell.images.clear();
  for (const gemmi::Op& operation : operations) {
    if (operation == gemmi::Op::identity()) continue;
    const gemmi::Transform image{gemmi::rot_as_mat33(operation), gemmi::tran_as_vec3(operation)};
    structure.cell.images.emplace_back(image);
  }
}

/// Throws for lengths and angles of which no cell can be made, out of which the library makes one.
void check_cell(const gemmi::UnitCell& cell, const PlacedBlock& placed) {
  const auto check = [&placed](const char* tag, const char* what, double value, double most, const char* allowed) {
    if (value > 0 && value < most) return;
    const std::string message =
        std::string(what) + " of the cell is " + std::to_string(value) + "; allowed is a number " + allowed;
    placed.in_line_of(tag, 0, [&message] { throw std::runtime_error(message); });
  };
  constexpr double longest = 1e9;
  constexpr double straight = 180;
  const auto check_length = [&](const char* tag, double value) {
    check(tag, "a length", value, longest, "above 0, in Å");
  };
  const auto check_angle = [&](const char* tag, double value) {
    check(tag, "an angle", value, straight, "between 0 and 180, in degrees");
  };
  check_length("_cell_length_a", cell.a);
  check_length("_cell_length_b", cell.b);
  check_length("_cell_length_c", cell.c);
  check_angle("_cell_angle_alpha", cell.alpha);
  check_angle("_cell_angle_beta", cell.beta);
  check_angle("_cell_angle_gamma", cell.gamma);
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

struct CifDocument::Blocks {
  std::vector<gemmi::cif::Block> all;
  Rows rows;

  PlacedBlock placed(std::size_t number) { return {all[number], rows}; }
};

CifDocument::CifDocument(const std::string& text, const std::string& path) : blocks_(std::make_shared<Blocks>()) {
  PlacedDocument document = parsed(text, path);
  blocks_->rows = std::move(document.rows);
  if (document.blocks.empty()) throw std::runtime_error("holds no data block; expected is CIF or mmCIF");
  for (gemmi::cif::Block& block : document.blocks) {
    if (has_atoms(block)) blocks_->all.push_back(std::move(block));
  }
  if (blocks_->all.empty()) {
    throw std::runtime_error(
        "holds no atoms; expected is a loop of _atom_site, or of _atom_site_fract_x and others for a crystal");
  }
}

std::size_t CifDocument::size() const { return blocks_->all.size(); }

const std::string& CifDocument::name(std::size_t block) const { return blocks_->all[block].name; }

bool CifDocument::is_crystal(std::size_t block) const { return has_sites(blocks_->all[block]); }

gemmi::Structure CifDocument::structure(std::size_t block_number) const {
  const PlacedBlock placed = blocks_->placed(block_number);
  placed.check_values("_atom_site.type_symbol", [](const std::string& value) {
    const std::string symbol = gemmi::cif::as_string(value);
    if (is_element(symbol)) return;
    throw std::runtime_error("_atom_site.type_symbol is '" + symbol +
                             "'; allowed is the symbol of an element, such as C or CL");
  });
  placed.check_values("_atom_site.auth_seq_id", [](const std::string& value) {
    // The library wraps longer ones around.
    constexpr std::size_t most_digits = 9;
    if (value.size() <= most_digits) return;
    throw std::runtime_error("_atom_site.auth_seq_id is '" + value + "'; allowed is a number of up to 9 characters");
  });
  for (const char* axis : {"x", "y", "z"}) check_numbers(placed, std::string("_atom_site.Cartn_") + axis);
  gemmi::Structure structure = gemmi::make_structure_from_block(placed.block);
  if (structure.models.empty()) throw std::runtime_error("holds no atoms; expected is a loop of _atom_site");
  return structure;
}

Crystal CifDocument::crystal(std::size_t block_number) const {
  const PlacedBlock placed = blocks_->placed(block_number);
  gemmi::SmallStructure structure = gemmi::make_small_structure_from_block(placed.block);
  if (!structure.cell.is_crystal()) {
    throw std::runtime_error(
        "the cell is not given; allowed are _cell_length_a, b, c and _cell_angle_alpha, beta, gamma");
  }
  check_cell(structure.cell, placed);
  const int line_of_sites = placed.line("_atom_site_fract_x");
  if (structure.sites.empty())
    throw FaultInLine(line_of_sites, "the loop of sites has no _atom_site_label, by which they are told");
  for (const char* axis : {"x", "y", "z"}) {
    const std::string tag = std::string("_atom_site_fract_") + axis;
    // The library takes 0 for one that is not there.
    if (!placed.block.has_tag(tag)) throw FaultInLine(line_of_sites, "the sites have no " + tag);
    check_numbers(placed, tag);
  }
  // The library takes 1 for what is no number.
  placed.check_values("_atom_site_occupancy", [](const std::string& value) {
    if (gemmi::cif::is_null(value) || std::isfinite(gemmi::cif::as_number(value))) return;
    throw std::runtime_error("_atom_site_occupancy is '" + gemmi::cif::as_string(value) +
                             "'; allowed is a number, or ? or . for 1");
  });
  for (std::size_t row = 0; row < structure.sites.size(); ++row) {
    placed.in_line_of("_atom_site_label", row, [&] { check_site(structure.sites[row]); });
  }
  set_images(structure, placed);
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

}  // namespace octile::app
