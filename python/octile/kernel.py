# SPDX-License-Identifier: BSD-3-Clause
"""The marginalized graph kernel, as a kernel of scikit-learn."""
from __future__ import annotations

import dataclasses
import logging
import math
import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import GenericKernelMixin, Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as _SklearnKernel

from . import _core
from ._core import Error
from .graph import as_graphs
from .kernels import BaseKernel, Constant, Parameter, Slot, as_kernel
from .pairs import chunks, distinct, pairs_of, with_own
from .sets import sets
from .tanimoto import tanimoto, tanimoto_weights

_log = logging.getLogger("octile")
_STATUSES = np.array(_core.statuses)


class ConvergenceWarning(UserWarning):
    """Some pairs have no value that is as exact as was asked for."""


@dataclasses.dataclass(frozen=True)
class Result:
    """What was found of the pairs rows × columns (of the diagonal: of each graph with itself).

    values : K, or K(x, y) / √(K(x, x) K(y, y)) if normalised.
    bounds : |value − exact| ≤ bound · exact is proven; infinite where nothing is.
    status : "converged" where the accuracy is proven, else what kept it from being so.
    iterations : of both systems together.
    gradient : derivatives by `parameters`, if they were asked for: a further axis.
    parameters : the names of all parameters, fixed ones too.
    """

    values: np.ndarray
    bounds: np.ndarray
    status: np.ndarray
    iterations: np.ndarray
    gradient: np.ndarray | None
    parameters: tuple[str, ...]
    setup_seconds: float
    solve_seconds: float
    description: str


class _Compiled:
    """What follows from a kernel's parameters."""

    def __init__(self, kernel):
        # The objects whose kernel this is: they are compared by identity.
        self.source = kernel._source()
        self.vertex, self.edge = as_kernel(kernel.vertex), as_kernel(kernel.edge)
        self.meaning, q = _core.parse_stopping(str(kernel.stopping))
        wanted = dict(kernel.bounds_by_name or {})
        self.slots = []
        for site, base in (("vertex", self.vertex), ("edge", self.edge)):
            for slot in _slots_of(base):
                self._add(f"{site}.{slot.name}", slot, wanted)
        at_most = 0.9 if self.meaning == "probability" else 1e3
        self._add("q", Slot("q", Parameter(q), 1e-3, at_most, True), wanted)
        if wanted:
            names = ", ".join(slot.name for slot in self.slots)
            raise Error(f"bounds of '{next(iter(wanted))}': the kernel has no such parameter; allowed are {names}")
        if not isinstance(kernel.normalize, (bool, np.bool_)) and kernel.normalize != "tanimoto":
            raise Error(f"normalize is {kernel.normalize!r}; allowed are True, False and 'tanimoto'")
        self.free = [k for k, slot in enumerate(self.slots) if not slot.fixed]
        # Its parameters are the slots, in their order.
        self.spec = _core.KernelSpec.make(str(self.vertex), str(self.edge), f"{self.meaning}:{q!r}", _lmin(kernel.lmin))

    def _add(self, name, slot, wanted):
        slot.name, count = name, 1
        while any(slot.name == other.name for other in self.slots):
            count += 1
            slot.name = f"{name}#{count}"
        if slot.name in wanted:
            slot = Slot(slot.name, Parameter(slot.value, wanted.pop(slot.name)), 0.0, math.inf, True)
        self.slots.append(slot)


def _is_unlabelled(base):
    return isinstance(base, Constant) and base.value.value == 1


def _slots_of(base):
    return [] if _is_unlabelled(base) else base.slots()


