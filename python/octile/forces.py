# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of kernel values by the positions of atoms."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._core import Error
from .atoms import placed
from .graph import Graph, as_graph, each
from .kernel import Kernel


def position_gradient(kernel: Kernel, X: Iterable[Any], weights: np.ndarray, Y: Iterable[Any] | None = None, **options: Any
                      ) -> list[np.ndarray]:
    """The derivatives of Σ weights · K(X, Y), or of Σ weights · K(X, X), by the positions of the atoms of X, in 1/Å: an array of n × 3 for
    each. What Y holds stays as it is.

    X are ase.Atoms, pymatgen structures, or pairs (elements, positions); Y these, or graphs. `options` are those of `from_positions`. The
    weights of edges move with the atoms, by the rule of adjacency, and so do lengths that the edge kernel reads.
    """
    _check(kernel)
    rows = each(lambda value: placed(value, options), X, "X")
    columns = None if Y is None else each(lambda value: _graph(value, options), Y, "Y")
    length = "length" if "length" in _attributes(kernel.edge) else None
    found = kernel.graph_gradient([row.graph() for row in rows], weights, columns, edge_attribute=length)
    return [row.edges.by_positions(one["weights"], one["length"] if length else np.zeros(len(one["weights"])))
            for row, one in zip(rows, found)]


def _graph(value, options):
    known = isinstance(value, (Graph, str)) or not isinstance(value, tuple) and type(value).__module__.partition(".")[0] not in ("ase", "pymatgen")
    return as_graph(value) if known else placed(value, options).graph()


def _check(kernel):
    """Refuses a kernel that reads positions otherwise than by edges."""
    start = str(kernel.start)
    if start == "degree" or start.removeprefix("attribute:") in ("x", "y", "z"):
        raise Error(f"start is {start!r}, which moves with the atoms; allowed are 'uniform', 'ones', 'graph' and other attributes")
    read = _attributes(kernel.vertex) & {"x", "y", "z"}
    if read:
        raise Error(f"the vertex kernel reads {', '.join(sorted(read))}, by which there is no derivative; allowed are other attributes")


def _attributes(base):
    """The attributes that a base kernel reads."""
    def of(tree):
        if tree[0] == "leaf":
            return {tree[2]}
        found = {tree[1]} if tree[0] == "convolution" else set()
        for part in tree[1:]:
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, tuple):
                    found |= of(child)
        return found
    return of(_core.parse(str(base)))
