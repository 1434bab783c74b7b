# SPDX-License-Identifier: BSD-3-Clause
"""Kernel values in PyTorch, with derivatives by the kernel's parameters. It is there after `import octile.torch`, which needs torch."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from ._core import Error
from .graph import as_graphs
from .kernel import Kernel


def values(kernel: Kernel, theta: torch.Tensor, X: Iterable[Any], Y: Iterable[Any] | None = None) -> torch.Tensor:
    """K of all pairs of X, or of X with Y, at `theta`: logarithms of the free parameters in the order of `kernel.theta`, within
    `kernel.bounds`. Backward takes a second solve and P numbers, never N × M × P."""
    return _Values.apply(theta, kernel, as_graphs(X), None if Y is None else as_graphs(Y))


def derivative(kernel: Kernel, X: list[Any], Y: list[Any] | None, weights: np.ndarray) -> np.ndarray:
    """The derivatives of Σ weights_ij K(X_i, Y_j) by theta; with Y None of the pairs of X."""
    if Y is None:
        return kernel.weighted_gradient(X, weights)[1]
    # As a block of the matrix of all, whose other weights are 0.
    every = np.zeros((len(X) + len(Y),) * 2)
    every[:len(X), len(X):] = weights
    return kernel.weighted_gradient([*X, *Y], every)[1]


def at(kernel: Kernel, theta: torch.Tensor) -> Kernel:
    """The kernel with other parameters."""
    numbers = theta.detach().cpu().numpy().astype(np.float64)
    if numbers.shape != kernel.theta.shape:
        raise Error(f"theta has the shape {numbers.shape}; allowed is {kernel.theta.shape}, one number for each free parameter")
    return kernel.clone_with_theta(numbers)


class _Values(torch.autograd.Function):
    @staticmethod
    def forward(ctx, theta, kernel, rows, columns):
        ctx.kernel, ctx.rows, ctx.columns = at(kernel, theta), rows, columns
        return torch.from_numpy(ctx.kernel(rows, columns)).to(theta)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, weights):
        by_theta = derivative(ctx.kernel, ctx.rows, ctx.columns, weights.cpu().numpy().astype(np.float64))
        return torch.from_numpy(by_theta).to(weights), None, None, None