def _lmin(value):
    if isinstance(value, bool) or value not in (0, 1):
        raise Error(f"lmin is {value!r}; allowed are 0 and 1")
    return int(value)


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
                f"stopping={self.stopping!r}, lmin={self.lmin}, normalize={self.normalize})")

    def _source(self):
        return self.vertex, self.edge, self.stopping, self.lmin, self.bounds_by_name, self.normalize

    def _compiled(self):
        made = self._compiled_kernel
        if made is None or any(a is not b for a, b in zip(made.source, self._source())):
            made = self._compiled_kernel = _Compiled(self)
        return made

    # What scikit-learn asks of a kernel.

    @property
    def parameters(self) -> dict[str, tuple[float, tuple[float, float] | str]]:
        """All numbers of the kernel by name: value, and bounds or "fixed"."""
        return {slot.name: (slot.value, slot.bounds) for slot in self._compiled().slots}

    @property
    def hyperparameters(self):
        return [Hyperparameter(slot.name, "numeric", "fixed" if slot.fixed else np.array([slot.bounds]))
                for slot in self._compiled().slots]

    @property
    def n_dims(self):
        return len(self._compiled().free)

    @property
    def theta(self) -> np.ndarray:
        """The logarithms of the parameters that are not fixed."""
        compiled = self._compiled()
        return np.log([compiled.slots[k].value for k in compiled.free])

    @theta.setter
    def theta(self, theta):
        compiled = self._compiled()
        if len(theta) != len(compiled.free):
            raise Error(f"theta has {len(theta)} numbers; allowed are {len(compiled.free)}, one for each free parameter")
        values = [slot.value for slot in compiled.slots]
        for k, logarithm in zip(compiled.free, theta):
            # exp(log(bound)) may lie outside by a rounding.
            values[k] = min(max(math.exp(logarithm), compiled.slots[k].bounds[0]), compiled.slots[k].bounds[1])
        of_vertex = len(_slots_of(compiled.vertex))
        self.vertex = _changed(self.vertex, compiled.vertex, values[:of_vertex])
        self.edge = _changed(self.edge, compiled.edge, values[of_vertex:-1])
        self.stopping = f"{compiled.meaning}:{values[-1]!r}"

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
            return self.solve(X, Y).values
        if Y is not None:
            raise ValueError("The gradient is of K(X, X) alone: eval_gradient is not for X with Y.")
        compiled = self._compiled()
        result = self.solve(X, gradient=len(compiled.free) > 0)
        if not compiled.free:
            return result.values, np.empty((*result.values.shape, 0))
        scale = np.array([compiled.slots[k].value for k in compiled.free])
        return result.values, result.gradient[:, :, compiled.free] * scale

    # What more there is.

    def solve(self, X: Iterable[Any], Y: Iterable[Any] | None = None, gradient: bool = False) -> Result:
        """The `Result` of all pairs of X, or of X with Y, with the derivatives by all parameters if asked."""
        rows = as_graphs(X)
        columns = None if Y is None else as_graphs(Y)
        if not rows or columns is not None and not columns:
            raise Error("there are no graphs; allowed is at least one")
        graphs, index = distinct(rows if columns is None else rows + columns)
        pairs, place = pairs_of(index, len(rows), len(graphs), columns is None)
        if self.normalize != "tanimoto":
            return self._result(self._answer(graphs, pairs, "each" if gradient else "none"), place, gradient)
        pairs, own = with_own(pairs, len(graphs))
        plain = self._result(self._answer(graphs, pairs, "each" if gradient else "none"), place, gradient, own[index])
        first, second = np.arange(len(rows)), np.arange(len(index) - (0 if columns is None else len(columns)), len(index))
        return tanimoto(*plain, first, first if columns is None else second)

    def weighted_gradient(self, X: Iterable[Any], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """K of all pairs of X, and the derivatives of Σ weights_ij K_ij by theta: P numbers, without N × N × P in between."""
        rows = as_graphs(X)
        graphs, index = distinct(rows)
        weights = np.asarray(weights, dtype=float)
        if weights.shape != (len(rows), len(rows)):
            raise Error(f"weights have the shape {weights.shape}; allowed is ({len(rows)}, {len(rows)})")
        # Of equal graphs, and of (i, j) and (j, i), weights add up on the pair that is solved.
        pairs, place = pairs_of(index, len(rows), len(graphs), True)
        number = len(graphs) * (len(graphs) + 1) // 2
        values = None
        if self.normalize == "tanimoto":
            raw = self._answer(graphs, pairs, "none")["values"][place]
            values, weights = tanimoto_weights(raw, weights)
        summed = np.bincount(place.ravel(), weights.ravel(), minlength=number)
        answer = self._answer(graphs, pairs, "weighted", summed)
        compiled = self._compiled()
        gradient = answer["derivatives"][compiled.free]
        return answer["values"][place] if values is None else values, gradient * [compiled.slots[k].value for k in compiled.free]

    def nodes(self, x: Any, y: Any) -> np.ndarray:
        """The similarity of each vertex of x with each of y, n × m: K(x, y) = Σ p_i p'_j nodes_ij, not normalised."""
        pair = as_graphs([x, y])
        graphs, index = distinct(pair)
        answer = self._answer(graphs, index[None, :].astype(np.int32), "none", nodes="pairs")
        return answer["nodes"].reshape(pair[0].vertex_count, pair[1].vertex_count)

    def attribution(self, X: Iterable[Any], Y: Iterable[Any], weights: np.ndarray) -> list[np.ndarray]:
        """What each vertex of each graph of X adds to Σ_y weights_y K(x, y): an array for each x, which adds up to that sum.

        With the weights that a Gaussian process has for its training graphs Y (`alpha_` of scikit-learn's), it is what each atom adds
        to the mean that is predicted.
        """
        rows, columns = as_graphs(X), as_graphs(Y)
        weights = np.asarray(weights, dtype=float)
        if weights.shape != (len(columns),):
            raise Error(f"weights have the shape {weights.shape}; allowed is ({len(columns)},), one for each graph of Y")
        if self.normalize == "tanimoto":
            raise Error("normalize is 'tanimoto', of which no vertex has a share; allowed are True and False")
        scale_x = scale_y = None
        if self.normalize:
            scale_x, scale_y = (1 / np.sqrt(self._diagonal(graphs).values) for graphs in (rows, columns))
            weights = weights * scale_y
        graphs, index = distinct(rows + columns)
        started = self._started(graphs)
        made = []
        # Each request costs its preparation, and returns a number for each vertex and each graph of Y.
        for first, last in chunks([row.vertex_count * len(columns) for row in rows], _most_numbers):
            pairs = np.stack(np.meshgrid(index[first:last], index[len(rows):], indexing="ij"), axis=-1).reshape(-1, 2)
            answer = self._answer(graphs, np.ascontiguousarray(pairs, dtype=np.int32), "none", nodes="first")
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
            return self.start, str(self.stopping)
        return self.start, "probability:0.5"

    def _started(self, graphs):
        """The graphs with their starting weights, as C++ has them."""
        natives = [graph._native for graph in graphs]
        start, stopping = self._start_key()
        return natives if start == "graph" else _core.started(natives, str(start), stopping)

    def _prepared(self, graphs):
        accuracy = self.accuracy
        if isinstance(accuracy, numbers.Real):
            accuracy = repr(float(accuracy))
        how = (str(self.backend), str(accuracy), str(self.precision))
        return sets.find((graphs, self._start_key(), how), lambda: _core.prepare(self._started(graphs), *how))

    def _answer(self, graphs, pairs, derivatives, weights=None, nodes="none", normalize=None):
        compiled = self._compiled()
        if derivatives != "none" and self._start_key()[0] == "degree" and compiled.meaning == "weight" and (
                not compiled.slots[-1].fixed):
            raise Error("with start 'degree' and a stopping weight, starting weights change with q, by which there is then no "
                        "derivative; allowed is bounds_by_name={'q': 'fixed'}, or a stopping probability")
        if normalize is None:
            normalize = self.normalize is not False and self.normalize != "tanimoto" and nodes == "none"
        progress, close = _progress(self.progress)
        try:
            answer = self._prepared(graphs).solve(compiled.spec, pairs, normalize, derivatives, weights, nodes, progress)
        finally:
            close()
        _log.debug("%d pairs of %d graphs: prepared in %.3f s, solved in %.3f s; %s", len(answer["raw"]), len(graphs),
                   answer["setup_seconds"], answer["solve_seconds"], answer["description"])
        _warn(answer, graphs, pairs)
        return answer

    def _result(self, answer, place, gradient, own=None):
        """The result of the pairs at `place`; with `own`, a pair of it and that of the pairs at `own`."""
        if own is not None:
            return self._result(answer, place, gradient), self._result(answer, own, gradient)
        return Result(
            answer["values"][place], answer["bounds"][place], _STATUSES[answer["status"]][place], answer["iterations"][place],
            answer["derivatives"][place] if gradient else None,
            tuple(slot.name for slot in self._compiled().slots), answer["setup_seconds"], answer["solve_seconds"],
            answer["description"])


_most_numbers = 1 << 24


def _changed(given, base, values):
    """The base kernel with other values, as an object, which keeps the bounds; the given one where nothing changes."""
    return given if values == [slot.value for slot in _slots_of(base)] else base.with_values(values)


def _warn(answer, graphs, pairs):
    wrong = np.flatnonzero(answer["status"] != 0)
    if not len(wrong):
        return
    if pairs is None:
        first, second = np.triu_indices(len(graphs))
    else:
        first, second = np.asarray(pairs).T
    named = ", ".join(f"'{graphs[first[k]].name}' with '{graphs[second[k]].name}' ({_core.statuses[answer['status'][k]]})"
                      for k in wrong[:3])
    warnings.warn(f"{len(wrong)} of {len(answer['status'])} pairs are less exact than was asked for: {named}"
                  f"{', …' if len(wrong) > 3 else ''}. `Result.bounds` has what is proven.", ConvergenceWarning, stacklevel=5)


def _progress(wanted):
    """The function that C++ calls, or None; and one to call at the end."""
    if not wanted:
        return None, lambda: None
    if callable(wanted):
        return wanted, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda done, of, seconds: _log.info("%d of %d pairs in %.1f s", done, of, seconds), lambda: None
    bar = tqdm(unit="pair", unit_scale=True)

    def show(done, of, seconds):
        bar.total = of
        bar.update(done - bar.n)

    return show, bar.close
