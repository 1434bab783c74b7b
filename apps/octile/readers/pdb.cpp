// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
constexpr Field residue_number_field = {22, 4};
constexpr Field occupancy_field = {54, 6};
constexpr Field element_field = {76, 2};
/// The symbol of an unknown element.
constexpr std::string_view unknown_element = "X";

/// The records of the format, and of what its users have added, that may hold numbers with a point but hold no atom.
constexpr std::array other_records = std::to_array<std::string_view>(
    {"ANISOU", "AUTHOR", "CAVEAT", "CISPEP", "COMPND", "CONECT", "CRYST1", "DBREF",  "DBREF1", "DBREF2",
     "END",    "ENDMDL", "EXPDTA", "FORMUL", "FTNOTE", "HEADER", "HELIX",  "HET",    "HETNAM", "HETSYN",
     "HYDBND", "JRNL",   "KEYWDS", "LINK",   "LINKR",  "MASTER", "MDLTYP", "MODEL",  "MODRES", "MTRIX1",
     "MTRIX2", "MTRIX3", "NUMMDL", "OBSLTE", "ORIGX1", "ORIGX2", "ORIGX3", "REMARK", "REVDAT", "SCALE1",
     "SCALE2", "SCALE3", "SEQADV", "SEQRES", "SHEET",  "SIGATM", "SIGUIJ", "SITE",   "SLTBRG", "SOURCE",
     "SPLIT",  "SPRSDE", "SSBOND", "TER",    "TITLE",  "TURN",   "TVECT",  "USER"});

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](char byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; });
}

/// Atoms with numbers of six and seven digits write them up to the record's name.
bool is_atom(std::string_view line) {
  if (line.starts_with("HETATM")) return true;
  const std::string_view rest = line.substr(0, 6);
  return rest.starts_with("ATOM") && rest.substr(4).find_first_not_of(" 0123456789") == std::string_view::npos;
}

/// Whether a line that is no record of an atom looks like one: as far as anybody can see it says "atom", or it is no record of the
/// format and has three numbers with a point, as coordinates are. Such a line was meant to be read.
bool looks_like_atom(std::string_view line) {
  const std::string start = lower_case(trimmed(line).substr(0, 6));
  if (start.starts_with("hetatm") || start == "atom") return true;
  if (start.starts_with("atom") && !has_letter(std::string_view(start).substr(4))) return true;
  if (std::ranges::find(other_records, Field{0, 6}.of(line)) != other_records.end()) return false;
  int reals = 0;
  for (std::string_view rest = trimmed(line); !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (word.find('.') != std::string_view::npos && finite_number(word)) ++reals;
    rest = trimmed(rest.substr(word.size()));
  }
  return reals >= 3;
}

gemmi::El element_by_name(std::string_view line) {
  const gemmi::Structure alone = gemmi::read_pdb_string(std::string(line) + '\n', "");
  if (alone.models.empty()) throw Error("the record of an atom cannot be read");
  return alone.models.front().chains.front().residues.front().atoms.front().element;
}

