# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from atoms in space, which are joined by distance (docs/formats.md)."""
from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import space
from ._core import Error
from .arrays import real_array
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


class Placed:
    """Atoms in space, joined by a rule; by the arguments of `from_positions`."""

    def __init__(self, elements, positions, *, cutoff=4.0, decay=2.0, adjacency=None, cell=None, periodic=True, images="nearest", name=""):
        self.numbers, self.name = _atomic_numbers(list(elements), name), name
        # Never another shape of as many numbers, which would be other positions.
        self.positions = real_array(positions, f"graph '{name}': positions")
        if self.positions.shape != (len(self.numbers), 3) and (self.numbers or self.positions.size):
            raise Error(f"graph '{name}': {len(self.numbers)} elements, and positions of the shape {self.positions.shape}; allowed is "
                        f"({len(self.numbers)}, 3)")
        self.positions = self.positions.reshape(-1, 3)
        rule = space.adjacency(f"tent:{float(decay) if isinstance(decay, numbers.Real) else decay}" if adjacency is None else adjacency)
        cutoffs = space.cutoffs(cutoff, self.numbers, name)
        if not np.all(np.isfinite(self.positions)):
            atom = int(np.argwhere(~np.isfinite(self.positions))[0, 0])
            raise Error(f"graph '{name}': atom {atom + 1} is at {self.positions[atom].tolist()}; allowed are finite numbers")
        self.edges = space.Edges(self.positions, cutoffs, rule, space.repeated(cell, periodic, images, name), images == "all", name)

    def graph(self, targets=None):
        labels = {"element": [_SYMBOLS[number] for number in self.numbers], "atomic_number": self.numbers}
        labels |= {axis: self.positions[:, k] for k, axis in enumerate("xyz")}
        return Graph(len(self.numbers), self.edges.pairs, self.edges.weights, labels, {"length": self.edges.lengths}, name=self.name,
                     targets=targets)


def from_positions(elements: Sequence[str | int], positions: Any, *, cutoff: float | str = 4.0, decay: float = 2.0,
                   adjacency: str | None = None, cell: Any = None, periodic: bool | Sequence[bool] = True, images: str = "nearest",
                   name: str = "", targets: Mapping[str, float] | None = None) -> Graph:
    """The graph of atoms in space, as the program reads it from XYZ.

    Two atoms at a distance r < cutoff (in Å) have an edge with the label `length`. Vertex labels are element, atomic_number, x, y and z.

    elements : symbols or atomic numbers.
    cutoff : R in Å; or "covalent:ZOOM" or "vdw:ZOOM", by which that of two atoms is ZOOM · 3√(r_i r_j), of the radii of their elements.
    adjacency : the weight of an edge: "tent:N", (1 − r/R)^N, the standard with N = `decay`; "bell:A,B", (1 − (r/R)^A)^B; "gaussian:S",
        exp(−(r/R)² / (2S²)).
    cell, periodic : the three vectors of a cell in Å, and along which of them it repeats.
    images : what counts in a cell: "nearest", an edge has the weight and length of the nearest images of its atoms; "all", the sum of the
        weights of all images, and the length of the nearest; "none", the atoms as if the cell did not repeat.
    """
    return Placed(elements, positions, cutoff=cutoff, decay=decay, adjacency=adjacency, cell=cell, periodic=periodic, images=images,
                  name=name).graph(targets)


def from_ase(atoms: Any, *, name: str | None = None, targets: Mapping[str, float] | None = None, **options: Any) -> Graph:
    """The graph of an ase.Atoms, with its cell where that repeats. The options are those of `from_positions`."""
    return _of_ase(atoms, name, options).graph(targets)


def _of_ase(atoms, name, options):
    repeats = np.asarray(atoms.get_pbc(), dtype=bool)
    if repeats.any():
        options = {"cell": np.asarray(atoms.get_cell()), "periodic": repeats, **options}
    title = atoms.get_chemical_formula() if name is None else name
    return Placed(atoms.get_atomic_numbers(), atoms.get_positions(), name=title, **options)


def from_pymatgen(structure: Any, *, name: str | None = None, targets: Mapping[str, float] | None = None, **options: Any) -> Graph:
    """The graph of a pymatgen Structure, with its cell, or of a Molecule. The options are those of `from_positions`.

    Each site has one element, so a structure with partly occupied sites is refused. The name is the formula, unless given.
    """
    return _of_pymatgen(structure, name, options).graph(targets)


def _of_pymatgen(structure, name, options):
    title = str(structure.formula) if name is None else name
    elements = []
    for k, site in enumerate(structure):
        (element, share), *others = site.species.items()
        if others or abs(share - 1) > 1e-8:
            raise Error(f"graph '{title}': site {k + 1} is {site.species}; allowed is one element that is there in every cell")
        # A species with a charge has the symbol of its element.
        elements.append(str(element.symbol))
    lattice = getattr(structure, "lattice", None)
    if lattice is not None:
        options = {"cell": np.asarray(lattice.matrix), "periodic": getattr(lattice, "pbc", True), **options}
    return Placed(elements, structure.cart_coords, name=title, **options)


def placed(value: Any, options: Mapping[str, Any]) -> Placed:
    """The atoms of an ase.Atoms, a pymatgen Structure or Molecule, or of a pair (elements, positions)."""
    if isinstance(value, tuple) and len(value) == 2:
        return Placed(*value, **options)
    for base in type(value).__mro__:
        convert = {"ase": _of_ase, "pymatgen": _of_pymatgen}.get(base.__module__.partition(".")[0])
        if convert is not None:
            return convert(value, None, options)
    raise Error(f"{type(value).__name__} has no positions; allowed are ase.Atoms, pymatgen structures, and pairs (elements, positions)")
