# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from PyTorch Geometric. Neither it nor torch is imported: what has the same members is taken, too."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph


def _array(data, name):
    """A tensor of the data as an array, None if it is not there."""
    found = getattr(data, name, None)
    if found is None:
        return None
    return np.asarray(found.detach().cpu() if hasattr(found, "detach") else found)


def _labels(data, wanted, vectors, count, kind, graph):
    """The labels of named tensors: of each column one, or one of lists."""
    made = {}
    for name in wanted:
        values = _array(data, name)
        if values is None:
            continue
        if values.ndim not in (1, 2) or len(values) != count:
            raise Error(f"graph '{graph}': {name} has the shape {values.shape}; allowed is ({count},) or ({count}, columns), "
                        f"a row for each {kind}")
        if values.ndim == 1 or values.shape[1] == 1:
            made[name] = values.reshape(count)
        elif name in vectors:
            made[name] = values.astype(np.float64).tolist()
        else:
            made |= {f"{name}{k}": column for k, column in enumerate(values.T)}
    return made


def _directions(ends, graph):
    """Where each edge i < j stands, and where the same edge stands from j to i."""
    place = {}
    for k, (i, j) in enumerate(ends.tolist()):
        if i == j:
            raise Error(f"graph '{graph}': node {i} has an edge to itself; allowed are edges of two nodes")
        if place.setdefault((i, j), k) != k:
            raise Error(f"graph '{graph}': the edge from {i} to {j} is there more than once; allowed is once")
    missing = next(((i, j) for i, j in place if (j, i) not in place), None)
    if missing is not None:
        raise Error(f"graph '{graph}': the edge from {missing[0]} to {missing[1]} is there in one direction; allowed are both, as "
                    "torch_geometric.transforms.ToUndirected makes them")
    forward = [(k, place[j, i]) for (i, j), k in place.items() if i < j]
    return np.array(forward, dtype=np.int64).reshape(-1, 2).T


def _targets(data):
    """y of the whole graph: one number, or one row of them."""
    y = _array(data, "y")
    if y is None or y.size == 0 or not (y.ndim == 0 or y.shape == (1,) or y.ndim == 2 and len(y) == 1):
        return {}
    numbers = y.reshape(-1).astype(float).tolist()
    return {"y": numbers[0]} if len(numbers) == 1 else {f"y{k}": number for k, number in enumerate(numbers)}


def from_pyg(data: Any, *, weight: str | None = "edge_weight", vertex_labels: Sequence[str] = ("x", "pos", "z"),
             edge_labels: Sequence[str] = ("edge_attr",), vectors: Sequence[str] = (), name: str = "") -> Graph:
    """The graph of a torch_geometric.data.Data.

    `edge_index` has each edge in both directions, as undirected graphs have it there. Of the tensors that `vertex_labels` and `edge_labels`
    name, those that are there become labels. One with several columns becomes as many labels: x0, x1, … If `vectors` names it, too, it
    becomes one label of lists of numbers, for the kernel `dot`. `weight` names the tensor of the edges' weights, which are 1 if it
    is not there or None. Targets are y, or y0, y1, …, of a `y` that is one number or one row of numbers.
    """
    index = _array(data, "edge_index")
    if index is None or index.ndim != 2 or len(index) != 2:
        found = "no edge_index" if index is None else f"an edge_index of shape {index.shape}"
        raise Error(f"graph '{name}' has {found}; allowed is one of shape (2, edges)")
    count, ends = int(data.num_nodes), index.T.astype(np.int64)
    forward, backward = _directions(ends, name)
    edges = _labels(data, edge_labels, vectors, len(ends), "edge", name)
    weights = {} if weight is None else _labels(data, [weight], [], len(ends), "edge", name)
    if weights and list(weights) != [weight]:
        raise Error(f"graph '{name}': {weight} has {len(weights)} columns; allowed is one")
    for label, values in (edges | weights).items():
        values = np.asarray(values)
        if not np.array_equal(values[forward], values[backward]):
            raise Error(f"graph '{name}': {label} differs between the directions of an edge; allowed is one value for both")
    return Graph(count, ends[forward], np.asarray(weights[weight])[forward] if weights else None,
                 _labels(data, vertex_labels, vectors, count, "node", name),
                 {label: _rows(values, forward) for label, values in edges.items()}, name=name, targets=_targets(data))


def _rows(values, places):
    return values[places] if isinstance(values, np.ndarray) else [values[k] for k in places.tolist()]
