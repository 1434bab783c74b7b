# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from atoms in space, which are joined by distance (docs/formats.md)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph

_SYMBOLS = (
    "X H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru "
    "Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At "
    "Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og").split()
_NUMBERS = {symbol: number for number, symbol in enumerate(_SYMBOLS)} | {"D": 1, "T": 1}


def _atomic_numbers(elements, name):
    found = []
    for k, element in enumerate(elements):
        number = _NUMBERS.get(element.strip().capitalize()) if isinstance(element, str) else int(element)
        if number is None or not 0 <= number < len(_SYMBOLS):
            raise Error(f"graph '{name}': atom {k + 1} is {element!r}; allowed is an element's symbol or atomic number")
        found.append(number)
    return found


def _near(positions, cutoff):
    """Pairs of places nearer than the cutoff, i < j, and their distances; in a time linear in both."""
    from scipy.spatial import cKDTree
    pairs = cKDTree(positions).query_pairs(cutoff, output_type="ndarray")
    lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    nearer = lengths < cutoff
    return pairs[nearer], lengths[nearer]


def from_positions(elements: Sequence[str | int], positions: Any, *, cutoff: float = 4.0, decay: float = 2.0, name: str = "",
                   targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of atoms in space, as the program reads it from XYZ.

    Two atoms at a distance r < cutoff (in Å) have an edge of weight (1 − r/cutoff)^decay, with the label `length`. Vertex labels are
    element, atomic_number, x, y and z. `elements` are symbols or atomic numbers.
    """
    numbers = _atomic_numbers(list(elements), name)
    positions = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    if len(positions) != len(numbers):
        raise Error(f"graph '{name}': {len(numbers)} elements and {len(positions)} positions; allowed is one for each atom")
    for value, what, allowed in ((cutoff, "cutoff", cutoff > 0), (decay, "decay", decay >= 0)):
        if not (np.isfinite(value) and allowed):
            raise Error(f"{what} is {value}; allowed is a finite number {'greater than' if what == 'cutoff' else 'at least'} 0")
    if not np.all(np.isfinite(positions)):
        atom = int(np.argwhere(~np.isfinite(positions))[0, 0])
        raise Error(f"graph '{name}': atom {atom + 1} is at {positions[atom].tolist()}; allowed are finite numbers")
    pairs, lengths = _near(positions, cutoff) if len(numbers) else (np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    labels = {"element": [_SYMBOLS[number] for number in numbers], "atomic_number": numbers}
    labels |= {axis: positions[:, k] for k, axis in enumerate("xyz")}
    return Graph(len(numbers), pairs, (1 - lengths / cutoff) ** decay, labels, {"length": lengths}, name=name,
                 targets=targets)


def from_ase(atoms: Any, *, cutoff: float = 4.0, decay: float = 2.0, name: str | None = None,
             targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of an ase.Atoms, by the rule of `from_positions`. Cells are ignored: atoms are not joined across borders."""
    title = atoms.get_chemical_formula() if name is None else name
    return from_positions(atoms.get_atomic_numbers(), atoms.get_positions(), cutoff=cutoff, decay=decay, name=title,
                          targets=targets)
