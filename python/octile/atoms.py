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

# Radii of the elements in Å, from an unknown one on: those of the program, which are gemmi's (docs/formats.md).
_RADII = {
    "covalent": np.array((
        "0.5 0.31 0.28 1.28 0.96 0.84 0.73 0.71 0.66 0.57 0.58 1.66 1.41 1.21 1.11 1.07 1.05 1.02 1.06 2.03 1.76 1.7 1.6 1.53 "
        "1.39 1.39 1.32 1.26 1.24 1.32 1.22 1.22 1.2 1.19 1.2 1.2 1.16 2.2 1.95 1.9 1.75 1.64 1.54 1.47 1.46 1.42 1.39 1.45 "
        "1.44 1.42 1.39 1.39 1.38 1.39 1.4 2.44 2.15 2.07 2.04 2.03 2.01 1.99 1.98 1.98 1.96 1.94 1.92 1.92 1.89 1.9 1.87 1.75 "
        "1.87 1.7 1.62 1.51 1.44 1.41 1.36 1.36 1.32 1.45 1.46 1.48 1.4 1.5 1.5 2.6 2.21 2.15 2.06 2 1.96 1.9 1.87 1.8 1.69 "
        "1.68 1.68 1.65 1.67 1.73 1.76 1.61 1.57 1.49 1.43 1.41 1.34 1.29 1.28 1.21 1.22 1.5 1.5 1.5 1.5 1.5 1.5").split(), dtype=np.float32),
    "vdw": np.array((
        "1 1.2 1.4 1.82 1.53 1.92 1.7 1.55 1.52 1.47 1.54 2.27 1.73 1.84 2.1 1.8 1.8 1.75 1.88 2.75 2.31 2.11 1.95 1.06 1.13 "
        "1.19 1.26 1.13 1.63 1.4 1.39 1.87 2.11 1.85 1.9 1.85 2.02 3.03 2.49 1.61 1.42 1.33 1.75 2 1.2 1.22 1.63 1.72 1.58 1.93 "
        "2.17 2.06 2.06 1.98 2.16 3.43 2.68 1.83 1.86 1.62 1.79 1.76 1.74 1.96 1.69 1.66 1.63 1.61 1.59 1.57 1.54 1.53 1.4 1.22 "
        "1.26 1.3 1.58 1.22 1.75 1.66 1.55 1.96 2.02 2.07 1.97 2.02 2.2 3.48 2.83 2.12 1.84 1.6 1.86 1.71 1.67 1.66 1.65 1.64 "
        "1.63 1.62 1.61 1.6 1.59 1.58 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1").split(), dtype=np.float32),
}


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


def _cutoffs(cutoff, numbers, name):
    """A cutoff as a number, or of each atom the root of what two of them multiply to: "covalent:1" is 3√(r_i r_j)."""
    if not isinstance(cutoff, str):
        return cutoff, None
    unit, _, zoom = cutoff.partition(":")
    try:
        zoom = float(zoom)
    except ValueError:
        zoom = 0.0
    if unit not in _RADII or not (np.isfinite(zoom) and zoom > 0):
        raise Error(f"cutoff is {cutoff!r}; allowed is a finite number greater than 0, in Å, or 'covalent:ZOOM' or "
                    "'vdw:ZOOM' with such a number")
    if 0 in numbers:
        raise Error(f"graph '{name}': atom {numbers.index(0) + 1} is of an unknown element, which has no radius; "
                    "allowed is a cutoff in Å")
    roots = np.sqrt(3 * zoom * _RADII[unit][numbers].astype(np.float64))
    return float(roots.max(initial=1.0)**2), roots


def from_positions(elements: Sequence[str | int], positions: Any, *, cutoff: float | str = 4.0, decay: float = 2.0, name: str = "",
                   targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of atoms in space, as the program reads it from XYZ.

    Two atoms at a distance r < cutoff (in Å) have an edge of weight (1 − r/cutoff)^decay, with the label `length`. Vertex labels are
    element, atomic_number, x, y and z. `elements` are symbols or atomic numbers. With the cutoff "covalent:ZOOM" or "vdw:ZOOM" that of
    two atoms is ZOOM · 3√(r_i r_j), of the radii of their elements.
    """
    numbers = _atomic_numbers(list(elements), name)
    positions = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    if len(positions) != len(numbers):
        raise Error(f"graph '{name}': {len(numbers)} elements and {len(positions)} positions; allowed is one for each atom")
    longest, roots = _cutoffs(cutoff, numbers, name)
    for value, what, allowed in ((longest, "cutoff", longest > 0), (decay, "decay", decay >= 0)):
        if not (np.isfinite(value) and allowed):
            raise Error(f"{what} is {value}; allowed is a finite number {'greater than' if what == 'cutoff' else 'at least'} 0")
    if not np.all(np.isfinite(positions)):
        atom = int(np.argwhere(~np.isfinite(positions))[0, 0])
        raise Error(f"graph '{name}': atom {atom + 1} is at {positions[atom].tolist()}; allowed are finite numbers")
    pairs, lengths = _near(positions, longest) if len(numbers) else (np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    ratios = lengths / (longest if roots is None else roots[pairs].prod(axis=1))
    nearer = ratios < 1
    pairs, lengths, ratios = pairs[nearer], lengths[nearer], ratios[nearer]
    labels = {"element": [_SYMBOLS[number] for number in numbers], "atomic_number": numbers}
    labels |= {axis: positions[:, k] for k, axis in enumerate("xyz")}
    return Graph(len(numbers), pairs, (1 - ratios) ** decay, labels, {"length": lengths}, name=name,
                 targets=targets)


def from_ase(atoms: Any, *, cutoff: float | str = 4.0, decay: float = 2.0, name: str | None = None,
             targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of an ase.Atoms, by the rule of `from_positions`. Cells are ignored: atoms are not joined across borders."""
    title = atoms.get_chemical_formula() if name is None else name
    return from_positions(atoms.get_atomic_numbers(), atoms.get_positions(), cutoff=cutoff, decay=decay, name=title,
                          targets=targets)
