# SPDX-License-Identifier: BSD-3-Clause
"""What is found of pairs, and how exact it is."""
from __future__ import annotations

import dataclasses
import html
import warnings

import numpy as np

from . import _core
from .svg import heat_map

_MOST_DRAWN = 400  # rows and columns
STATUSES = np.array(_core.statuses)


class ConvergenceWarning(UserWarning):
    """Some pairs have no value that is as exact as was asked for."""


class SamenessWarning(UserWarning):
    """Many graphs have the same value for all of their pairs, since the kernel sees no difference between them."""


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """What was found of the pairs rows × columns (of the diagonal: of each graph with itself; of a list: of each pair of it).

    values : K, or K(x, y) / √(K(x, x) K(y, y)) if normalised.
    bounds : |value − exact| ≤ bound · exact is proven; infinite where nothing is.
    status : "converged" where the accuracy is proven, else what kept it from being so. A normalised value has the worst of those of K(x, y),
        K(x, x) and K(y, y).
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

    def _summary(self):
        """What there is to say in one line each."""
        kinds, counts = np.unique(self.status, return_counts=True)
        yield "pairs", " × ".join(map(str, self.values.shape))
        if self.values.size:
            yield "values", f"{self.values.min():.6g} … {self.values.max():.6g}"
            yield "largest bound", f"{self.bounds.max():.2g}"
        yield "status", ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts))
        if self.gradient is not None:
            yield "gradient by", ", ".join(self.parameters)
        yield "seconds", f"{self.setup_seconds:.3g} to prepare, {self.solve_seconds:.3g} to solve"

    def __repr__(self) -> str:
        return f"<octile.Result {'; '.join(f'{name}: {text}' for name, text in self._summary())}>"

    def _repr_html_(self) -> str:
        rows = list(self._summary())
        drawn = ""
        if self.values.ndim == 2 and self.values.size and np.all(np.isfinite(self.values)):
            # A larger one is a picture of some of its rows and columns, since each value takes space in a notebook.
            step = -(-max(self.values.shape) // _MOST_DRAWN)
            drawn = heat_map(self.values[::step, ::step])
            if step > 1:
                rows.append(("picture", f"of one row and column in {step}"))
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"{drawn}<table>{cells}</table>"


def worst(*statuses: np.ndarray) -> np.ndarray:
    """Of each place the status that is furthest from convergence."""
    order = np.argsort(STATUSES)
    codes = [order[np.searchsorted(STATUSES, one, sorter=order)] for one in statuses]
    return STATUSES[np.maximum.reduce(np.broadcast_arrays(*codes))]


def warn(answer, graphs, pairs):
    """Names the pairs of an answer that did not converge."""
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
