// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <gemmi/pdb.hpp>

#include "readers/formats.hpp"
#include "readers/heavy_atoms.hpp"
#include "readers/one_graph.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// A column of the format, by its first character (from 0) and its width.
struct Field {
  std::size_t begin;
  std::size_t width;

  std::string_view of(std::string_view line) const {
    return begin < line.size() ? trimmed(line.substr(begin, width)) : std::string_view();
  }
};

constexpr std::array coordinate_fields = {Field{30, 8}, Field{38, 8}, Field{46, 8}};
constexpr std::size_t record_width = 54;  // to the end of the coordinates
constexpr Field name_field = {12, 4};
constexpr Field element_field = {76, 2};
/// The symbol of an unknown element.
constexpr std::string_view unknown_element = "X";

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](char byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; });
}

gemmi::El element_by_name(std::string_view line) {
  const gemmi::Structure alone = gemmi::read_pdb_string(std::string(line) + '\n', "");
  return alone.models.front().chains.front().residues.front().atoms.front().element;
}

/// Refuses coordinates that are no numbers and symbols that are no elements. gemmi would take them for 0 and for an unknown element.
void check_atom(std::string_view line) {
  if (line.size() < record_width) {
    throw Error(fmt::format("the record of an atom has {}; allowed are {} or more", counted(line.size(), "column"),
                            record_width));
  }
  for (std::size_t axis = 0; axis < coordinate_fields.size(); ++axis) {
    const Field& field = coordinate_fields[axis];
    if (is_number(field.of(line))) continue;
    throw Error(fmt::format("columns {} to {} hold {} as the coordinate {}; allowed is a finite number in Å",
                            field.begin + 1, field.begin + field.width, in_quotes(field.of(line)), "xyz"[axis]));
  }
  const std::string_view element = element_field.of(line);
  if (element == unknown_element || atomic_number_of(element)) return;
  // In old files only the atom's name tells the element; gemmi knows how.
  if (!has_letter(element) && element_by_name(line) != gemmi::El::X) return;
  throw Error(
      fmt::format("the element is {} in columns 77 and 78, and the atom {} in 13 to 16; allowed is a symbol in the "
                  "former, such as C or CL",
                  in_quotes(element), in_quotes(name_field.of(line))));
}

/// The first model's records of atoms and ends of chains, for gemmi. All other lines are left blank, so that gemmi's
/// line numbers are those of the file.
std::string first_model(TextFile& file) {
  std::string records;
  bool has_atoms = false;
  for (std::string line; file.next(line);) {
    const std::string_view record = Field{0, 6}.of(line);
    if (record == "END" || (record == "ENDMDL" && has_atoms)) break;
    const bool is_atom = record == "ATOM" || record == "HETATM";
    if (is_atom) {
      try {
        check_atom(line);
      } catch (const Error& error) {
        throw RefusedGraph(fmt::format("{}: {}", file.place(), error.what()));
      }
    }
    has_atoms = has_atoms || is_atom;
    // The charge after the element is cut off: it is not used, and gemmi refuses charges that it cannot read.
    if (is_atom || record == "TER") records += line.substr(0, element_field.begin + element_field.width);
    records += '\n';
  }
  return records;
}

}  // namespace

GraphReader pdb_reader(const std::string& path, const SpatialRule& rule) {
  return one_graph(path, rule, [path](TextFile& file) {
    const std::string records = first_model(file);
    return heavy_atoms(gemmi::read_pdb_string(records, path).models.front());
  });
}

}  // namespace octile::app
