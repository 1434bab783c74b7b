// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <octile/labels.hpp>

namespace RDKit {
class ROMol;
}

namespace octile::app {

/// The elements that `AtomSurroundings::element_counts` counts by themselves, in its order. All others follow as one.
inline constexpr std::array counted_elements = {"H", "B", "C", "N", "O", "F", "Si", "P", "S", "Cl", "Br", "I"};

/// What is around the atoms of a molecule. What several of the functions need is found once.
class AtomSurroundings {
 public:
  explicit AtomSurroundings(const RDKit::ROMol& molecule) : molecule_(molecule) {}

  /// A number for each atom that tells its surroundings up to `radius` bonds from it, as Morgan's algorithm sees them. Two atoms of any
  /// molecules have the same number just if those surroundings agree in atoms (element, charge, degree, hydrogens, whether in
  /// a ring, and by how many whole units the isotope's mass is off the element's) and types of bonds, but for collisions of a hash of 53 bits. It does not depend on the order of atoms, nor on the machine.
  /// It is at least 0 and below 2^53, so that it stays itself as a real.
  std::vector<std::int64_t> morgan_hashes(int radius);

  /// The elements of the atoms `distance` bonds away from each atom, sorted; `none` alone where there are none.
  std::vector<TextList> elements_at_distance(int distance);

  /// How many atoms of each of `counted_elements`, and of others, are `distance` bonds away from each atom: vectors of equal lengths.
  std::vector<RealList> element_counts(int distance);

 private:
  /// What is joined to an atom: by which type of bond, and to which atom.
  struct BoundAtom {
    int bond_type;
    std::size_t atom;
  };

  /// The atoms at a distance from each atom.
  struct Shells {
    std::vector<std::size_t> begin;  ///< of each atom's, and one more
    std::vector<std::size_t> atoms;
  };

  const std::vector<std::vector<BoundAtom>>& neighbors();
  const Shells& shells(int distance);

  const RDKit::ROMol& molecule_;
  std::vector<std::vector<BoundAtom>> neighbors_;
  std::vector<Shells> shells_;                      ///< at distance 1, 2, ...
  std::vector<std::vector<std::uint64_t>> hashes_;  ///< of radius 0, 1, ...
};

}  // namespace octile::app
