// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/QueryAtom.h>
#include <GraphMol/QueryBond.h>
#include <GraphMol/RWMol.h>
#include <RDGeneral/Invariant.h>
#include <fmt/format.h>

#include "readers/formats.hpp"
#include "readers/molecule_graph.hpp"
#include "readers/rdkit_log.hpp"
#include "readers/target.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

/// A data item.
struct Item {
  std::string value;      ///< its first line
  std::size_t lines = 0;  ///< of the value
  std::size_t times = 0;  ///< that it is given
};

/// A record, and the only one of a MOL file:
///
///     title
///     program
///     comment
///     counts, atoms and bonds (V2000), or blocks of them (V3000)
///     M  END
///     > <name>        data items: the value is on the lines up to a blank one
///     value
///
///     $$$$
struct Record {
  std::size_t first_line = 0;
  std::string title;
  std::string molecule;  ///< all up to "M  END", for RDKit
  bool ends = false;     ///< whether "M  END" is there
  std::map<std::string, Item, std::less<>> items;
};

/// The name in "> <name>", where other words may stand before and behind; nothing for a line that begins no item.
std::optional<std::string> item_name(std::string_view line) {
  const std::size_t begin = line.find('<');
  const std::size_t end = line.rfind('>');
  if (!line.starts_with('>') || begin == std::string_view::npos || end < begin) return std::nullopt;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

/// Cuts the line off a message of RDKit's ("... on line 5", "... at line 5"), which counts it from the molecule's first. That line; the
/// first where the message has none.
std::size_t take_line(std::string& message) {
  for (const std::string_view words : {" on line", " at line"}) {
    const std::size_t place = message.rfind(words);
    if (place == std::string::npos) continue;
    const std::string_view digits = trimmed(std::string_view(message).substr(place + words.size()));
    std::size_t line = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (fault != std::errc() || line == 0) continue;
    message.resize(place);
    return line;
  }
  return 1;
}

/// The line, from 1, of an atom that V3000 describes by a list of elements, such as [N,O]; 0 if there is none. RDKit's parser crashes on
/// an empty one.
std::size_t line_of_list(std::string_view molecule) {
  bool atoms = false;
  for (std::size_t number = 1; !molecule.empty(); ++number) {
    const std::string_view line = molecule.substr(0, molecule.find('\n'));
    molecule.remove_prefix(std::min(line.size() + 1, molecule.size()));
    if (!line.starts_with("M  V30")) continue;
    if (line.find("BEGIN") != std::string_view::npos) atoms = line.find("ATOM") != std::string_view::npos;
    if (atoms && line.find('[') != std::string_view::npos) return number;
  }
  return 0;
}

/// Whether a query leaves the element open: a list, a class such as A or Q, or all but some. Others are about hydrogens and neighbours.
bool leaves_element_open(const RDKit::Atom::QUERYATOM_QUERY& query) {
  if (query.getNegation() || query.getDescription() == "AtomOr" || !query.getTypeLabel().empty()) return true;
  return std::any_of(query.beginChildren(), query.endChildren(),
                     [](const auto& child) { return leaves_element_open(*child); });
}

/// Throws `Error` for an atom or a bond that may be one of several: it is no molecule but a pattern.
void require_molecule(const RDKit::RWMol& molecule) {
  for (const RDKit::Atom* const atom : molecule.atoms()) {
    if (!atom->hasQuery() || !leaves_element_open(*atom->getQuery())) continue;
    throw Error(fmt::format("is a pattern: atom {} is one of several elements; allowed is one", atom->getIdx() + 1));
  }
  for (const RDKit::Bond* const bond : molecule.bonds()) {
    if (!bond->hasQuery()) continue;
    throw Error(fmt::format("is a pattern: the bond of atoms {} and {} is of one of several orders; allowed is one",
                            bond->getBeginAtomIdx() + 1, bond->getEndAtomIdx() + 1));
  }
}

class SdfRecords {
 public:
  SdfRecords(const std::string& path, const ReadOptions& options)
      : file_(path), base_(file_name(path)), columns_(options.columns), convert_(options.molecules) {}

  std::optional<ReadGraph> next() {
    std::optional<Record> record = read_record();
    if (!record) return std::nullopt;
    ++number_;
    if (!record->ends) throw refused(*record, "has no line 'M  END', with which a molecule ends");
    try {
      return ReadGraph{graph_of(*record), record->first_line};
    } catch (const RefusedGraph&) {
      throw;
    } catch (const Error& error) {
      throw refused(*record, error.what());
    }
  }

 private:
  std::optional<Record> read_record();
  Graph graph_of(const Record& record);
  std::unique_ptr<RDKit::RWMol> molecule_of(const Record& record);
  /// Null for what RDKit makes no molecule of, for this reason.
  std::unique_ptr<RDKit::RWMol> made(const Record& record, std::string& reason);
  static const std::string& item(const Record& record, const std::string& name, std::string_view option);

  RefusedGraph refused(const Record& record, std::string_view what, std::size_t line = 1) const {
    return RefusedGraph(
        fmt::format("{}:{}: molecule {} {}", file_.path(), record.first_line + line - 1, number_, what));
  }

  TextFile file_;
  std::string base_;
  Columns columns_;
  MoleculeGraphs convert_;
  RdkitLog log_;
  std::size_t number_ = 0;  ///< of the last record, from 1
};

std::optional<Record> SdfRecords::read_record() {
  constexpr std::string_view end_of_record = "$$$$";
  Record record;
  record.first_line = file_.line_number() + 1;
  bool blank = true;
  bool whole = false;
  std::optional<std::string> item;
  for (std::string line; !whole && file_.next(line);) {
    whole = line.starts_with(end_of_record);
    if (whole) break;
    blank = blank && trimmed(line).empty();
    if (file_.line_number() == record.first_line) record.title = std::string(trimmed(line));
    if (!record.ends) {
      record.ends = line.starts_with("M  END");
      record.molecule += line += '\n';
      continue;
    }
    if (const auto begun = item_name(line)) {
      item = begun;
      ++record.items[*item].times;
    } else if (trimmed(line).empty()) {
      item.reset();
    } else if (item) {
      Item& its = record.items[*item];
      if (its.lines++ == 0) its.value = std::string(trimmed(line));
    }
  }
  // Blank lines may follow the last record.
  if (blank && !whole) return std::nullopt;
  return record;
}

std::unique_ptr<RDKit::RWMol> SdfRecords::molecule_of(const Record& record) {
  if (const std::size_t line = line_of_list(record.molecule); line > 0) {
    throw refused(record, "is a pattern: an atom is one of a list of elements; allowed is one", line);
  }
  std::string reason;
  if (std::unique_ptr<RDKit::RWMol> molecule = made(record, reason)) return molecule;
  // What fails once and not again lacked memory, which a stream takes for the end of the text.
  if (made(record, reason) || lacks_memory(reason)) throw std::bad_alloc();
  reason = trimmed(reason.substr(0, reason.find('\n')));
  const std::size_t line = take_line(reason);
  throw refused(record, fmt::format("is not valid: {}", reason), line);
}

std::unique_ptr<RDKit::RWMol> SdfRecords::made(const Record& record, std::string& reason) {
  log_.clear();
  try {
    std::unique_ptr<RDKit::RWMol> molecule(RDKit::MolBlockToMol(record.molecule));
    if (molecule && molecule->getNumAtoms() > 0) {
      require_molecule(*molecule);
      return molecule;
    }
    reason = molecule ? "no atoms" : log_.reason();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const Invar::Invariant& error) {
    reason = fmt::format("it names an atom that it lacks, or the like (RDKit: {})", error.what());
  } catch (const std::exception& error) {
    reason = error.what();
  }
  return nullptr;
}

const std::string& SdfRecords::item(const Record& record, const std::string& name, std::string_view option) {
  const auto found = record.items.find(name);
  if (found != record.items.end()) {
    const Item& one = found->second;
    if (one.times == 1 && one.lines <= 1) return one.value;
    throw Error(
        fmt::format("has the data item '{}', which {} names, {}; allowed is one line, once", name, option,
                    one.times > 1 ? counted(one.times, "time") : fmt::format("of {}", counted(one.lines, "line"))));
  }
  std::string names;
  for (const auto& [known, value] : record.items) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", known);
  throw Error(fmt::format("has no data item '{}', which {} names; allowed are {}", name, option,
                          names.empty() ? "none: it has no items" : names));
}

Graph SdfRecords::graph_of(const Record& record) {
  const std::string& title = columns_.name.empty() ? record.title : item(record, columns_.name, "--name-column");
  Graph graph = convert_(*molecule_of(record), title.empty() ? fmt::format("{}:{}", base_, number_) : title);
  std::map<std::string, double> targets;
  for (const std::string& target : columns_.targets) {
    if (const auto value = target_value(target, item(record, target, "--target-column"))) {
      targets.emplace(target, *value);
    }
  }
  graph.set_targets(std::move(targets));
  return graph;
}

}  // namespace

GraphReader sdf_reader(const std::string& path, const ReadOptions& options) {
  const auto records = std::make_shared<SdfRecords>(path, options);
  return [records] { return records->next(); };
}

}  // namespace octile::app
