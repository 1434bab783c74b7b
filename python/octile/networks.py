# SPDX-License-Identifier: BSD-3-Clause
"""Graphs from networkx."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
