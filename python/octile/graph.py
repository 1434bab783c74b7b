# SPDX-License-Identifier: BSD-3-Clause
"""Graphs: what kernels compare."""
from __future__ import annotations

import html
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import Error
from .arrays import ends, has_items, reals, shown
from .arrays import targets as numbers_by_name
from .columns import columns
from .sketch import MOST_EDGES, MOST_VERTICES, sketch


class Graph:
    """An undirected graph with weights, labels and starting weights. It never changes.

    Vertices are numbered 0 … n − 1. Edges are kept once each as (i, j) with i < j, ordered; an edge of weight 0 is left out.
    Two graphs are equal if a kernel sees the same in both: names and targets do not count.

    Parameters
    ----------
    vertices : the number of vertices.
    edges : pairs of vertices, each edge once, in any order and direction.
    weights : one an edge, at least 0; 1 unless given.
    vertex_labels, edge_labels : mappings from the name of an attribute to its values, one a vertex or an edge: integers, numbers,
        texts, or lists of numbers or of texts.
    name : by which errors call it.
    start : the weight of each vertex as the start of a walk, for `Kernel(start="graph")`; 1/n unless given.
    targets : numbers to learn, by name. No kernel reads them.

    Raises `octile.Error`, which names the graph, the value and what was allowed.
    """

    __slots__ = ("_native", "_own_start", "__weakref__")

    def __init__(self, vertices: int, edges: Iterable[Sequence[int]] | np.ndarray = (), weights: Sequence[float] | None = None,
                 vertex_labels: Mapping[str, Any] | None = None, edge_labels: Mapping[str, Any] | None = None, *, name: str = "",
                 start: Sequence[float] | None = None, targets: Mapping[str, float] | None = None) -> None:
        name = str(name)
        if isinstance(vertices, bool) or not isinstance(vertices, numbers.Integral):
            raise Error(f"graph '{name}': vertices is {vertices!r}; allowed is their number")
        if not 0 <= vertices < 2**31:
            raise Error(f"graph '{name}': vertices is {vertices}; allowed is a number at least 1, below 2**31")
        pairs = ends(edges, int(vertices), name)
        count = len(pairs)
        weights = np.ones(count) if weights is None else reals(weights, "weight", count, name)
        self._own_start = start is not None
        start = None if start is None else reals(start, "starting weight", int(vertices), name)
        self._native = _core.Graph.make(
            name, int(vertices), pairs, weights, columns(vertex_labels, int(vertices), "vertex", name),
            columns(edge_labels, count, "edge", name), start, numbers_by_name(targets, name))

    @property
    def name(self) -> str:
        """By which errors call it."""
        return self._native.name

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return self._native.vertex_count

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return self._native.edge_count

    @property
    def targets(self) -> dict[str, float]:
        """Numbers to learn, by name."""
        return self._native.targets

    @property
    def edges(self) -> np.ndarray:
        """Pairs of vertices (i, j), i < j, ordered: edges × 2."""
        return self._native.ends()

    @property
    def weights(self) -> np.ndarray:
        """One an edge."""
        return self._native.weights()

    @property
    def start(self) -> np.ndarray:
        """The starting weight of each vertex."""
        return self._native.starting_weights()

    @property
    def vertex_labels(self) -> dict[str, Any]:
        """The values of each vertex attribute."""
        return {name: values for name, (_, values) in self._native.vertex_labels().items()}

    @property
    def edge_labels(self) -> dict[str, Any]:
        """The values of each edge attribute, in the order of `edges`."""
        return {name: values for name, (_, values) in self._native.edge_labels().items()}

    def renamed(self, name: str) -> Graph:
        """The same graph by another name."""
        return _rebuilt(str(name), *self._state()[1:])

    def adjacency(self) -> np.ndarray:
        """The symmetric matrix of weights, dense."""
        matrix = np.zeros((self.vertex_count, self.vertex_count))
        i, j = self.edges.T
        matrix[i, j] = matrix[j, i] = self.weights
        return matrix

    def __eq__(self, other: object) -> bool:
        return self._native.same(other._native) if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._native.hash)

    def __repr__(self) -> str:
        parts = [f"{self.vertex_count} {'vertex' if self.vertex_count == 1 else 'vertices'}",
                 f"{self.edge_count} {'edge' if self.edge_count == 1 else 'edges'}"]
        for kind, labels in (("vertex", self.vertex_labels), ("edge", self.edge_labels)):
            if labels:
                parts.append(f"{kind} labels: {', '.join(labels)}")
        return f"<octile.Graph {self.name!r}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        rows = [("vertices", self.vertex_count), ("edges", self.edge_count)]
        for kind, labels in (("vertex", self.vertex_labels), ("edge", self.edge_labels)):
            for name, values in labels.items():
                shown = ", ".join(_short(value) for value in values[:6]) + (", …" if len(values) > 6 else "")
                rows.append((f"{kind} {name}", shown))
        drawn = sketch(self)
        if drawn is None:
            rows.append(("picture", f"none of more than {MOST_VERTICES} vertices or {MOST_EDGES} edges"))
        cells = "".join(f"<tr><th>{html.escape(str(a))}</th><td>{html.escape(str(b))}</td></tr>" for a, b in rows)
        return f"{drawn or ''}<table><caption>{html.escape(self.name or 'graph')}</caption>{cells}</table>"

    def _state(self):
        """What `_core.Graph.make` takes, and whether the starting weights were given."""
        native = self._native
        start = native.starting_weights() if self._own_start else None
        return (native.name, native.vertex_count, native.ends(), native.weights(), native.vertex_labels(),
                native.edge_labels(), start, native.targets)

    def __reduce__(self):
        return _rebuilt, self._state()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @classmethod
    def from_networkx(cls, graph: Any, **options: Any) -> Graph:
        """See `octile.networks.from_networkx`."""
        from .networks import from_networkx
        return from_networkx(graph, **options)

    @classmethod
    def from_rdkit(cls, molecule: Any, **options: Any) -> Graph:
        """See `octile.molecules.from_rdkit`."""
        from .molecules import from_rdkit
        return from_rdkit(molecule, **options)

    @classmethod
    def from_smiles(cls, smiles: str, **options: Any) -> Graph:
        """See `octile.molecules.from_smiles`."""
        from .molecules import from_smiles
        return from_smiles(smiles, **options)

    @classmethod
    def from_ase(cls, atoms: Any, **options: Any) -> Graph:
        """See `octile.atoms.from_ase`."""
        from .atoms import from_ase
        return from_ase(atoms, **options)

    @classmethod
    def from_pymatgen(cls, structure: Any, **options: Any) -> Graph:
        """See `octile.atoms.from_pymatgen`."""
        from .atoms import from_pymatgen
        return from_pymatgen(structure, **options)

    @classmethod
    def from_pyg(cls, data: Any, **options: Any) -> Graph:
        """See `octile.pyg.from_pyg`."""
        from .pyg import from_pyg
        return from_pyg(data, **options)

    @classmethod
    def from_positions(cls, elements: Sequence[str | int], positions: Any, **options: Any) -> Graph:
        """See `octile.atoms.from_positions`."""
        from .atoms import from_positions
        return from_positions(elements, positions, **options)


