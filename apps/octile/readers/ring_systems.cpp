// SPDX-License-Identifier: BSD-3-Clause
#include "readers/ring_systems.hpp"

#include <algorithm>
#include <cstddef>

namespace octile::app {
namespace {

constexpr int none = -1;

/// The bonds of each atom, packed: those of atom i are `bond[first[i]]` to `bond[first[i + 1] - 1]`.
struct BondsOfAtoms {
  std::vector<std::size_t> first;
  std::vector<int> bond;

  BondsOfAtoms(int atoms, const std::vector<std::pair<int, int>>& bonds)
      : first(static_cast<std::size_t>(atoms) + 1), bond(2 * bonds.size()) {
    for (const auto& [i, j] : bonds) {
      ++first[static_cast<std::size_t>(i) + 1];
      ++first[static_cast<std::size_t>(j) + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t k = 0; k < bonds.size(); ++k) {
      bond[next[static_cast<std::size_t>(bonds[k].first)]++] = static_cast<int>(k);
      bond[next[static_cast<std::size_t>(bonds[k].second)]++] = static_cast<int>(k);
    }
  }
};

/// Which bonds are bridges, by a depth-first walk. It has an explicit stack, since long chains would overflow the call
/// stack. A bond down to j is a bridge if no bond at or below j leads back above j.
std::vector<bool> find_bridges(int atoms, const std::vector<std::pair<int, int>>& bonds, const BondsOfAtoms& of) {
  std::vector<bool> bridge(bonds.size(), false);
  std::vector<int> entered(static_cast<std::size_t>(atoms), none);
  std::vector<int> highest(entered);  // the earliest entered atom that a bond leads back to
  std::vector<int> down_by(entered);  // the bond by which the walk came
  std::vector<std::size_t> next(of.first.begin(), of.first.end() - 1);
  int time = 0;
  std::vector<int> path;
  for (int root = 0; root < atoms; ++root) {
    if (entered[static_cast<std::size_t>(root)] != none) continue;
    path.push_back(root);
    entered[static_cast<std::size_t>(root)] = highest[static_cast<std::size_t>(root)] = time++;
    while (!path.empty()) {
      const auto i = static_cast<std::size_t>(path.back());
      if (next[i] == of.first[i + 1]) {
        path.pop_back();
        if (path.empty()) continue;
        const auto above = static_cast<std::size_t>(path.back());
        highest[above] = std::min(highest[above], highest[i]);
        if (highest[i] > entered[above]) bridge[static_cast<std::size_t>(down_by[i])] = true;
        continue;
      }
      const int bond = of.bond[next[i]++];
      if (bond == down_by[i]) continue;
      const auto& [one, other] = bonds[static_cast<std::size_t>(bond)];
      const auto j = static_cast<std::size_t>(static_cast<std::size_t>(one) == i ? other : one);
      if (entered[j] != none) {
        highest[i] = std::min(highest[i], entered[j]);
        continue;
      }
      entered[j] = highest[j] = time++;
      down_by[j] = bond;
      path.push_back(static_cast<int>(j));
    }
  }
  return bridge;
}

}  // namespace

std::vector<RingSystem> ring_systems(int atoms, const std::vector<std::pair<int, int>>& bonds) {
  const BondsOfAtoms of(atoms, bonds);
  const std::vector<bool> bridge = find_bridges(atoms, bonds, of);
  std::vector<RingSystem> systems;
  std::vector<bool> seen(static_cast<std::size_t>(atoms), false);
  for (int root = 0; root < atoms; ++root) {
    if (seen[static_cast<std::size_t>(root)]) continue;
    RingSystem system;
    std::vector<int> open{root};
    seen[static_cast<std::size_t>(root)] = true;
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      system.atoms.push_back(i);
      const auto atom = static_cast<std::size_t>(i);
      for (std::size_t k = of.first[atom]; k < of.first[atom + 1]; ++k) {
        const int bond = of.bond[k];
        if (bridge[static_cast<std::size_t>(bond)]) continue;
        const auto& [one, other] = bonds[static_cast<std::size_t>(bond)];
        const int j = one == i ? other : one;
        if (one == i) system.bonds.push_back(bond);  // each bond once, at its first atom
        if (seen[static_cast<std::size_t>(j)]) continue;
        seen[static_cast<std::size_t>(j)] = true;
        open.push_back(j);
      }
    }
    if (system.bonds.empty()) continue;
    std::ranges::sort(system.atoms);
    std::ranges::sort(system.bonds);
    systems.push_back(std::move(system));
  }
  return systems;
}

}  // namespace octile::app
