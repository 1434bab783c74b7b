# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of graphs for GPyTorch. They are there after `import octile.gpytorch`, which needs gpytorch."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gpytorch
import numpy as np
import torch
from linear_operator.operators import LinearOperator

from .graph import as_graphs
from .kernel import Kernel
from .torch import at, values


def _of_pairs(kernel, theta, rows, columns):
    """K of each row with the column of its number, or with itself."""
    if columns is None and kernel.normalize is not False:
        return torch.ones(len(rows), dtype=theta.dtype)
    numbers = np.arange(len(rows))
    return values(kernel, theta, rows, columns, np.stack([numbers, numbers], axis=1))


class GramOperator(LinearOperator):
    """The matrix of K(rows, columns), or of K(rows, rows), at `theta`, as a linear operator.

    A product forms a block of `block` rows at a time and forgets it, so that only N × block numbers are held: for matrices that do not
    fit into memory. `_bilinear_derivative` is the vector-Jacobian product of the kernel.
    """

    def __init__(self, theta: torch.Tensor, kernel: Kernel, rows: list[Any], columns: list[Any] | None = None, block: int = 1024) -> None:
        super().__init__(theta, kernel=kernel, rows=rows, columns=columns, block=block)
        self.theta, self.kernel, self.rows, self.columns, self.block = theta, kernel, rows, columns, block

    def _size(self):
        return torch.Size((len(self.rows), len(self.rows if self.columns is None else self.columns)))

    def _transpose_nonbatch(self):
        if self.columns is None:
            return self
        return GramOperator(self.theta, kernel=self.kernel, rows=self.columns, columns=self.rows, block=self.block)

    def _matmul(self, rhs):
        with torch.no_grad():
            kernel, columns = at(self.kernel, self.theta), self.rows if self.columns is None else self.columns
            blocks = [torch.from_numpy(kernel(self.rows[first:first + self.block], columns)).to(rhs) @ rhs
                      for first in range(0, len(self.rows), self.block)]
            return torch.cat(blocks)

    def _bilinear_derivative(self, left_vecs, right_vecs):
        left, right = (vectors if vectors.ndim > 1 else vectors.unsqueeze(-1) for vectors in (left_vecs, right_vecs))
        weights = (left @ right.mT).detach().cpu().numpy().astype(np.float64)
        by_theta = at(self.kernel, self.theta).weighted_gradient(self.rows, weights, self.columns)[1]
        return (torch.from_numpy(by_theta).to(self.theta),)

    def _diagonal(self):
        return _of_pairs(self.kernel, self.theta, self.rows, self.columns)

    def to_dense(self):
        return values(self.kernel, self.theta, self.rows, self.columns)


class GraphKernel(gpytorch.kernels.Kernel):
    """An `octile.Kernel` as a kernel of GPyTorch, whose free parameters are learnt within their bounds.

    Its inputs are numbers of `graphs`, as a column: torch.arange(len(graphs)).double()[:, None]. With `lazy` the matrix is a
    `GramOperator`, else a tensor.
    """

    def __init__(self, kernel: Kernel, graphs: Iterable[Any], lazy: bool = False, block: int = 1024, **options: Any) -> None:
        super().__init__(**options)
        self.kernel, self.graphs, self.lazy, self.block = kernel, as_graphs(graphs, "graphs"), lazy, block
        theta, bounds = torch.from_numpy(kernel.theta), torch.from_numpy(kernel.bounds)
        constraint = gpytorch.constraints.Interval(bounds[:, 0].clone(), bounds[:, 1].clone())
        # A start on a bound has no number that is mapped to it.
        margin = 1e-4 * (bounds[:, 1] - bounds[:, 0])
        inside = torch.minimum(torch.maximum(theta, bounds[:, 0] + margin), bounds[:, 1] - margin)
        self.register_parameter("raw_theta", torch.nn.Parameter(constraint.inverse_transform(inside)))
        self.register_constraint("raw_theta", constraint)

    @property
    def theta(self) -> torch.Tensor:
        """The logarithms of the free parameters."""
        return self.raw_theta_constraint.transform(self.raw_theta)

    def learnt(self) -> Kernel:
        """The `octile.Kernel` with the parameters as they are now."""
        return at(self.kernel, self.theta)

    def forward(self, x1, x2, diag=False, **options):
        rows, columns = ([self.graphs[int(number)] for number in x.reshape(-1)] for x in (x1, x2))
        same = x1.shape == x2.shape and torch.equal(x1, x2)
        if diag:
            return _of_pairs(self.kernel, self.theta, rows, None if same else columns).to(x1)
        if self.lazy:
            return GramOperator(self.theta, kernel=self.kernel, rows=rows, columns=None if same else columns, block=self.block)
        return values(self.kernel, self.theta, rows, None if same else columns).to(x1)
