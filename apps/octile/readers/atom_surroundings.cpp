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

}  // namespace

const std::vector<std::vector<AtomSurroundings::BoundAtom>>& AtomSurroundings::neighbors() {
  if (!neighbors_.empty()) return neighbors_;
  neighbors_.resize(molecule_.getNumAtoms());
  for (const RDKit::Bond* bond : molecule_.bonds()) {
    const auto type = static_cast<int>(bond->getBondType());
    const std::size_t one = bond->getBeginAtomIdx();
    const std::size_t other = bond->getEndAtomIdx();
    neighbors_[one].push_back({type, other});
    neighbors_[other].push_back({type, one});
  }
  return neighbors_;
}

/// The atoms at the next distance from an atom are those that are joined to the last ones, and neither these nor those before.
const AtomSurroundings::Shells& AtomSurroundings::shells(int distance) {
  const std::size_t atoms = molecule_.getNumAtoms();
  const std::vector<std::vector<BoundAtom>>& joined_to = neighbors();
  std::vector<std::size_t> seen_from(atoms, atoms);
  while (shells_.size() < static_cast<std::size_t>(distance)) {
    Shells next;
    std::ranges::fill(seen_from, atoms);
    for (std::size_t atom = 0; atom < atoms; ++atom) {
      next.begin.push_back(next.atoms.size());
      const auto grow = [&](std::size_t here) {
        for (const BoundAtom& joined : joined_to[here]) {
          if (std::exchange(seen_from[joined.atom], atom) != atom) next.atoms.push_back(joined.atom);
        }
      };
      seen_from[atom] = atom;
      for (const Shells& before : shells_) {
        for (std::size_t k = before.begin[atom]; k < before.begin[atom + 1]; ++k) seen_from[before.atoms[k]] = atom;
      }
      if (shells_.empty()) {
        grow(atom);
      } else {
        const Shells& last = shells_.back();
        for (std::size_t k = last.begin[atom]; k < last.begin[atom + 1]; ++k) grow(last.atoms[k]);
      }
    }
    next.begin.push_back(next.atoms.size());
    shells_.push_back(std::move(next));
  }
  return shells_[static_cast<std::size_t>(distance) - 1];
}

std::vector<std::int64_t> AtomSurroundings::morgan_hashes(int radius) {
  const std::vector<std::vector<BoundAtom>>& joined_to = neighbors();
  if (hashes_.empty()) {
    hashes_.emplace_back();
    for (const RDKit::Atom* atom : molecule_.atoms()) hashes_[0].push_back(hash_of(*atom, molecule_));
  }
  std::vector<std::pair<int, std::uint64_t>> around;
  while (hashes_.size() <= static_cast<std::size_t>(radius)) {
    const std::vector<std::uint64_t>& hashes = hashes_.back();
    std::vector<std::uint64_t> next = hashes;
    for (std::size_t atom = 0; atom < hashes.size(); ++atom) {
      around.clear();
      for (const BoundAtom& joined : joined_to[atom]) around.emplace_back(joined.bond_type, hashes[joined.atom]);
      std::ranges::sort(around);
      for (const auto& [bond_type, hash] : around) {
        next[atom] = mixed(mixed(next[atom], static_cast<std::uint64_t>(bond_type)), hash);
      }
      next[atom] = mixed(next[atom], around.size());
    }
    hashes_.push_back(std::move(next));
  }
  constexpr std::uint64_t lowest_bits = (std::uint64_t{1} << 53U) - 1;
  std::vector<std::int64_t> numbers;
  numbers.reserve(hashes_[0].size());
  for (const std::uint64_t hash : hashes_[static_cast<std::size_t>(radius)]) {
    numbers.push_back(static_cast<std::int64_t>(hash & lowest_bits));
  }
  return numbers;
}

std::vector<TextList> AtomSurroundings::elements_at_distance(int distance) {
  const Shells& at_distance = shells(distance);
  std::vector<TextList> elements(molecule_.getNumAtoms());
  for (std::size_t atom = 0; atom < elements.size(); ++atom) {
    TextList& list = elements[atom];
    list.reserve(std::max<std::size_t>(at_distance.begin[atom + 1] - at_distance.begin[atom], 1));
    for (std::size_t k = at_distance.begin[atom]; k < at_distance.begin[atom + 1]; ++k) {
      list.push_back(molecule_.getAtomWithIdx(static_cast<unsigned>(at_distance.atoms[k]))->getSymbol());
    }
    std::ranges::sort(list);
    // A vertex kernel cannot compare an empty list: its value would be 0.
    if (list.empty()) list.emplace_back("none");
  }
  return elements;
}

std::vector<RealList> AtomSurroundings::element_counts(int distance) {
  // The place of an element that is not found is the last one.
  std::vector<std::size_t> places;
  for (const RDKit::Atom* atom : molecule_.atoms()) {
    const std::string element = atom->getSymbol();
    const auto* const found = std::ranges::find(counted_elements, std::string_view(element));
    places.push_back(static_cast<std::size_t>(found - counted_elements.begin()));
  }
  const Shells& at_distance = shells(distance);
  std::vector<RealList> counts(places.size(), RealList(counted_elements.size() + 1, 0.0));
  for (std::size_t atom = 0; atom < places.size(); ++atom) {
    for (std::size_t k = at_distance.begin[atom]; k < at_distance.begin[atom + 1]; ++k) {
      counts[atom][places[at_distance.atoms[k]]] += 1;
    }
  }
  return counts;
}

}  // namespace octile::app
