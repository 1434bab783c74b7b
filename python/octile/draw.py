# SPDX-License-Identifier: BSD-3-Clause
"""Pictures as SVG: a Gram matrix in the order of its clusters, the vertices of two graphs beside each other, a molecule with its atoms
coloured, and a graph. A notebook shows them as they are.
"""
from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph, as_graph
from .kernel import Kernel
from .molecules import parsed_smiles
from .result import Result
from .sketch import MOST_EDGES, MOST_VERTICES, sketch
from .svg import heat_map

# Of numbers on both sides of 0, with white between.
_BELOW, _ABOVE = np.array([0.84, 0.37, 0.0]), np.array([0.0, 0.45, 0.70])


class Picture:
    """An SVG: `svg` is its text, which a notebook draws."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | os.PathLike) -> None:
        """Writes the file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<octile picture: SVG of {len(self.svg)} characters>"


def order_by_clusters(values: np.ndarray) -> np.ndarray:
    """An order of the rows of a Gram matrix in which like graphs are neighbours: that of the leaves of a hierarchical clustering by
    average distance, √(K(x, x) − 2 K(x, y) + K(y, y)), each branch turned so that neighbours are nearest."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform
    values = _square(values)
    if len(values) < 3:
        return np.arange(len(values))
    own = np.diag(values)
    distances = np.sqrt(np.maximum(own[:, None] + own[None, :] - values - values.T, 0))
    np.fill_diagonal(distances, 0)
    return leaves_list(linkage(squareform(distances, checks=False), "average", optimal_ordering=len(values) <= 1000))


def matrix(values: np.ndarray | Result, names: Sequence[str] | None = None, ordered: bool = True) -> Picture:
    """A Gram matrix as a heat map, its rows and columns `order_by_clusters` unless `ordered` is False. Names stand beside up to 60
    rows."""
    values = _square(values)
    names = [str(k) for k in range(len(values))] if names is None else [str(name) for name in names]
    if len(names) != len(values):
        raise Error(f"there are {len(names)} names and {len(values)} rows; allowed is one for each")
    order = order_by_clusters(values) if ordered else np.arange(len(values))
    shown = [names[k] for k in order]
    return Picture(heat_map(values[np.ix_(order, order)], shown, shown))


def nodes(x: Any, y: Any, kernel: Kernel | None = None) -> Picture:
    """`kernel.nodes(x, y)`, the similarity of each vertex of x (a row) with each of y, as a heat map."""
    pair = [as_graph(x), as_graph(y)]
    values = (Kernel() if kernel is None else kernel).nodes(*pair)
    return Picture(heat_map(values, *map(_vertex_names, pair)))


def molecule(x: Any, weights: Iterable[float], size: tuple[int, int] = (360, 300), greatest: float | None = None) -> Picture:
    """A molecule with its atoms coloured by one weight each, such as those of `attribution`: blue above 0, orange below. The colour is
    full at ±`greatest`, by default the greatest |weight|. It is drawn by RDKit.

    x is a SMILES or an RDKit molecule, whose atoms are the vertices of its graph.
    """
    from rdkit.Chem.Draw import rdMolDraw2D
    molecule = parsed_smiles(x) if isinstance(x, str) else x
    weights = np.asarray(list(weights), dtype=float)
    if not hasattr(molecule, "GetNumAtoms"):
        raise Error(f"{type(x).__name__} is no molecule; allowed are SMILES and RDKit molecules")
    if len(weights) != molecule.GetNumAtoms() or not np.all(np.isfinite(weights)):
        raise Error(f"there are {len(weights)} weights; allowed is one finite number for each of the {molecule.GetNumAtoms()} atoms")
    greatest = np.abs(weights).max(initial=0.0) if greatest is None else float(greatest)
    shares = np.clip(weights / greatest, -1, 1) if greatest > 0 else np.zeros(len(weights))
    colours = {k: tuple((1 - abs(share) * (1 - (_ABOVE if share > 0 else _BELOW))).tolist()) for k, share in enumerate(shares)}
    drawer = rdMolDraw2D.MolDraw2DSVG(*size)
    rdMolDraw2D.PrepareAndDrawMolecule(drawer, molecule, highlightAtoms=list(colours), highlightAtomColors=colours, highlightBonds=[])
    drawer.FinishDrawing()
    return Picture(drawer.GetDrawingText())


def graph(x: Any, size: int = 320) -> Picture:
    """A graph, what `as_graph` takes, in a square of `size` pixels: vertices coloured by their elements, or by another label that has few
    values, and edges the wider the greater their weight. Vertices that have places x, y and z are seen along the direction in which they
    differ least; others lie so that distances are those along edges. It draws up to 200 vertices and 4,000 edges."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 40:
        raise Error(f"size is {size!r}; allowed is a number of pixels, at least 40")
    x = as_graph(x)
    drawn = sketch(x, int(size))
    if drawn is None:
        raise Error(f"graph '{x.name}' has {x.vertex_count} vertices and {x.edge_count} edges; allowed to be drawn are {MOST_VERTICES} and "
                    f"{MOST_EDGES}")
    return Picture(drawn)


def _square(values):
    values = np.asarray(values.values if isinstance(values, Result) else values, dtype=float)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size or not np.all(np.isfinite(values)):
        raise Error(f"the matrix has the shape {values.shape}; allowed is a square one of finite numbers")
    return values


def _vertex_names(graph: Graph):
    elements = graph.vertex_labels.get("element")
    return [f"{'' if elements is None else elements[k]}{k}" for k in range(graph.vertex_count)]
