# SPDX-License-Identifier: BSD-3-Clause
"""Gram matrices for estimators that take them, and distances."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._core import Error
from .graph import as_graphs
from .kernel import Kernel


def distance(X: Iterable[Any], Y: Iterable[Any] | None = None, kernel: Kernel | None = None) -> np.ndarray:
    """√(K(x, x) − 2 K(x, y) + K(y, y)): the distance in the kernel's feature space; at most √2 if the kernel is normalised."""
    kernel = Kernel() if kernel is None else kernel
    rows = as_graphs(X)
    columns = rows if Y is None else as_graphs(Y, "Y")
    values = kernel(rows) if Y is None else kernel(rows, columns)
    of_rows = kernel.diag(rows)
    of_columns = of_rows if Y is None else kernel.diag(columns)
    # Rounding may leave a little less than 0 between equal graphs.
    return np.sqrt(np.maximum(of_rows[:, None] + of_columns[None, :] - 2 * values, 0))


class GramTransformer(TransformerMixin, BaseEstimator):
    """Turns graphs into their kernel values with the graphs that it was fitted on, for estimators with `kernel="precomputed"`.

        make_pipeline(octile.GramTransformer(octile.Kernel(...)), SVC(kernel="precomputed"))

    `output="distance"` gives distances instead, for `metric="precomputed"`. Cross-validation splits graphs, so that no value of a test
    graph reaches a fit. The kernel's own parameters can be searched over as `kernel__stopping`, and so on.
    """

    def __init__(self, kernel: Kernel | None = None, output: str = "kernel") -> None:
        self.kernel = kernel
        self.output = output

    def fit(self, X: Iterable[Any], y: Any = None) -> GramTransformer:
        if self.output not in ("kernel", "distance"):
            raise Error(f"output is {self.output!r}; allowed are 'kernel' and 'distance'")
        self.kernel_ = Kernel() if self.kernel is None else self.kernel
        self.graphs_ = as_graphs(X)
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None) -> np.ndarray:
        # Each pair once.
        self.fit(X)
        return self.kernel_(self.graphs_) if self.output == "kernel" else distance(self.graphs_, kernel=self.kernel_)

    def transform(self, X: Iterable[Any]) -> np.ndarray:
        check_is_fitted(self)
        if self.output == "distance":
            return distance(X, self.graphs_, self.kernel_)
        return self.kernel_(X, self.graphs_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags
