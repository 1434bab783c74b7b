// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

namespace octile::app {

/// The atoms and bonds, by ascending number, of a part of a molecule that stays connected without its bridges.
struct RingSystem {
  std::vector<int> atoms;
  std::vector<int> bonds;
};

/// The ring systems of a molecule whose bond k joins the atoms `bonds[k]`, sorted by their first atom. Every ring lies
/// in one of them. Takes a time linear in atoms and bonds.
std::vector<RingSystem> ring_systems(int atoms, const std::vector<std::pair<int, int>>& bonds);

}  // namespace octile::app
