# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of kernels as SVG: a Gram matrix in the order of its clusters, the vertices of two graphs beside each other, and a molecule
with its atoms coloured. A notebook shows them as they are.
"""
from __future__ import annotations

import base64
import html
import os
import pathlib
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph, as_graphs
from .kernel import Kernel
from .molecules import parsed_smiles

_CELL = 18  # pixels
_FONT = 'font-family="sans-serif" font-size="11"'
# Of numbers from the least to the greatest: from light to dark. Of numbers on both sides of 0: these two, with white between.
_LIGHT_TO_DARK = np.array([[253, 231, 37], [94, 201, 98], [33, 145, 140], [59, 82, 139], [68, 1, 84]], dtype=float)[::-1]
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


def matrix(values: np.ndarray, names: Sequence[str] | None = None, ordered: bool = True) -> Picture:
    """A Gram matrix as a heat map, its rows and columns `order_by_clusters` unless `ordered` is False. Names stand beside up to 60
    rows."""
    values = _square(values)
    names = [str(k) for k in range(len(values))] if names is None else [str(name) for name in names]
    if len(names) != len(values):
        raise Error(f"there are {len(names)} names and {len(values)} rows; allowed is one for each")
    order = order_by_clusters(values) if ordered else np.arange(len(values))
    shown = [names[k] for k in order]
    return _heat_map(values[np.ix_(order, order)], shown, shown)


def nodes(x: Any, y: Any, kernel: Kernel | None = None) -> Picture:
    """`kernel.nodes(x, y)`, the similarity of each vertex of x (a row) with each of y, as a heat map."""
    pair = as_graphs([x, y])
    values = (Kernel() if kernel is None else kernel).nodes(*pair)
    return _heat_map(values, *map(_vertex_names, pair))


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


def _square(values):
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size or not np.all(np.isfinite(values)):
        raise Error(f"the matrix has the shape {values.shape}; allowed is a square one of finite numbers")
    return values


def _vertex_names(graph: Graph):
    elements = graph.vertex_labels.get("element")
    return [f"{'' if elements is None else elements[k]}{k}" for k in range(graph.vertex_count)]


def _colours(values):
    """The colours of numbers from the least to the greatest: bytes, with a last axis of 3."""
    low, high = values.min(), values.max()
    at = (values - low) / (high - low) if high > low else np.ones_like(values)
    steps = np.arange(len(_LIGHT_TO_DARK)) / (len(_LIGHT_TO_DARK) - 1)
    return np.stack([np.interp(at, steps, band) for band in _LIGHT_TO_DARK.T], axis=-1).round().astype(np.uint8)


def _png(pixels):
    """An image, rows × columns × 3 bytes, in the format PNG."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def _heat_map(values, rows, columns):
    """One pixel a value, enlarged; with names where they can be read, and the least and the greatest value."""
    cell = _CELL if max(values.shape) <= 60 else max(1, 1080 // max(values.shape))
    named = cell == _CELL
    left = 12 + 7 * max(map(len, rows)) if named else 4
    top = 12 + 7 * max(map(len, columns)) if named else 4
    height, width = cell * values.shape[0], cell * values.shape[1]
    image = base64.b64encode(_png(_colours(values))).decode("ascii")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + max(width, 160) + 8}" height="{top + height + 30}">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<image x="{left}" y="{top}" width="{width}" height="{height}" preserveAspectRatio="none" '
             f'style="image-rendering:pixelated" href="data:image/png;base64,{image}"/>']
    if named:
        parts += [f'<text x="{left - 4}" y="{top + cell * k + 13}" text-anchor="end" {_FONT}>{html.escape(name)}</text>'
                  for k, name in enumerate(rows)]
        parts += [f'<text transform="translate({left + cell * k + 13},{top - 4}) rotate(-90)" {_FONT}>{html.escape(name)}</text>'
                  for k, name in enumerate(columns)]
    parts.append(f'<text x="{left}" y="{top + height + 20}" {_FONT}>dark {values.min():.3g} … light {values.max():.3g}</text></svg>')
    return Picture("\n".join(parts))
