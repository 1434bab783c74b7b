// SPDX-License-Identifier: BSD-3-Clause
#include "readers/atom_surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/ROMol.h>
#include <GraphMol/RingInfo.h>

namespace octile::app {
namespace {

/// What is joined to an atom: by which type of bond, and to which atom.
struct BoundAtom {
  int bond_type;
  std::size_t atom;
};

std::vector<std::vector<BoundAtom>> neighbors_of(const RDKit::ROMol& molecule) {
  std::vector<std::vector<BoundAtom>> neighbors(molecule.getNumAtoms());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    const auto type = static_cast<int>(bond->getBondType());
    const std::size_t one = bond->getBeginAtomIdx();
    const std::size_t other = bond->getEndAtomIdx();
    neighbors[one].push_back({type, other});
    neighbors[other].push_back({type, one});
  }
  return neighbors;
}

/// Mixes a value into a hash: every bit of the result depends on all bits of both.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t bits = (hash + 0x9E3779B97F4A7C15U) ^ (value * 0xD6E8FEB86659FD93U);
  for (const int shift : {32, 29, 32}) bits = (bits ^ (bits >> static_cast<unsigned>(shift))) * 0xD6E8FEB86659FD93U;
  return bits ^ (bits >> 32U);
}

std::uint64_t hash_of(const RDKit::Atom& atom, const RDKit::ROMol& molecule) {
  const double shift =
      atom.getMass() - RDKit::PeriodicTable::getTable()->getAtomicWeight(static_cast<unsigned>(atom.getAtomicNum()));
  std::uint64_t hash = 0;
  for (const auto value :
       {static_cast<std::int64_t>(atom.getAtomicNum()), static_cast<std::int64_t>(std::trunc(shift)),
        static_cast<std::int64_t>(atom.getFormalCharge()), static_cast<std::int64_t>(atom.getTotalDegree()),
        static_cast<std::int64_t>(atom.getTotalNumHs(true)),
        static_cast<std::int64_t>(molecule.getRingInfo()->numAtomRings(atom.getIdx()) > 0)}) {
    hash = mixed(hash, static_cast<std::uint64_t>(value));
  }
  return hash;
}

/// The elements of the atoms `distance` bonds away from each atom, sorted.
std::vector<TextList> sorted_elements(const RDKit::ROMol& molecule, int distance) {
  const std::vector<std::vector<BoundAtom>> neighbors = neighbors_of(molecule);
  std::vector<TextList> elements(neighbors.size());
  std::vector<std::size_t> seen_from(neighbors.size(), neighbors.size());
  for (std::size_t atom = 0; atom < neighbors.size(); ++atom) {
    std::vector<std::size_t> shell = {atom};
    seen_from[atom] = atom;
    for (int step = 0; step < distance; ++step) {
      std::vector<std::size_t> next;
      for (const std::size_t here : shell) {
        for (const BoundAtom& joined : neighbors[here]) {
          if (std::exchange(seen_from[joined.atom], atom) != atom) next.push_back(joined.atom);
        }
      }
      shell = std::move(next);
    }
    for (const std::size_t there : shell) {
      elements[atom].push_back(molecule.getAtomWithIdx(static_cast<unsigned>(there))->getSymbol());
    }
    std::ranges::sort(elements[atom]);
  }
  return elements;
}

}  // namespace

std::vector<std::int64_t> morgan_hashes(const RDKit::ROMol& molecule, int radius) {
  std::vector<std::uint64_t> hashes;
  for (const RDKit::Atom* atom : molecule.atoms()) hashes.push_back(hash_of(*atom, molecule));
  const std::vector<std::vector<BoundAtom>> neighbors = neighbors_of(molecule);
  std::vector<std::pair<int, std::uint64_t>> around;
  for (int step = 0; step < radius; ++step) {
    std::vector<std::uint64_t> next = hashes;
    for (std::size_t atom = 0; atom < hashes.size(); ++atom) {
      around.clear();
      for (const BoundAtom& joined : neighbors[atom]) around.emplace_back(joined.bond_type, hashes[joined.atom]);
      std::ranges::sort(around);
      for (const auto& [bond_type, hash] : around) {
        next[atom] = mixed(mixed(next[atom], static_cast<std::uint64_t>(bond_type)), hash);
      }
      next[atom] = mixed(next[atom], around.size());
    }
    hashes = std::move(next);
  }
  constexpr std::uint64_t lowest_bits = (std::uint64_t{1} << 53U) - 1;
  std::vector<std::int64_t> numbers;
  numbers.reserve(hashes.size());
  for (const std::uint64_t hash : hashes) numbers.push_back(static_cast<std::int64_t>(hash & lowest_bits));
  return numbers;
}

std::vector<TextList> elements_at_distance(const RDKit::ROMol& molecule, int distance) {
  std::vector<TextList> elements = sorted_elements(molecule, distance);
  // A vertex kernel cannot compare an empty list: its value would be 0.
  for (TextList& list : elements) {
    if (list.empty()) list.emplace_back("none");
  }
  return elements;
}

std::vector<RealList> element_counts(const RDKit::ROMol& molecule, int distance) {
  std::vector<RealList> counts;
  for (const TextList& list : sorted_elements(molecule, distance)) {
    RealList& of_atom = counts.emplace_back(counted_elements.size() + 1, 0.0);
    for (const std::string& element : list) {
      // The place of an element that is not found is the last one.
      const auto* const found = std::ranges::find(counted_elements, std::string_view(element));
      of_atom[static_cast<std::size_t>(found - counted_elements.begin())] += 1;
    }
  }
  return counts;
}

}  // namespace octile::app
