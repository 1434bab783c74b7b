# SPDX-License-Identifier: BSD-3-Clause
"""Gram matrices in tiles, for methods that need products with them alone."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _core
from ._core import Error
from .arrays import real_array, whole
from .graph import as_graphs
from .kernel import Kernel
from .pairs import distinct
from .result import ConvergenceWarning


class GramTiles:
    """K of all pairs of X in tiles, as `tiles @ v` multiplies it. Each pair is solved once, and the values of the upper triangle are kept:
    N² / 2 numbers of 8 bytes, or of 4 with `storage="float32"`, which rounds them to 6e-8. The N × N matrix is never formed.
    Neither do pickles hold the values: they are solved again when what was loaded first needs them. A copy shares them.

    tile : graphs along a side of a tile.
    largest_error : the largest proven relative error of a value.
    """

    def __init__(self, kernel: Kernel, X: Iterable[Any], *, storage: str = "float64", tile: int = 256) -> None:
        if kernel.normalize == "tanimoto":
            raise Error("normalize is 'tanimoto', of which there are no tiles; allowed are True and False")
        if storage not in ("float32", "float64"):
            raise Error(f"storage is {storage!r}; allowed are 'float32' and 'float64'")
        whole(tile, "tile", 1)
        # A kernel of its own, since the given one may be changed before the values are solved again.
        self.graphs_, self.kernel = as_graphs(X), type(kernel)(**kernel.get_params())
        if not self.graphs_:
            raise Error("there are no graphs; allowed is at least one")
        # More than there are graphs is all of them.
        self._tile, self._storage, self._made = min(int(tile), len(self.graphs_)), storage, None
        self.largest_error = self._tiles.largest_error

    @property
    def _tiles(self):
        if self._made is None:
            graphs, self._index = distinct(self.graphs_)
            self._made = self.kernel._in_tiles(graphs, self._tile, self._storage)
            if self._made.unconverged:
                warnings.warn(f"{self._made.unconverged} pairs are less exact than was asked for", ConvergenceWarning, stacklevel=3)
        return self._made

    def __getstate__(self):
        return dict(self.__dict__, _made=None)

    def __copy__(self):
        made = GramTiles.__new__(GramTiles)
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo):
        made = copy.copy(self)
        made.graphs_, made.kernel = list(self.graphs_), copy.deepcopy(self.kernel, memo)
        return made

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.graphs_), len(self.graphs_)

    @property
    def kept(self) -> int:
        """The number of values that are held."""
        return self._tiles.kept

    def diagonal(self) -> np.ndarray:
        return self._tiles.diagonal()[self._index]

    def _summed(self, v):
        """Vectors of graphs without equal ones: numbers of those add up."""
        v = real_array(v, "v")
        if v.ndim not in (1, 2) or len(v) != len(self.graphs_):
            raise Error(f"v has the shape {v.shape}; allowed are {len(self.graphs_)} rows")
        columns = v.reshape(len(v), -1)
        summed = np.zeros((int(self._index.max()) + 1, columns.shape[1]))
        np.add.at(summed, self._index, columns)
        return summed

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        return self._tiles.apply(self._summed(v))[self._index].reshape(np.shape(v))

    def bilinear_derivative(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The derivatives of Σ_c left_cᵀ K right_c by the kernel's theta; each pair is solved again."""
        found = self._tiles.bilinear_derivative(self._summed(left), self._summed(right), None)
        compiled = self.kernel._compiled()
        return found[compiled.free] * [compiled.slots[k].value for k in compiled.free]


def solve(apply: Callable[[np.ndarray], np.ndarray], right: np.ndarray, preconditioner: Callable[[np.ndarray], np.ndarray],
          tolerance: float = 1e-8, most: int = 1000) -> tuple[np.ndarray, int]:
    """The solution of A x = right for each column by conjugate gradients, and the iterations. It is told by an `Error` if it does not come to
    ‖A x − right‖ ≤ tolerance · ‖right‖."""
    right = np.asarray(right, dtype=float)
    columns = right.reshape(len(right), -1)
    x, r = np.zeros_like(columns), columns.copy()
    z = preconditioner(r)
    p, rho = z.copy(), np.einsum("ij,ij->j", r, z)
    wanted = tolerance * np.linalg.norm(columns, axis=0)
    for iteration in range(most + 1):
        if np.all(np.linalg.norm(r, axis=0) <= wanted):
            # By the recurrence; what counts is the residual itself, which rounding may keep above.
            residual = np.linalg.norm(columns - apply(x), axis=0)
            if np.all(residual <= 10 * wanted):
                return x.reshape(right.shape), iteration
            break
        q = apply(p)
        curvature = np.einsum("ij,ij->j", p, q)
        step = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0)
        x, r = x + step * p, r - step * q
        z = preconditioner(r)
        before, rho = rho, np.einsum("ij,ij->j", r, z)
        p = z + np.divide(rho, before, out=np.zeros_like(rho), where=before > 0) * p
    raise Error(f"conjugate gradients come to no residual of {tolerance:g} within {most} iterations; allowed is more noise, or a larger "
                "tolerance")
