# SPDX-License-Identifier: BSD-3-Clause
"""Kernel values in PyTorch, with derivatives by the kernel's parameters. It is there after `import octile.torch`, which needs torch."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from ._core import Error
from .graph import as_graphs
from .kernel import Kernel


def values(kernel: Kernel, theta: torch.Tensor, X: Iterable[Any], Y: Iterable[Any] | None = None,
           pairs: Sequence[tuple[int, int]] | np.ndarray | None = None) -> torch.Tensor:
    """K of all pairs of X, of X with Y, or of `pairs` as in `Kernel.solve`, at `theta`: logarithms of the free parameters in the order of
    `kernel.theta`, within `kernel.bounds`. Backward takes a second solve and P numbers, never one for each pair and parameter."""
    return _Values.apply(theta, kernel, as_graphs(X), None if Y is None else as_graphs(Y, "Y"), pairs)


def at(kernel: Kernel, theta: torch.Tensor) -> Kernel:
    """The kernel with other parameters."""
    numbers = theta.detach().cpu().numpy().astype(np.float64)
    if numbers.shape != kernel.theta.shape:
        raise Error(f"theta has the shape {numbers.shape}; allowed is {kernel.theta.shape}, one number for each free parameter")
    return kernel.clone_with_theta(numbers)


class _Values(torch.autograd.Function):
    @staticmethod
    def forward(ctx, theta, kernel, rows, columns, pairs):
        ctx.kernel, ctx.rows, ctx.columns, ctx.pairs = at(kernel, theta), rows, columns, pairs
        found = ctx.kernel(rows, columns) if pairs is None else ctx.kernel.solve(rows, columns, pairs=pairs).values
        return torch.from_numpy(found).to(theta)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, weights):
        by_theta = ctx.kernel.weighted_gradient(ctx.rows, weights.cpu().numpy().astype(np.float64), ctx.columns, ctx.pairs)[1]
        return torch.from_numpy(by_theta).to(weights), None, None, None, None
