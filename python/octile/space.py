# SPDX-License-Identifier: BSD-3-Clause
"""Which atoms in space are joined, and the weights of their edges, by the rules of the program (docs/formats.md)."""
from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from ._core import Error
from .arrays import real_array, shown

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

_FLATTEST = 1e-6  # of cells: the volume, relative to that of a box with the same edges
_MOST_COPIES = 1 << 22  # of atoms


def _numbers(text, count):
    """The numbers of "1,2"; nothing if there are not so many, or if one is not finite."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    return found if len(found) == count and np.all(np.isfinite(found)) else None


class Adjacency(NamedTuple):
    """The weight as a function of r/R, and its derivative."""

    weight: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


def adjacency(text):
    """The rule of a text."""
    kind, _, values = str(text).partition(":")
    found = _numbers(values, {"tent": 1, "bell": 2, "gaussian": 1}.get(kind, 0))
    if kind == "tent" and found and found[0] >= 0:
        [n] = found
        return Adjacency(lambda x: (1 - x)**n, lambda x: -n * (1 - x)**(n - 1) if n > 0 else np.zeros_like(x))
    if kind == "bell" and found and found[0] > 0 and found[1] >= 0:
        a, b = found
        return Adjacency(lambda x: (1 - x**a)**b, lambda x: -a * b * x**(a - 1) * (1 - x**a)**(b - 1) if b > 0 else np.zeros_like(x))
    if kind == "gaussian" and found and found[0] > 0:
        [width] = found
        return Adjacency(lambda x: np.exp(-x**2 / (2 * width**2)), lambda x: -x / width**2 * np.exp(-x**2 / (2 * width**2)))
    raise Error(f"adjacency is {text!r}; allowed is 'tent:N' with N at least 0, 'bell:A,B' with A above 0 and B at least 0, or "
                "'gaussian:S' with S above 0")


def cutoffs(cutoff, numbers, name):
    """The largest cutoff; and for each atom the root of what two of them multiply to, which is that of the two ("covalent:1" is
    3√(r_i r_j)), or None where all are the largest."""
    unit, _, zoom = cutoff.partition(":") if isinstance(cutoff, str) else ("", "", cutoff)
    try:
        zoom = float(zoom)
    except (TypeError, ValueError):
        zoom = 0.0
    if unit not in ("", *_RADII) or not (np.isfinite(zoom) and zoom > 0):
        raise Error(f"cutoff is {cutoff!r}; allowed is a finite number greater than 0, in Å, or 'covalent:ZOOM' or "
                    "'vdw:ZOOM' with such a number")
    if unit == "":
        return zoom, None
    if 0 in numbers:
        raise Error(f"graph '{name}': atom {numbers.index(0) + 1} is of an unknown element, which has no radius; "
                    "allowed is a cutoff in Å")
    roots = np.sqrt(3 * zoom * _RADII[unit][numbers].astype(np.float64))
    return float(roots.max(initial=1.0)**2), roots


def repeated(cell, periodic, images, name):
    """The vectors along which a cell repeats: 0 to 3 rows."""
    if images not in ("nearest", "all", "none"):
        raise Error(f"images is {images!r}; allowed are 'nearest', 'all' and 'none'")
    if cell is None:
        return np.zeros((0, 3))
    vectors = real_array(cell, f"graph '{name}': cell")
    if np.shape(periodic) not in ((), (3,)):
        raise Error(f"graph '{name}': periodic is {shown(periodic)}; allowed are True, False, and one of these for each vector of the cell")
    repeats = np.broadcast_to(np.asarray(periodic, dtype=bool), 3)
    if vectors.shape != (3, 3):
        raise Error(f"graph '{name}': the cell has the shape {vectors.shape}; allowed are three vectors")
    if images == "none":
        return np.zeros((0, 3))
    for k in np.flatnonzero(repeats):
        length = np.linalg.norm(vectors[k])
        if not 0 < length <= 1e9:
            raise Error(f"graph '{name}': the length of cell vector {k + 1} is {length:g} Å; allowed is one above 0, of at most 1e9")
    vectors = vectors[repeats]
    shape = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    if len(shape) and not np.sqrt(max(np.linalg.det(shape @ shape.T), 0)) > _FLATTEST:
        raise Error(f"graph '{name}': the vectors of the cell lie in one plane; allowed are vectors that span a volume")
    return vectors


def _copies(positions, vectors, reach, name):
    """The atoms moved into the cell; these and all their copies nearer to the cell than `reach`, and whose copies they are."""
    # The coordinates of a position along the vectors, and how far these reach in them.
    along = np.linalg.pinv(vectors)
    margins = reach * np.linalg.norm(along, axis=0) * (1 + 1e-9) + 1e-9
    expected = len(positions) * np.prod(1 + 2 * margins)
    if not expected <= _MOST_COPIES:
        raise Error(f"graph '{name}': the cell is so small that {expected:.3g} atoms are nearer to it than the cutoff; "
                    f"allowed are {_MOST_COPIES}")
    inside = positions - np.floor(positions @ along) @ vectors
    coordinates = inside @ along
    places, owners = [inside], [np.arange(len(positions))]
    for shift in product(*(range(-steps, steps + 1) for steps in np.floor(1 + margins).astype(int).tolist())):
        moved = coordinates + shift
        near = np.flatnonzero(np.all((moved >= -margins) & (moved <= 1 + margins), axis=1)) if any(shift) else []
        if len(near):
            places.append(inside[near] + np.asarray(shift, dtype=np.float64) @ vectors)
            owners.append(near)
    return inside, np.concatenate(places), np.concatenate(owners)


def _near(positions, vectors, reach, name):
    """Atoms i < j that are nearer than `reach`, or that have images which are, once for each such image, and where the other one is."""
    from scipy.spatial import cKDTree
    if len(vectors):
        inside, places, owners = _copies(positions, vectors, reach, name)
        found = cKDTree(inside).sparse_distance_matrix(cKDTree(places), reach, output_type="ndarray")
        pairs = np.stack([found["i"], owners[found["j"]]], axis=1)
        once = pairs[:, 0] < pairs[:, 1]
        pairs, others = pairs[once], found["j"][once]
        return pairs, places[others] - inside[pairs[:, 0]]
    pairs = cKDTree(positions).query_pairs(reach, output_type="ndarray")
    return pairs, positions[pairs[:, 1]] - positions[pairs[:, 0]]


class Edges:
    """Atoms i < j that are joined, in ascending order.

    pairs : of each edge its atoms.
    lengths : the distances of their nearest images.
    weights : of these, or with `add` of all images.

    The time is linear in the numbers of atoms, of copies and of edges.
    """

    def __init__(self, positions, of_cutoffs, rule, vectors, add, name):
        self._atoms, self._rule = len(positions), rule
        reach, roots = of_cutoffs
        pairs, self._steps = _near(positions, vectors, reach * (1 + 1e-12), name) if len(positions) else (np.zeros((0, 2), np.int64), np.zeros((0, 3)))
        lengths = np.linalg.norm(self._steps, axis=1)
        reaches = np.broadcast_to(reach if roots is None else roots[pairs].prod(axis=1), len(pairs))
        # The nearest image of an edge is its first.
        order = np.lexsort((lengths, pairs[:, 1], pairs[:, 0]))
        order = order[lengths[order] / reaches[order] < 1]
        pairs, lengths, self._steps, self._reaches = pairs[order], lengths[order], self._steps[order], reaches[order]
        new = np.append(True, np.any(pairs[1:] != pairs[:-1], axis=1)) if len(pairs) else np.zeros(0, dtype=bool)
        first = np.flatnonzero(new)
        self._edge, self._nearest, self._counted = np.cumsum(new) - 1, new, new | add
        weights = rule.weight(lengths / self._reaches)
        self.pairs, self.lengths = pairs[first], lengths[first]
        self.weights = np.bincount(self._edge, weights, len(first)) if add else weights[first]

    def by_positions(self, by_weights, by_lengths):
        """The derivatives by the positions of atoms, n × 3, out of those by the weights and by the lengths of edges. Atoms at one place have
        no direction: what they add is left out."""
        # An edge of weight 0 is none in a graph.
        number = np.cumsum(self.weights != 0) - 1
        there = (self.weights != 0)[self._edge]
        lengths = np.linalg.norm(self._steps, axis=1)
        edge = number[self._edge]
        slopes = np.zeros(len(edge))
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes[self._counted] = (self._rule.slope(lengths / self._reaches) / self._reaches)[self._counted]
        slopes[lengths == 0] = 0
        found = np.where(there, by_weights[edge] * slopes + by_lengths[edge] * self._nearest, 0.0) if len(by_weights) else np.zeros(len(edge))
        along = np.divide(self._steps, lengths[:, None], out=np.zeros_like(self._steps), where=lengths[:, None] > 0) * found[:, None]
        made = np.zeros((self._atoms, 3))
        i, j = self.pairs[self._edge].T
        np.add.at(made, j, along)
        np.add.at(made, i, -along)
        return made
