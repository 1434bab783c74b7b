// SPDX-License-Identifier: BSD-3-Clause
#include "readers/smiles.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/molecule.hpp"
#include "readers/molecule_graph.hpp"
#include "readers/rdkit_log.hpp"
#include "readers/read.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Parses SMILES in several threads at once.
class SmilesParser {
 public:
  SmilesParser(std::size_t max_atoms, const MoleculeOptions& options) : max_atoms_(max_atoms), convert_(options) {
    log_.keep(false);
  }

  Graph parse(const std::string& smiles, const std::string& name) {
    {
      const std::shared_lock lock(calls_);
      std::string reason;
      if (std::optional<Graph> graph = made(smiles, name, reason)) return *std::move(graph);
    }
    throw Error(fmt::format("{} is not a valid SMILES: {}", in_quotes(smiles), fault(smiles, name)));
  }

 private:
  /// Nothing for what RDKit makes no molecule of, for this reason, which is empty where its log has it.
  std::optional<Graph> made(const std::string& smiles, const std::string& name, std::string& reason) const {
    try {
      const std::unique_ptr<RDKit::RWMol> molecule = molecule_of_smiles(smiles, max_atoms_);
      if (molecule && molecule->getNumAtoms() > 0) return convert_(*molecule, name);
      if (molecule) reason = "no atoms";
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;  // of memory, not of the text, which may be right
    } catch (const std::exception& error) {
      reason = error.what();
    }
    return std::nullopt;
  }

  /// Why RDKit makes no molecule of a SMILES. Throws `std::bad_alloc` where that was for want of memory, of which its parser speaks in other
  /// ways: where it makes one now, or says so.
  std::string fault(const std::string& smiles, const std::string& name) {
    const std::unique_lock lock(calls_);
    const RdkitLog::Kept kept(log_);
    std::string reason;
    if (made(smiles, name, reason)) throw std::bad_alloc();
    if (reason.empty()) reason = log_.reason();
    if (lacks_memory(reason)) throw std::bad_alloc();
    return reason;
  }

  std::size_t max_atoms_;
  MoleculeGraphs convert_;
  RdkitLog log_;
  std::shared_mutex calls_;  ///< of RDKit: shared while its log is silent
};

/// Where a line's SMILES ends: before a blank or another separator. No SMILES has a comma or a semicolon. In patterns, which are
/// refused, they stand in brackets: nothing is cut off there.
std::size_t end_of_smiles(std::string_view line) {
  bool in_brackets = false;
  for (std::size_t end = 0; end < line.size(); ++end) {
    const char byte = line[end];
    if (byte == ' ' || byte == '\t') return end;
    if ((byte == ',' || byte == ';') && !in_brackets && end > 0) return end;
    in_brackets = byte == '[' || (in_brackets && byte != ']');
  }
  return line.size();
}

}  // namespace

MoleculeParser molecule_parser(std::size_t max_atoms, const MoleculeOptions& options) {
  return [parser = std::make_shared<SmilesParser>(max_atoms, options)](
             const std::string& smiles, const std::string& name) { return parser->parse(smiles, name); };
}

LineParser smiles_parser(std::size_t max_atoms, const MoleculeOptions& options) {
  return [parse = molecule_parser(max_atoms, options)](std::string_view line, const std::string& default_name) {
    const std::size_t end = end_of_smiles(line);
    std::string_view name = line.substr(end);
    // In a line with another separator than a blank there, a further column may follow.
    if (!name.empty() && name.front() != ' ') name = name.substr(1, name.find(name.front(), 1) - 1);
    name = trimmed(name);
    return parse(std::string(line.substr(0, end)), name.empty() ? default_name : std::string(name));
  };
}

bool is_smiles_header(std::string_view line) {
  return lower_case(line.substr(0, line.find_first_of(" \t,;"))).find("smiles") != std::string::npos;
}

}  // namespace octile::app
