// SPDX-License-Identifier: BSD-3-Clause
#include "readers/smiles.hpp"

#include <algorithm>
#include <memory>
#include <new>
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

std::unique_ptr<RDKit::RWMol> parse_molecule(const std::string& smiles, std::size_t max_atoms, RdkitLog& log) {
  log.clear();
  std::string reason;
  try {
    std::unique_ptr<RDKit::RWMol> molecule = molecule_of_smiles(smiles, max_atoms);
    if (molecule && molecule->getNumAtoms() > 0) return molecule;
    reason = molecule ? "no atoms" : log.reason();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // of memory, not of the text, which may be right
  } catch (const std::exception& error) {
    reason = error.what();
  }
  throw Error(fmt::format("{} is not a valid SMILES: {}", in_quotes(smiles), reason));
}

}  // namespace

MoleculeParser molecule_parser(std::size_t max_atoms, const MoleculeOptions& options) {
  auto log = std::make_shared<RdkitLog>();
  return [log, max_atoms, convert = MoleculeGraphs(options)](const std::string& smiles, std::string name) {
    return convert(*parse_molecule(smiles, max_atoms, *log), std::move(name));
  };
}

LineParser smiles_parser(std::size_t max_atoms, const MoleculeOptions& options) {
  return [parse = molecule_parser(max_atoms, options)](std::string_view line, const std::string& default_name) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    std::string_view name = line.substr(end);
    // In a line with a tab there, a further column may follow.
    if (name.starts_with('\t')) name = name.substr(1, name.find('\t', 1) - 1);
    name = trimmed(name);
    return parse(std::string(line.substr(0, end)), name.empty() ? default_name : std::string(name));
  };
}

bool is_smiles_header(std::string_view line) {
  return lower_case(line.substr(0, line.find_first_of(" \t"))).find("smiles") != std::string::npos;
}

}  // namespace octile::app
