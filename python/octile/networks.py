# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from networkx, and folders of the collection TUDataset."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Error
from .graph import Graph


def from_networkx(graph: Any, *, weight: str | None = "weight", name: str | None = None,
                  vertex_labels: Sequence[str] | None = None, edge_labels: Sequence[str] | None = None) -> Graph:
    """The graph of a networkx.Graph, as the program reads it from node-link JSON.

    Vertices are numbered in the order of `graph.nodes`. Attributes become labels: all of them, or those named by `vertex_labels`
    and `edge_labels`. All nodes (all edges) have an attribute, or none has it. `weight` is the attribute of edges that is their
    weight, 1 where no edge has it; None for no attribute. `graph.graph["targets"]`, if there, are the targets.
    """
    title = name if name is not None else str(graph.name or "")
    if graph.is_directed() or graph.is_multigraph():
        kind = "directed" if graph.is_directed() else "a multigraph"
        raise Error(f"graph '{title}' is {kind}; allowed is an undirected one with one edge between two nodes (networkx.Graph)")
    number = {node: k for k, node in enumerate(graph.nodes)}
    nodes = [data for _, data in graph.nodes(data=True)]
    links = list(graph.edges(data=True))
    attributes = [data for _, _, data in links]
    weights = None
    if weight is not None and any(weight in data for data in attributes):
        weights = _values(attributes, weight, "edge", title, [f"{u}-{v}" for u, v, _ in links])
    return Graph(
        len(nodes), [(number[u], number[v]) for u, v, _ in links], weights,
        _labels(nodes, vertex_labels, (), "node", title, list(graph.nodes)),
        _labels(attributes, edge_labels, (weight,), "edge", title, [f"{u}-{v}" for u, v, _ in links]),
        name=title, targets=graph.graph.get("targets"))


def _labels(all_data, wanted, left_out, kind, title, names):
    if wanted is None:
        found = {key for data in all_data for key in data} - set(left_out)
        wanted = sorted(str(key) for key in found)
    return {key: _values(all_data, key, kind, title, names) for key in wanted}


def _values(all_data, key, kind, title, names):
    for data, name in zip(all_data, names):
        if key not in data:
            raise Error(f"graph '{title}': {kind} {name} has no attribute {key!r}; allowed is one for all or for none")
    return [data[key] for data in all_data]


def _table(path, type_):
    rows = [line.replace(",", " ").split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    try:
        return np.array(rows, dtype=type_)
    except ValueError:
        raise Error(f"{path.name} is no table of {'integers' if type_ is np.int64 else 'numbers'} of equal rows") from None


def _folder_columns(folder, prefix, what, rows):
    """The columns `label` and `attribute` of vertices or edges; several of a file are numbered."""
    made = {}
    for kind, file in (("label", "labels"), ("attribute", "attributes")):
        path = folder / f"{prefix}_{what}_{file}.txt"
        if not path.is_file():
            continue
        table = _table(path, np.float64)
        if len(table) != rows:
            raise Error(f"{path.name} has {len(table)} rows; allowed is one for each of {rows}")
        for k, values in enumerate(table.T):
            if kind == "label" and np.all(values == np.round(values)):
                values = values.astype(np.int64)
            made[kind if table.shape[1] == 1 else f"{kind}{k}"] = values
    return made


def from_tudataset(folder: str | os.PathLike) -> list[Graph]:
    """The graphs of a folder of TUDataset (NAME_A.txt, …), with their labels, attributes and targets.

    As the program reads them: targets are `label` and `attribute`; an edge attribute that only changes its sign with the direction
    of the edge is taken without the sign.
    """
    folder = pathlib.Path(folder)
    files = sorted(folder.glob("*_A.txt"))
    if len(files) != 1:
        raise Error(f"'{folder}' has {len(files)} files NAME_A.txt; allowed is one")
    prefix = files[0].name.removesuffix("_A.txt")
    ends = _table(files[0], np.int64) - 1
    owner = _table(folder / f"{prefix}_graph_indicator.txt", np.int64)[:, 0] - 1
    vertex = _folder_columns(folder, prefix, "node", len(owner))
    edge = _folder_columns(folder, prefix, "edge", len(ends))
    count = int(owner.max()) + 1
    targets = _folder_columns(folder, prefix, "graph", count)
    # Of the two directions of an edge the one with i < j stays; what the other says must agree.
    place = {(i, j): k for k, (i, j) in enumerate(ends.tolist())}
    forward = np.array([k for (i, j), k in place.items() if i < j], dtype=np.int64)
    try:
        backward = np.array([place[j, i] for i, j in ends[forward].tolist()], dtype=np.int64)
    except KeyError as missing:
        i, j = missing.args[0]
        raise Error(f"{files[0].name}: edge {j + 1}, {i + 1} is there in one direction; allowed are both") from None
    for name, values in edge.items():
        if not np.array_equal(values[forward], values[backward]):
            if not np.array_equal(np.abs(values[forward]), np.abs(values[backward])):
                raise Error(f"{prefix}: edge {name} differs between the directions of an edge; allowed is a change of sign")
            edge[name] = np.abs(values)
    first = np.searchsorted(owner, np.arange(count + 1))
    edge_owner = owner[ends[forward, 0]]
    order = np.argsort(edge_owner, kind="stable")
    forward, edge_first = forward[order], np.searchsorted(edge_owner[order], np.arange(count + 1))
    graphs = []
    for k in range(count):
        mine = forward[edge_first[k]:edge_first[k + 1]]
        inside = slice(first[k], first[k + 1])
        graphs.append(Graph(
            first[k + 1] - first[k], ends[mine] - first[k], None, {name: values[inside] for name, values in vertex.items()},
            {name: values[mine] for name, values in edge.items()}, name=f"{prefix}:{k + 1}",
            targets={name: float(values[k]) for name, values in targets.items()}))
    return graphs