def _short(value):
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _rebuilt(name, vertices, ends, weights, vertex_labels, edge_labels, start, targets):
    graph = Graph.__new__(Graph)
    graph._native = _core.Graph.make(name, vertices, ends, weights, vertex_labels, edge_labels, start, targets)
    graph._own_start = start is not None
    return graph


_CONVERSIONS = {"networkx": Graph.from_networkx, "rdkit": Graph.from_rdkit, "ase": Graph.from_ase, "pymatgen": Graph.from_pymatgen,
                "torch_geometric": Graph.from_pyg}


def as_graph(value: Any) -> Graph:
    """The graph of an octile.Graph, a text (SMILES), an RDKit molecule, a networkx graph, an ase.Atoms, a pymatgen Structure or Molecule,
    or a Data of PyTorch Geometric. Each conversion is by its standard options."""
    if isinstance(value, Graph):
        return value
    if isinstance(value, str):
        return Graph.from_smiles(value)
    # By module, so that none of them is imported where it is not used.
    for base in type(value).__mro__:
        convert = _CONVERSIONS.get(base.__module__.partition(".")[0])
        if convert is not None:
            return convert(value)
    raise Error(f"{type(value).__name__} is no graph; allowed are octile.Graph, SMILES, RDKit molecules, networkx graphs, ase.Atoms, "
                "pymatgen structures and data of PyTorch Geometric")


def as_graphs(values: Iterable[Any], what: str = "X") -> list[Graph]:
    """The graphs of a sequence, as `as_graph` makes them. One that is wrong is named by its place, as "X[3]"; `what` says what X is called."""
    return each(as_graph, values, what)


def each(convert: Callable[[Any], Any], values: Iterable[Any], what: str) -> list[Any]:
    """What `convert` makes of each of a sequence of graphs. An error names the place."""
    if isinstance(values, (Graph, str)):
        raise Error(f"{what} is one graph, of type {type(values).__name__}; allowed is a sequence of graphs")
    if not has_items(values):
        raise Error(f"{what} is {shown(values)}; allowed is a sequence of graphs")
    made = []
    for place, value in enumerate(values):
        try:
            made.append(convert(value))
        except Error as error:
            raise Error(f"{what}[{place}]: {error}") from None
    return made
