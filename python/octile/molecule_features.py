# SPDX-License-Identifier: BSD-3-Clause
"""What graphs of molecules say of their atoms and bonds: the features of the program (docs/formats.md), with the same values."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ._core import Error

_HYBRIDIZATIONS = frozenset(("S", "SP", "SP2", "SP3", "SP2D", "SP3D", "SP3D2"))
_STEREO = {"STEREOANY": "any", "STEREOZ": "Z", "STEREOE": "E", "STEREOCIS": "cis", "STEREOTRANS": "trans"}
_64_BITS = (1 << 64) - 1
_COUNTED = ("H", "B", "C", "N", "O", "F", "Si", "P", "S", "Cl", "Br", "I")


class Seen:
    """A molecule of RDKit with its atoms, bonds and rings; and whether its hydrogens are vertices."""

    def __init__(self, molecule, with_hydrogens):
        self.molecule, self.rings, self.with_hydrogens = molecule, molecule.GetRingInfo(), with_hydrogens
        self.atoms, self.bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())

    def neighbors(self):
        """Of each atom the types of its bonds and the atoms at their ends."""
        found = [[] for _ in self.atoms]
        for bond in self.bonds:
            i, j, kind = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())
            found[i].append((kind, j))
            found[j].append((kind, i))
        return found


def _hybridization(atom):
    found = atom.GetHybridization().name
    return found if found in _HYBRIDIZATIONS else "none"


def _ring_sizes(seen):
    # A kernel of vertices cannot compare an empty list, so an atom in no ring has the one size 0.
    sizes = [[] for _ in seen.atoms]
    for ring in seen.rings.AtomRings():
        for atom in ring:
            sizes[atom].append(float(len(ring)))
    return [found or [0.0] for found in sizes]


def _mixed(number, value):
    """A value mixed into a hash of 64 bits."""
    bits = ((number + 0x9E3779B97F4A7C15) & _64_BITS) ^ ((value * 0xD6E8FEB86659FD93) & _64_BITS)
    for shift in (32, 29, 32):
        bits = ((bits ^ (bits >> shift)) * 0xD6E8FEB86659FD93) & _64_BITS
    return bits ^ (bits >> 32)


def _morgan(radius):
    """The numbers of surroundings by Morgan's algorithm: the program's, so that their files and these graphs agree."""
    def numbers(seen):
        from rdkit import Chem
        weights = Chem.GetPeriodicTable()
        found = []
        for atom in seen.atoms:
            number = 0
            for value in (atom.GetAtomicNum(), math.trunc(atom.GetMass() - weights.GetAtomicWeight(atom.GetAtomicNum())),
                          atom.GetFormalCharge(), atom.GetTotalDegree(), atom.GetTotalNumHs(includeNeighbors=True),
                          int(seen.rings.NumAtomRings(atom.GetIdx()) > 0)):
                number = _mixed(number, value & _64_BITS)
            found.append(number)
        neighbors = seen.neighbors()
        for _ in range(radius):
            after = []
            for own, joined in zip(found, neighbors):
                for kind, number in sorted((kind, found[atom]) for kind, atom in joined):
                    own = _mixed(_mixed(own, kind), number)
                after.append(_mixed(own, len(joined)))
            found = after
        # 53 bits, which a real holds too.
        return [number & ((1 << 53) - 1) for number in found]
    return numbers


def _sorted_elements(seen, distance):
    """Of each atom the elements of the atoms so many bonds away."""
    neighbors, found = seen.neighbors(), []
    for atom in range(len(seen.atoms)):
        reached, shell = {atom}, {atom}
        for _ in range(distance):
            shell = {other for here in shell for _, other in neighbors[here]} - reached
            reached |= shell
        found.append(sorted(seen.atoms[other].GetSymbol() for other in shell))
    return found


def _elements_at(distance):
    return lambda seen: [elements or ["none"] for elements in _sorted_elements(seen, distance)]


def _counts_at(distance):
    """Numbers of the atoms so many bonds away, by element, as vectors of one length: those of other elements are the last."""
    def counts(seen):
        return [[float(elements.count(element)) for element in _COUNTED] + [float(sum(element not in _COUNTED for element in elements))]
                for elements in _sorted_elements(seen, distance)]
    return counts


def _of_atoms(value, type_=None):
    return lambda seen: np.array([value(atom) for atom in seen.atoms], dtype=type_)


def _of_bonds(value, type_):
    # Arrays with their type, which a molecule without bonds has too.
    return lambda seen: np.array([value(bond) for bond in seen.bonds], dtype=type_)


class Feature(NamedTuple):
    """name, of bonds or of atoms, whether graphs have it unless others are chosen, and its values."""

    name: str
    of_bonds: bool
    standard: bool
    values: Callable


FEATURES = (
    Feature("element", False, True, lambda seen: [atom.GetSymbol() for atom in seen.atoms]),
    Feature("atomic_number", False, True, _of_atoms(lambda atom: atom.GetAtomicNum())),
    Feature("hybridization", False, True, lambda seen: [_hybridization(atom) for atom in seen.atoms]),
    Feature("charge", False, True, _of_atoms(lambda atom: atom.GetFormalCharge())),
    Feature("hydrogens", False, True, lambda seen: np.array([atom.GetTotalNumHs(includeNeighbors=seen.with_hydrogens) for atom in seen.atoms],
                                                            dtype=np.int64)),
    Feature("aromatic", False, True, _of_atoms(lambda atom: atom.GetIsAromatic(), np.int64)),
    Feature("in_ring", False, True, lambda seen: [int(seen.rings.NumAtomRings(k) > 0) for k in range(len(seen.atoms))]),
    Feature("chirality", False, True,
            lambda seen: [atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else "none" for atom in seen.atoms]),
    Feature("ring_sizes", False, True, _ring_sizes),
    Feature("ring_size", False, False, lambda seen: [int(min(sizes)) for sizes in _ring_sizes(seen)]),
    Feature("rings", False, False, lambda seen: [seen.rings.NumAtomRings(k) for k in range(len(seen.atoms))]),
    Feature("degree", False, False, _of_atoms(lambda atom: atom.GetDegree())),
    Feature("mass", False, False, _of_atoms(lambda atom: atom.GetMass(), np.float64)),
    *(Feature(f"morgan{radius}", False, False, _morgan(radius)) for radius in range(4)),
    *(Feature(f"neighbors{distance}", False, False, _elements_at(distance)) for distance in range(1, 5)),
    *(Feature(f"neighbor_counts{distance}", False, False, _counts_at(distance)) for distance in range(1, 5)),
    Feature("order", True, True, _of_bonds(lambda bond: bond.GetBondTypeAsDouble(), np.float64)),
    Feature("conjugated", True, True, _of_bonds(lambda bond: bond.GetIsConjugated(), np.int64)),
    Feature("in_ring", True, True, lambda seen: np.array([seen.rings.NumBondRings(k) > 0 for k in range(len(seen.bonds))], dtype=np.int64)),
    Feature("stereo", True, True, _of_bonds(lambda bond: _STEREO.get(bond.GetStereo().name, "none"), str)),
)


def chosen(features: str | Sequence[str]) -> list[Feature]:
    """The features of their names, or of "default" and "all"; as one text, separated by commas."""
    if not isinstance(features, Iterable):
        raise Error(f"features are {features!r}; allowed are names of them, also as one text")
    names = [name.strip() for name in features.split(",")] if isinstance(features, str) else [str(name) for name in features]
    known = ["default", "all", *dict.fromkeys(feature.name for feature in FEATURES)]
    for name in names:
        if name not in known:
            raise Error(f"{name!r} is no feature of molecules; allowed are {', '.join(known)}")
    return [feature for feature in FEATURES if feature.name in names or "all" in names or "default" in names and feature.standard]