/// Digits with a sign and a point alone: gemmi stops at anything else, such as an exponent, and takes what stood before it.
bool is_plain_number(std::string_view text) {
  return text.find_first_not_of("+-.0123456789") == std::string_view::npos && finite_number(text).has_value();
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The columns (from 0) of the points of the coordinates; nothing where one has none.
std::optional<std::array<std::size_t, 3>> points_of(std::string_view line) {
  std::array<std::size_t, 3> points = {};
  for (std::size_t axis = 0; axis < points.size(); ++axis) {
    const Field& field = coordinate_fields[axis];
    points[axis] = line.substr(0, field.begin + field.width).find('.', field.begin);
    if (points[axis] == std::string_view::npos) return std::nullopt;
  }
  return points;
}

/// Finds lines that are shifted where all numbers still fall into their columns, but names do not.
class Alignment {
 public:
  /// Throws `Error` for an atom whose coordinates are all shifted by as many columns against those of the first.
  void check(std::string_view line, std::size_t number) {
    const auto points = points_of(line);
    if (!points) return;
    if (!first_) {
      first_ = points;
      line_ = number;
    }
    const std::size_t shift = (*points)[0] - (*first_)[0];
    if (shift == 0 || (*points)[1] - (*first_)[1] != shift || (*points)[2] - (*first_)[2] != shift) return;
    throw Error(
        fmt::format("the record of an atom is shifted against that in line {}; allowed are equal columns", line_));
  }

 private:
  std::optional<std::array<std::size_t, 3>> first_;
  std::size_t line_ = 0;
};

/// Refuses what gemmi would read otherwise than it stands there: coordinates that are no numbers or are cut, and symbols that are
/// no elements, which it would take for 0, for other numbers, and for an unknown element.
void check_atom(std::string_view line) {
  if (line.size() < record_width) {
    throw Error(fmt::format("the record of an atom has {}; allowed are {} or more", counted(line.size(), "column"),
                            record_width));
  }
  if (line.find('\t') != std::string_view::npos) {
    throw Error("the record of an atom holds a tab; allowed are blanks, as its columns are counted");
  }
  for (std::size_t axis = 0; axis < coordinate_fields.size(); ++axis) {
    const Field& field = coordinate_fields[axis];
    if (is_plain_number(field.of(line))) continue;
    throw Error(fmt::format(
        "columns {} to {} hold {} as the coordinate {}; allowed is a finite number in Å, without an exponent",
        field.begin + 1, field.begin + field.width, in_quotes(field.of(line)), "xyz"[axis]));
  }
  // Beyond 9999 they begin with a letter.
  const std::string_view number = residue_number_field.of(line);
  if (!number.empty() && !has_letter(number.substr(0, 1)) && !is_whole_number(number)) {
    throw Error(
        fmt::format("columns 23 to 26 hold {} as the number of the residue; allowed is a whole number, or blanks",
                    in_quotes(number)));
  }
  // Shifted by a column, the last digit of z is in front of the occupancy.
  const std::string_view occupancy = occupancy_field.of(line);
  if (!occupancy.empty() && !finite_number(occupancy)) {
    throw Error(
        fmt::format("columns 55 to 60 hold {} as the occupancy; allowed is a number, or blanks; is the line shifted?",
                    in_quotes(occupancy)));
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

/// One model's records of atoms and ends of chains, for gemmi.
struct Records {
  std::string text;  ///< all other lines are left blank, so that gemmi's line numbers are those of the file
  std::size_t atoms = 0;
  std::size_t models = 0;  ///< up to this one
};

/// The records of the model that is chosen. Of those before it only where they end is read.
Records chosen_model(TextFile& file, std::size_t chosen) {
  Records records;
  Alignment alignment;
  std::size_t in_model = 0;
  std::size_t ended = 0;
  std::size_t end = 0;  // the line of END
  const auto refused = [&file](std::string_view what) {
    return RefusedGraph(fmt::format("{}: {}", file.place(), what));
  };
  for (std::string line; file.next(line);) {
    const std::string_view record = Field{0, 6}.of(line);
    if (record == "ENDMDL" && records.atoms > 0) break;
    if (end > 0 && is_atom(line)) {
      throw refused(fmt::format("an atom follows END in line {}; allowed are MODEL and ENDMDL around models", end));
    }
    if (end == 0 && record == "END") end = file.line_number();
    if (end > 0) continue;
    if (record == "MODEL" && in_model > 0) {
      throw refused("a model begins before the one before it has ended; allowed is ENDMDL at its end");
    }
    if (is_atom(line) && in_model++ == 0) ++records.models;
    if (record == "ENDMDL" && in_model > 0) {
      in_model = 0;
      ++ended;
    }
    if (ended + 1 < chosen) {
      records.text += '\n';
      continue;
    }
    if (is_atom(line)) {
      try {
        check_atom(line);
        alignment.check(line, file.line_number());
      } catch (const Error& error) {
        throw refused(error.what());
      }
      ++records.atoms;
    } else if (looks_like_atom(line)) {
      throw refused(
          fmt::format("{} is no record of an atom, but looks like one; allowed is ATOM or HETATM in columns 1 to 6",
                      in_quotes(line)));
    }
    // The charge after the element is cut off: it is not used, and gemmi refuses charges that it cannot read.
    if (is_atom(line) || record == "TER") records.text += line.substr(0, element_field.begin + element_field.width);
    records.text += '\n';
  }
  return records;
}

std::size_t count_atoms(const gemmi::Model& model) {
  std::size_t count = 0;
  for (const gemmi::Chain& chain : model.chains) {
    for (const gemmi::Residue& residue : chain.residues) count += residue.atoms.size();
  }
  return count;
}

}  // namespace

GraphReader pdb_reader(const std::string& path, const ReadOptions& options) {
  return one_graph(path, options, [path, choice = options.atoms](TextFile& file) {
    const Records records = chosen_model(file, choice.model());
    check_model(records.models, choice);
    const gemmi::Structure structure = gemmi::read_pdb_string(records.text, path);
    if (structure.models.empty())
      throw Error("holds no heavy atom, as it has no record ATOM or HETATM; allowed is one or more");
    const gemmi::Model& model = structure.models.front();
    if (structure.models.size() != 1 || count_atoms(model) != records.atoms) {
      throw Error(fmt::format("has {}, of which {} could be read",
                              counted(records.atoms, "record of an atom", "records of atoms"), count_atoms(model)));
    }
    return heavy_atoms(model, choice);
  });
}

}  // namespace octile::app
