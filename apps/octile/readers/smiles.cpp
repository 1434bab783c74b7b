// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <sstream>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#include <RDGeneral/RDLog.h>
#include <RDGeneral/types.h>
#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/molecule.hpp"
#include "readers/read.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Redirects RDKit's messages into a string during its lifetime. RDKit reports some
/// faults only in its log, which is not part of this program's output.
class RdkitLog {
 public:
  RdkitLog() : error_(rdErrorLog), warning_(rdWarningLog), info_(rdInfoLog) {
    rdErrorLog = std::make_shared<boost::logging::rdLogger>(&stream_);
    rdWarningLog = nullptr;
    rdInfoLog = nullptr;
  }
  RdkitLog(const RdkitLog&) = delete;
  RdkitLog& operator=(const RdkitLog&) = delete;
  ~RdkitLog() {
    rdErrorLog = error_;
    rdWarningLog = warning_;
    rdInfoLog = info_;
  }

  void clear() { stream_.str({}); }

  /// The first line of the log, without RDKit's "[12:00:00] " and its own heading.
  std::string reason() const {
    const std::string all = stream_.str();
    std::string_view line = trimmed(std::string_view(all).substr(0, all.find('\n')));
    if (line.starts_with('[')) line = trimmed(line.substr(std::min(line.find(']'), line.size() - 1) + 1));
    constexpr std::string_view heading = "SMILES Parse Error: ";
    if (line.starts_with(heading)) line.remove_prefix(heading.size());
    return line.empty() ? "no molecule" : std::string(line);
  }

 private:
  std::ostringstream stream_;
  RDLogger error_;
  RDLogger warning_;
  RDLogger info_;
};

std::unique_ptr<RDKit::RWMol> parse_molecule(const std::string& smiles, RdkitLog& log) {
  log.clear();
  std::string reason;
  try {
    std::unique_ptr<RDKit::RWMol> molecule = molecule_of_smiles(smiles);
    if (molecule && molecule->getNumAtoms() > 0) return molecule;
    reason = molecule ? "no atoms" : log.reason();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  throw Error(fmt::format("{} is not a valid SMILES: {}", in_quotes(smiles), reason));
}

std::string hybridization_name(RDKit::Atom::HybridizationType hybridization) {
  switch (hybridization) {
    case RDKit::Atom::S: return "S";
    case RDKit::Atom::SP: return "SP";
    case RDKit::Atom::SP2: return "SP2";
    case RDKit::Atom::SP3: return "SP3";
    case RDKit::Atom::SP2D: return "SP2D";
    case RDKit::Atom::SP3D: return "SP3D";
    case RDKit::Atom::SP3D2: return "SP3D2";
    default: return "none";
  }
}

std::string stereo_name(RDKit::Bond::BondStereo stereo) {
  switch (stereo) {
    case RDKit::Bond::STEREOANY: return "any";
    case RDKit::Bond::STEREOZ: return "Z";
    case RDKit::Bond::STEREOE: return "E";
    case RDKit::Bond::STEREOCIS: return "cis";
    case RDKit::Bond::STEREOTRANS: return "trans";
    default: return "none";
  }
}

LabelColumns atom_labels(const RDKit::ROMol& molecule) {
  std::vector<std::string> element, hybridization, chirality;
  std::vector<std::int64_t> atomic_number, charge, hydrogens, aromatic, in_ring;
  for (const RDKit::Atom* atom : molecule.atoms()) {
    element.push_back(atom->getSymbol());
    hybridization.push_back(hybridization_name(atom->getHybridization()));
    // R or S. Unlike RDKit's own tag this does not depend on the order of the atoms.
    std::string code;
    chirality.push_back(atom->getPropIfPresent(RDKit::common_properties::_CIPCode, code) ? code : "none");
    atomic_number.push_back(atom->getAtomicNum());
    charge.push_back(atom->getFormalCharge());
    hydrogens.push_back(atom->getTotalNumHs());
    aromatic.push_back(atom->getIsAromatic() ? 1 : 0);
    in_ring.push_back(molecule.getRingInfo()->numAtomRings(atom->getIdx()) > 0 ? 1 : 0);
  }
  std::vector<RealList> ring_sizes(molecule.getNumAtoms());
  for (const auto& ring : molecule.getRingInfo()->atomRings()) {
    for (const int atom : ring) ring_sizes[static_cast<std::size_t>(atom)].push_back(static_cast<double>(ring.size()));
  }
  // A vertex kernel cannot compare an empty list (its value would be 0), so an atom in no ring has the one
  // size 0.
  for (RealList& sizes : ring_sizes) {
    if (sizes.empty()) sizes.push_back(0);
  }
  LabelColumns labels;
  labels.emplace("element", std::move(element));
  labels.emplace("hybridization", std::move(hybridization));
  labels.emplace("chirality", std::move(chirality));
  labels.emplace("atomic_number", std::move(atomic_number));
  labels.emplace("charge", std::move(charge));
  labels.emplace("hydrogens", std::move(hydrogens));
  labels.emplace("aromatic", std::move(aromatic));
  labels.emplace("in_ring", std::move(in_ring));
  labels.emplace("ring_sizes", std::move(ring_sizes));
  return labels;
}

LabelColumns bond_labels(const RDKit::ROMol& molecule) {
  std::vector<double> order;
  std::vector<std::int64_t> conjugated, in_ring;
  std::vector<std::string> stereo;
  for (const RDKit::Bond* bond : molecule.bonds()) {
    order.push_back(bond->getBondTypeAsDouble());
    conjugated.push_back(bond->getIsConjugated() ? 1 : 0);
    in_ring.push_back(molecule.getRingInfo()->numBondRings(bond->getIdx()) > 0 ? 1 : 0);
    stereo.push_back(stereo_name(bond->getStereo()));
  }
  LabelColumns labels;
  labels.emplace("order", std::move(order));
  labels.emplace("conjugated", std::move(conjugated));
  labels.emplace("in_ring", std::move(in_ring));
  labels.emplace("stereo", std::move(stereo));
  return labels;
}

Graph graph_of(const RDKit::ROMol& molecule, std::string name) {
  std::vector<Edge> edges;
  edges.reserve(molecule.getNumBonds());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    edges.push_back(
        {static_cast<std::int32_t>(bond->getBeginAtomIdx()), static_cast<std::int32_t>(bond->getEndAtomIdx()), 1.0});
  }
  return Graph::from_edges(std::move(name), static_cast<std::int32_t>(molecule.getNumAtoms()), std::move(edges),
                           atom_labels(molecule), bond_labels(molecule));
}

}  // namespace

LineParser smiles_parser() {
  auto log = std::make_shared<RdkitLog>();
  return [log](std::string_view line, const std::string& default_name) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view name = trimmed(line.substr(end));
    const std::unique_ptr<RDKit::RWMol> molecule = parse_molecule(std::string(line.substr(0, end)), *log);
    return graph_of(*molecule, name.empty() ? default_name : std::string(name));
  };
}

}  // namespace octile::app
