# SPDX-License-Identifier: BSD-3-Clause
"""What is found of pairs, and how exact it is."""
from __future__ import annotations

import dataclasses
import warnings

import numpy as np

from . import _core

STATUSES = np.array(_core.statuses)


class ConvergenceWarning(UserWarning):
    """Some pairs have no value that is as exact as was asked for."""


@dataclasses.dataclass(frozen=True)
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
