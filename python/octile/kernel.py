# SPDX-License-Identifier: BSD-3-Clause
"""The marginalized graph kernel, as a kernel of scikit-learn."""
from __future__ import annotations

import html
import logging
import math
import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import GenericKernelMixin, Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as _SklearnKernel

from . import _core
from ._core import Error
from .arrays import real_array
from .compiled import Compiled, source
from .graph import as_graph, as_graphs
from .kernels import BaseKernel
from .pairs import Asked, chunks, distinct
from .progress import progress_of
from .result import STATUSES, ConvergenceWarning, Result, SamenessWarning, warn
from .sets import sets
from .tanimoto import ratio, tanimoto, tanimoto_weights

_log = logging.getLogger("octile")


class Kernel(GenericKernelMixin, _SklearnKernel):
    """The marginalized graph kernel K(G, G'), a kernel of scikit-learn's Gaussian processes.

    Parameters
    ----------
    vertex, edge : the base kernels, as text or as an object of `octile.kernels`.
    start : where walks start: "uniform" (1/n a vertex), "ones" (1 each: K grows with the graphs), "degree", "attribute:NAME", or
        "graph", as each graph says.
    stopping : "probability:Q" or "weight:Q".
    lmin : 0, or 1 for walks of at least one step.
    normalize : K(x, y) / √(K(x, x) K(y, y)); with "tanimoto" K(x, y) / (K(x, x) + K(y, y) − K(x, y)), which also tells a graph from a
        larger one that is made of the same parts; False for K itself.
    accuracy : the relative error that every value is proven to have at most; or "estimated:1e-6", not proven.
    backend, precision : as the command line has them; "auto" for the fastest.
    bounds_by_name : bounds of parameters, or "fixed", by their names as `parameters` has them. Others have those of their base
        kernel. The numbers of a sum are fixed unless they have bounds or stand in `normalize(…)`.
    progress : True for a line of progress, or a function of (pairs done, of all, seconds).

    X and Y are sequences of what `octile.as_graph` takes, such as `octile.Graph`, SMILES or networkx graphs. Equal graphs are solved once. Sets
    of graphs stay prepared between calls.
    """

    def __init__(self, vertex: str | BaseKernel = "1", edge: str | BaseKernel = "1", start: str = "uniform",
                 stopping: str = "probability:0.05", lmin: int = 0, normalize: bool | str = True, accuracy: float | str = 1e-6,
                 backend: str = "auto", precision: str = "auto",
                 bounds_by_name: Mapping[str, str | tuple[float, float]] | None = None,
                 progress: bool | Callable[[int, int, float], None] = False) -> None:
        self.vertex = vertex
        self.edge = edge
        self.start = start
        self.stopping = stopping
        self.lmin = lmin
        self.normalize = normalize
        self.accuracy = accuracy
        self.backend = backend
        self.precision = precision
        self.bounds_by_name = bounds_by_name
        self.progress = progress
        self._compiled_kernel = None
        self._compiled()

    def __getstate__(self):
        return dict(self.__dict__, _compiled_kernel=None)

    def __repr__(self):
        return (f"octile.Kernel(vertex={str(self.vertex)!r}, edge={str(self.edge)!r}, start={self.start!r}, "
                f"stopping={self.stopping!r}, lmin={self.lmin}, normalize={self.normalize!r})")

    def _repr_html_(self) -> str:
        def row(*cells, kind="td"):
            return "<tr>" + "".join(f"<{kind}>{html.escape(str(cell))}</{kind}>" for cell in cells) + "</tr>"

        listed = row("parameter", "value", "bounds", kind="th")
        for name, (value, bounds) in self.parameters.items():
            listed += row(name, f"{value:.6g}", bounds if isinstance(bounds, str) else f"{bounds[0]:.6g} … {bounds[1]:.6g}")
        return f"<pre>{html.escape(repr(self))}</pre><table>{listed}</table>"

    def _compiled(self):
        made = self._compiled_kernel
        if made is None or any(a is not b for a, b in zip(made.source, source(self))):
            made = self._compiled_kernel = Compiled(self)
        return made

    # What scikit-learn asks of a kernel.

    @property
    def parameters(self) -> dict[str, tuple[float, tuple[float, float] | str]]:
        """All numbers of the kernel by name: value, and bounds or "fixed"."""
        return {slot.name: (slot.value, slot.bounds) for slot in self._compiled().slots}

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        return [Hyperparameter(slot.name, "numeric", "fixed" if slot.fixed else np.array([slot.bounds]))
                for slot in self._compiled().slots]

    @property
    def n_dims(self) -> int:
        return len(self._compiled().free)

    @property
    def theta(self) -> np.ndarray:
        """The logarithms of the parameters that are not fixed."""
        compiled = self._compiled()
        return np.log([compiled.slots[k].value for k in compiled.free])

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        compiled = self._compiled()
        theta = real_array(theta, "theta")
        if theta.shape != (len(compiled.free),):
            raise Error(f"theta has the shape {theta.shape}; allowed is ({len(compiled.free)},), one number for each free parameter")
        values = [slot.value for slot in compiled.slots]
        for k, logarithm in zip(compiled.free, theta):
            # exp(log(bound)) may lie outside by a rounding.
            values[k] = min(max(math.exp(logarithm), compiled.slots[k].bounds[0]), compiled.slots[k].bounds[1])
        vertex, edge, q = compiled.with_values(values)
        # What does not change stays the object that was given; what does becomes one, which keeps the bounds.
        self.vertex = self.vertex if vertex is compiled.vertex else vertex
        self.edge = self.edge if edge is compiled.edge else edge
        self.stopping = f"{compiled.meaning}:{q!r}"

    @property
    def bounds(self) -> np.ndarray:
        """The logarithms of the bounds of theta: P × 2."""
        compiled = self._compiled()
        return np.log(np.array([compiled.slots[k].bounds for k in compiled.free], dtype=float).reshape(-1, 2))

    def fixed(self) -> Kernel:
        """The same kernel with all parameters fixed."""
        return Kernel(**{**self.get_params(), "bounds_by_name": dict.fromkeys(self.parameters, "fixed")})

    def is_stationary(self) -> bool:
        return False

    def diag(self, X: Iterable[Any]) -> np.ndarray:
        """K(x, x) of each graph; 1 if normalised."""
        graphs = as_graphs(X)
        return np.ones(len(graphs)) if self.normalize is not False else self._diagonal(graphs).values

    def __call__(self, X: Iterable[Any], Y: Iterable[Any] | None = None, eval_gradient: bool = False
                 ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """K of all pairs of X, or of X with Y; with `eval_gradient` also the derivatives by theta, N × N × P."""
        if not eval_gradient:
            return self._values(Asked(as_graphs(X), None if Y is None else as_graphs(Y, "Y")))
        if Y is not None:
            raise Error("eval_gradient is True of X with Y; allowed is K(X, X), without Y")
        compiled = self._compiled()
        result = self.solve(X, gradient=len(compiled.free) > 0)
        if not compiled.free:
            return result.values, np.empty((*result.values.shape, 0))
        scale = np.array([compiled.slots[k].value for k in compiled.free])
        return result.values, result.gradient[:, :, compiled.free] * scale

    # What more there is.

    def solve(self, X: Iterable[Any], Y: Iterable[Any] | None = None, gradient: bool = False,
              pairs: Sequence[tuple[int, int]] | np.ndarray | None = None) -> Result:
        """The `Result` of all pairs of X, or of X with Y, with the derivatives by all parameters if asked. `pairs` are those that are
        asked for alone, as numbers of a graph of X and of one of X, or of Y: the result has one place for each."""
        asked = Asked(as_graphs(X), None if Y is None else as_graphs(Y, "Y"), pairs)
        derivatives = "each" if gradient else "none"
        if self.normalize != "tanimoto":
            return self._result(self._answer(asked.graphs, asked.pairs, derivatives), asked.place, gradient)
        pairs, own = asked.with_own()
        answer = self._answer(asked.graphs, pairs, derivatives)
        return tanimoto(self._result(answer, asked.place, gradient), self._result(answer, own, gradient), asked.first, asked.second)

    def weighted_gradient(self, X: Iterable[Any], weights: np.ndarray, Y: Iterable[Any] | None = None,
                          pairs: Sequence[tuple[int, int]] | np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """K of all pairs of X, of X with Y, or of `pairs` (see `solve`), and the derivatives of Σ weights · K by theta: P numbers, without
        one for each pair and parameter in between."""
        asked = Asked(as_graphs(X), None if Y is None else as_graphs(Y, "Y"), pairs)
        values, answer = self._weighted(asked, weights)
        compiled = self._compiled()
        gradient = answer["derivatives"][compiled.free]
        return values, gradient * [compiled.slots[k].value for k in compiled.free]

    def graph_gradient(self, X: Iterable[Any], weights: np.ndarray, Y: Iterable[Any] | None = None, edge_attribute: str | None = None
                       ) -> list[dict[str, np.ndarray]]:
        """The derivatives of Σ weights · K(X, Y), or of Σ weights · K(X, X), by what each graph of X holds: its starting weights
        ("start"), the weights of its edges ("weights"), and if `edge_attribute` names numbers that the edge kernel reads, these by its
        name. Those of Y are held as they are.

        They are formed from solutions whose error is about the root of that of values, and nothing is proven of them: the finest accuracy
        is taken, with which they are right to about 1e-6 of K / weight, or exact with `backend="reference"`."""
        rows = as_graphs(X)
        asked = Asked(rows, None if Y is None else as_graphs(Y, "Y"), merged=False)
        finest = Kernel(**{**self.get_params(), "accuracy": 1e-12})
        found = finest._weighted(asked, weights, by_graphs=edge_attribute or "")[1]["by_graphs"]
        made = []
        for k in range(len(rows)):
            vertices, edges = (slice(*found[begin][k:k + 2]) for begin in ("vertex_begin", "edge_begin"))
            made.append({"start": found["starting"][vertices], "weights": found["edge_weights"][edges]})
            if edge_attribute:
                made[-1][edge_attribute] = found["edge_numbers"][edges]
        return made

    def nodes(self, x: Any, y: Any, errors: bool = False) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The similarity of each vertex of x with each of y, n × m: K(x, y) = Σ p_i p'_j nodes_ij, not normalised. With `errors` also
        bounds, n × m: |similarity − exact| ≤ bound, infinite where nothing is certain."""
        answer, shape = self._nodes_of(x, y)
        nodes = answer["nodes"].reshape(shape)
        if not errors:
            return nodes
        if not len(answer["node_errors"]):
            raise Error(f"errors of accuracy {self.accuracy!r}, of which nothing is proven; allowed is a number, or None")
        return nodes, answer["node_errors"].reshape(shape)

    def nodes_gradient(self, x: Any, y: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The similarity of the vertices as `nodes` has it, n × m, and the derivatives of Σ weights_ij nodes_ij by theta, for n × m weights
        of any sign. It takes one more solve, however many parameters there are."""
        weights = real_array(weights, "weights")
        x, y = as_graph(x), as_graph(y)
        if weights.shape != (x.vertex_count, y.vertex_count):
            raise Error(f"weights have the shape {weights.shape}; allowed is ({x.vertex_count}, {y.vertex_count}), one for each pair of "
                        "vertices")
        answer, shape = self._nodes_of(x, y, weights)
        compiled = self._compiled()
        gradient = answer["derivatives"][0, compiled.free]
        return answer["nodes"].reshape(shape), gradient * [compiled.slots[k].value for k in compiled.free]

    def attribution(self, X: Iterable[Any], Y: Iterable[Any], weights: np.ndarray) -> list[np.ndarray]:
        """What each vertex of each graph of X adds to Σ_y weights_y K(x, y): an array for each x, which adds up to that sum.

        With the weights that a Gaussian process has for its training graphs Y (`alpha_` of scikit-learn's), it is what each atom adds
        to the mean that is predicted.
        """
        rows, columns = as_graphs(X), as_graphs(Y, "Y")
        weights = real_array(weights, "weights")
        if weights.shape != (len(columns),):
            raise Error(f"weights have the shape {weights.shape}; allowed is ({len(columns)},), one for each graph of Y")
        if self.normalize == "tanimoto":
            raise Error("normalize is 'tanimoto', of which no vertex has a share; allowed are True and False")
        scale_x = scale_y = None
        if self.normalize:
            scale_x, scale_y = (_scale(self._diagonal(graphs).values) for graphs in (rows, columns))
            weights = weights * scale_y
        graphs, index = distinct(rows + columns)
        started = self._started(graphs)
        made = []
        # Each request costs its preparation, and returns a number for each vertex and each graph of Y.
        for first, last in chunks([row.vertex_count * len(columns) for row in rows], _most_numbers):
            pairs = np.stack(np.meshgrid(index[first:last], index[len(rows):], indexing="ij"), axis=-1).reshape(-1, 2)
            answer = self._nodes(graphs, np.ascontiguousarray(pairs, dtype=np.int32), "first")
            begins = answer["nodes_begin"][::len(columns)]
            for k, (begin, end) in enumerate(zip(begins[:-1], begins[1:]), first):
                by_graph = answer["nodes"][begin:end].reshape(len(columns), rows[k].vertex_count)
                p = started[index[k]].starting_weights()
                made.append(p * (weights @ by_graph) * (1 if scale_x is None else scale_x[k]))
        return made

    # How it is done.

    def _diagonal(self, rows):
        """K(x, x) itself."""
        if not rows:
            raise Error("there are no graphs; allowed is at least one")
        graphs, index = distinct(rows)
        own = np.arange(len(graphs), dtype=np.int32)
        return self._result(self._answer(graphs, np.stack([own, own], axis=1), "none", normalize=False), index, False)

    def _start_key(self):
        """What starting weights depend on: the rule, and q where degrees have it."""
        compiled = self._compiled()
        if self.start == "degree" and compiled.meaning == "weight":
            return str(self.start), str(self.stopping)
        return str(self.start), "probability:0.5"

    def _started(self, graphs):
        """The graphs with their starting weights, as C++ has them."""
        natives = [graph._native for graph in graphs]
        start, stopping = self._start_key()
        return natives if start == "graph" else _core.started(natives, str(start), stopping)

    def _how(self):
        accuracy = self.accuracy
        if isinstance(accuracy, numbers.Real):
            accuracy = repr(float(accuracy))
        return str(self.backend), str(accuracy), str(self.precision)

    def _prepared(self, graphs):
        how = self._how()
        return sets.find((graphs, self._start_key(), how), lambda: _core.prepare(self._started(graphs), *how))

    def _nodes_of(self, x, y, weights=None):
        """The answer to a request for the similarities of all vertices of two graphs, with derivatives if there are weights, and n and m."""
        pair = [as_graph(x), as_graph(y)]
        graphs, index = distinct(pair)
        answer = self._nodes(graphs, index[None, :].astype(np.int32), "pairs", weights)
        return answer, (pair[0].vertex_count, pair[1].vertex_count)

    def _nodes(self, graphs, pairs, which, node_weights=None):
        """The answer to a request for the numbers of vertices."""
        derivatives = "none" if node_weights is None else "each"
        return self._answer(graphs, pairs, derivatives, nodes=which, node_weights=node_weights)

    def _warn_of_sameness(self, graphs):
        """K of graphs that start by other sums than 1 tells them apart by these, unless it is normalised."""
        if self.start not in ("uniform", "degree") and self.normalize in (False, "tanimoto"):
            return
        told = _core.sameness([graph._native for graph in graphs], self._compiled().spec)
        if told:
            warnings.warn(told, SamenessWarning, stacklevel=5)

    def _in_tiles(self, graphs, tile, storage):
        self._warn_of_sameness(graphs)
        progress, close = progress_of(self.progress)
        try:
            return _core.Tiles.make(self._prepared(graphs), self._compiled().spec, bool(self.normalize), tile, storage, progress)
        finally:
            close()

    def _values(self, asked):
        """K of the pairs, and nothing else of them."""
        if self.normalize != "tanimoto":
            return self._answer(asked.graphs, asked.pairs, "none")["values"][asked.place]
        pairs, own = asked.with_own()
        raw = self._answer(asked.graphs, pairs, "none")["values"]
        return ratio(raw[asked.place], raw[own][asked.first], raw[own][asked.second])

    def _weighted(self, asked, weights, by_graphs=None):
        """The values of the pairs, and the answer to the request for the derivatives of Σ weights · values."""
        weights = real_array(weights, "weights")
        if weights.shape != asked.place.shape:
            raise Error(f"weights have the shape {weights.shape}; allowed is {asked.place.shape}")
        # Of equal graphs, and of (i, j) and (j, i), weights add up on the pair that is solved.
        if self.normalize != "tanimoto":
            summed = asked.summed(asked.place, weights)
            answer = self._answer(asked.graphs, asked.pairs, "weighted", summed, by_graphs=by_graphs)
            return answer["values"][asked.place], answer
        pairs, own = asked.with_own()
        raw = self._answer(asked.graphs, pairs, "none")["values"]
        first, second = own[asked.first], own[asked.second]
        values, of_pairs, of_own = tanimoto_weights(raw[asked.place], raw[first], raw[second], weights)
        count = len(raw)
        summed = sum(asked.summed(place, one, count) for place, one in ((asked.place, of_pairs), (first, of_own), (second, of_own)))
        return values, self._answer(asked.graphs, pairs, "weighted", summed, by_graphs=by_graphs)

    def _answer(self, graphs, pairs, derivatives, weights=None, nodes="none", normalize=None, by_graphs=None, node_weights=None):
        compiled = self._compiled()
        if derivatives != "none" and self._start_key()[0] == "degree" and compiled.meaning == "weight" and (
                not compiled.slots[-1].fixed):
            raise Error("with start 'degree' and a stopping weight, starting weights change with q, by which there is then no "
                        "derivative; allowed is bounds_by_name={'q': 'fixed'}, or a stopping probability")
        if normalize is None and nodes == "none":
            self._warn_of_sameness(graphs)
        if normalize is None:
            normalize = self.normalize is not False and self.normalize != "tanimoto" and nodes == "none"
        progress, close = progress_of(self.progress)
        try:
            answer = self._prepared(graphs).solve(compiled.spec, pairs, normalize, derivatives, weights, nodes, progress, by_graphs,
                                                  None if node_weights is None else np.ascontiguousarray(node_weights).ravel())
        finally:
            close()
        _log.debug("%d pairs of %d graphs: prepared in %.3f s, solved in %.3f s; %s", len(answer["raw"]), len(graphs),
                   answer["setup_seconds"], answer["solve_seconds"], answer["description"])
        warn(answer, graphs, pairs)
        return answer

    def _result(self, answer, place, gradient):
        """The result of the pairs at `place`."""
        return Result(
            answer["values"][place], answer["bounds"][place], STATUSES[answer["status"]][place], answer["iterations"][place],
            answer["derivatives"][place] if gradient else None,
            tuple(slot.name for slot in self._compiled().slots), answer["setup_seconds"], answer["solve_seconds"],
            answer["description"])


_most_numbers = 1 << 24


def _scale(own):
    """1 / √K(x, x); 0 for a graph of which it is 0, as all its values are."""
    return np.divide(1, np.sqrt(own), out=np.zeros(len(own)), where=own > 0)
