// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

namespace octile::app {

/// Atoms and bonds, by ascending number, that rings join: a connected part of a molecule without its bridges.
struct RingSystem {
  std::vector<int> atoms;
  std::vector<int> bonds;
};

/// The ring systems of a molecule whose bond k joins `bonds[k]`, by their first atom; every ring lies in one of them. In
/// a time linear in atoms and bonds.
std::vector<RingSystem> ring_systems(int atoms, const std::vector<std::pair<int, int>>& bonds);

}  // namespace octile::app
