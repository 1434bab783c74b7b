# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of graphs beside kernels of numbers."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import GenericKernelMixin, Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as _SklearnKernel

from ._core import Error


class Columns(GenericKernelMixin, _SklearnKernel):
    """A kernel of some columns of rows, such as (graph, temperature, pressure):

        Columns(octile.Kernel(...), 0) * Columns(RBF(1.0), [1, 2])

    columns : the number of one column, whose entries the kernel takes as they are, or a list of numbers, of which it takes an array.
    """

    def __init__(self, kernel: _SklearnKernel, columns: int | Sequence[int]) -> None:
        self.kernel = kernel
        self.columns = columns

    def _part(self, rows):
        if rows is None:
            return None
        try:
            if isinstance(self.columns, (int, np.integer)):
                return [row[self.columns] for row in rows]
            return np.array([[row[column] for column in self.columns] for row in rows], dtype=float)
        except (TypeError, IndexError, ValueError) as error:
            raise Error(f"columns {self.columns!r} of rows: {error}; allowed are rows that have them, numbers where they are a list") from None

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        return [Hyperparameter(f"kernel__{one.name}", one.value_type, one.bounds, one.n_elements) for one in self.kernel.hyperparameters]

    @property
    def n_dims(self) -> int:
        return self.kernel.n_dims

    @property
    def theta(self) -> np.ndarray:
        return self.kernel.theta

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        self.kernel.theta = theta

    @property
    def bounds(self) -> np.ndarray:
        return self.kernel.bounds

    def is_stationary(self) -> bool:
        return False

    def diag(self, X: Iterable[Any]) -> np.ndarray:
        return self.kernel.diag(self._part(X))

    def __call__(self, X: Iterable[Any], Y: Iterable[Any] | None = None, eval_gradient: bool = False
                 ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        return self.kernel(self._part(X), self._part(Y), eval_gradient=eval_gradient)

    def __repr__(self) -> str:
        return f"octile.Columns({self.kernel}, {self.columns!r})"
