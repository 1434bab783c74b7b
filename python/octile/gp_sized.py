# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian processes for more graphs than a dense matrix has room for: of low rank by inducing graphs, and by conjugate gradients on tiles."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._core import Error
from .arrays import positive, whole
from .gp import center_of, checked, mean_of, search_space, select
from .graph import as_graphs
from .kernel import Kernel
from .saved import Saved
from .tiles import GramTiles, solve

_JITTER = 1e-8  # of the diagonal: values are right to about 1e-6 or better, and a factor has to exist


class _Sized(Saved, RegressorMixin, BaseEstimator):
    """What both have: the checks of what is given, the mean that is subtracted, and predictions."""

    def __init__(self, kernel, noise, center):
        self.kernel, self.noise, self.center = kernel, noise, center

    def _begin(self, X, y):
        self.graphs_ = as_graphs(X)
        y, self._noise = checked(y, self.noise, len(self.graphs_))
        self.kernel_ = Kernel() if self.kernel is None else self.kernel.clone_with_theta(self.kernel.theta)
        self.mean_ = center_of(self.graphs_, y, self.center)
        self._y = y - mean_of(self.graphs_, self.mean_, self.center)

    def _predict(self, X, known, return_std, return_cov):
        """The mean at X by `alpha_` of the graphs `known`, with the deviations or the covariance by what `_told` takes off the kernel's."""
        check_is_fitted(self)
        graphs = as_graphs(X)
        between = self.kernel_(graphs, known)
        mean = between @ self.alpha_ + mean_of(graphs, self.mean_, self.center)
        if not (return_std or return_cov):
            return mean
        told = self._told(between)
        if return_cov:
            off = sum(sign * left @ right.T for sign, left, right in told)
            return mean, self.scale_ * (self.kernel_(graphs) - (off + off.T) / 2)
        variance = self.kernel_.diag(graphs) - sum(sign * np.einsum("ij,ij->i", left, right) for sign, left, right in told)
        return mean, np.sqrt(self.scale_ * np.maximum(variance, 0))


class LowRank(_Sized):
    """Gaussian process regression of low rank: K is Q = K(X, Z) K(Z, Z)⁻¹ K(Z, X) of inducing graphs Z ("subset of regressors", Nyström), so that
    N · M pairs are solved for M inducing graphs, and N · M numbers kept.

    inducing : how many of the graphs of the fit are taken, those of the largest variance given the ones before (`octile.gp.select`); or the
        graphs themselves.
    noise, noise_bounds, evaluations, center : those of `octile.gp.Regressor`, by the likelihood.

    After `fit`: kernel_, noise_, scale_ (σ²), loss_value_, losses_, inducing_ (the graphs Z), mean_.
    """

    def __init__(self, kernel: Kernel | None = None, inducing: int | Sequence[Any] = 200, noise: float | Sequence[float] = 1e-2,
                 noise_bounds: tuple[float, float] | str = (1e-6, 1e2), evaluations: int = 100, center: bool | str = True) -> None:
        super().__init__(kernel, noise, center)
        self.inducing = inducing
        self.noise_bounds = noise_bounds
        self.evaluations = evaluations

    def fit(self, X: Iterable[Any], y: Sequence[float]) -> LowRank:
        self._begin(X, y)
        if isinstance(self.inducing, (int, np.integer)) and not isinstance(self.inducing, bool):
            count = min(int(self.inducing), len(set(self.graphs_)))
            self.inducing_ = [self.graphs_[k] for k in select(self.graphs_, count, self.kernel_)]
        else:
            self.inducing_ = as_graphs(self.inducing, "inducing")
        self.losses_ = []
        evaluations = whole(self.evaluations, "evaluations")
        bounds, start = search_space(self.kernel_, self._noise, self.noise_bounds)
        self._best = np.inf, start
        if evaluations > 0 and np.any(bounds[:, 0] < bounds[:, 1]):
            minimize(self._loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxfun": evaluations})
        best = self._best[1]
        self.kernel_ = self.kernel_.clone_with_theta(best[:-1])
        self.noise_ = self._noise * np.exp(best[-1])
        parts = self._parts(self.kernel_, self.noise_)
        self._inner, self._outer, weights = parts["inner"], parts["outer"], parts["weights"]
        self.alpha_, self.scale_ = weights, parts["scale"]
        self.loss_value_ = parts["loss"]
        return self

    def _parts(self, kernel, noise):
        """What follows from K(Z, Z) = L Lᵀ and V = L⁻¹ K(Z, X): Q = Vᵀ V, and B = 1 + V diag(noise)⁻¹ Vᵀ = M Mᵀ."""
        among, between = kernel(self.inducing_), kernel(self.graphs_, self.inducing_)
        jitter = _JITTER * np.trace(among) / len(among)
        try:
            inner = cholesky(among + jitter * np.eye(len(among)), lower=True)
            v = solve_triangular(inner, between.T, lower=True)
            outer = cholesky(np.eye(len(among)) + (v / noise) @ v.T, lower=True)
        except ValueError:
            raise Error("the matrix of the inducing graphs is not positive definite to rounding; allowed are fewer of them, or a finer "
                        "accuracy") from None
        projected = cho_solve((outer, True), v @ (self._y / noise))
        # (Q + noise)⁻¹ y
        solved = (self._y - v.T @ projected) / noise
        scale = float(self._y @ solved / len(self._y))
        determinant = 2 * np.log(np.diag(outer)).sum() + np.log(noise).sum()
        n = len(self._y)
        return {"among": among, "between": between, "inner": inner, "v": v, "outer": outer, "solved": solved, "scale": scale,
                "weights": solve_triangular(inner, projected, lower=True, trans="T"),
                "loss": 0.5 * (n * np.log(2 * np.pi * scale) + determinant + n)}

    def _loss(self, at):
        """−log p(y) with the best σ², and its gradient by theta and the logarithm of the noise's factor."""
        kernel, noise = self.kernel_.clone_with_theta(at[:-1]), self._noise * np.exp(at[-1])
        try:
            parts = self._parts(kernel, noise)
        except Error:
            # The search turns back.
            return 1e25, np.zeros_like(at)
        inner, v, outer, solved, scale = (parts[name] for name in ("inner", "v", "outer", "solved", "scale"))
        # G = ∂loss/∂Q = ((Q + noise)⁻¹ − solved solvedᵀ / σ²) / 2; of it G C is needed, C = K(X, Z) K(Z, Z)⁻¹ = Vᵀ L⁻¹, and its diagonal.
        inverse_v = cho_solve((outer, True), v)
        c = solve_triangular(inner, v, lower=True, trans="T").T
        half = (c - (inverse_v.T @ (v / noise @ c))) / noise[:, None]
        gc = 0.5 * (half - np.outer(solved, solved @ c) / scale)
        diagonal = 0.5 * ((1 - np.einsum("ij,ij->j", v, inverse_v) / noise) / noise - solved**2 / scale)
        by_theta = np.zeros(0)
        if len(kernel.theta):
            # dQ = dK(X, Z) Cᵀ + C dK(Z, X) − C dK(Z, Z) Cᵀ
            of_between = kernel.weighted_gradient(self.graphs_, 2 * gc, self.inducing_)[1]
            weights = -c.T @ gc
            # The jitter is a share of the diagonal.
            weights[np.diag_indices(len(weights))] += _JITTER * np.trace(weights) / len(weights)
            by_theta = of_between + kernel.weighted_gradient(self.inducing_, weights)[1]
        self.losses_.append(parts["loss"])
        if parts["loss"] < self._best[0]:
            self._best = parts["loss"], np.array(at)
        return parts["loss"], np.append(by_theta, diagonal @ noise)

    def predict(self, X: Iterable[Any], return_std: bool = False, return_cov: bool = False
                ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean at graphs X, and the standard deviation or the covariance of what is predicted, without noise: of what the inducing graphs do
        not tell it is that of the kernel itself."""
        return self._predict(X, self.inducing_, return_std, return_cov)

    def _told(self, between):
        """What the fit takes off the covariance of graphs, as products of rows: sign, left, right."""
        v = solve_triangular(self._inner, between.T, lower=True)
        told = solve_triangular(self._outer, v, lower=True)
        return (1, v.T, v.T), (-1, told.T, told.T)


class Iterative(_Sized):
    """Gaussian process regression by conjugate gradients on tiles of K: N² / 2 numbers of `storage` are kept, and no matrix is factored.

    The kernel and the noise are taken as they are: learn them by `Regressor` or `LowRank` from fewer graphs.

    tolerance : of the residual of (K + noise) α = y, relative to y.
    rank : of the preconditioner, the pivoted Cholesky factor of so many columns of K.

    After `fit`: tiles_ (a `GramTiles`), alpha_, scale_, iterations_, mean_.
    """

    def __init__(self, kernel: Kernel | None = None, noise: float | Sequence[float] = 1e-2, tolerance: float = 1e-6, rank: int = 50,
                 storage: str = "float64", tile: int = 256, center: bool | str = True) -> None:
        super().__init__(kernel, noise, center)
        self.tolerance = tolerance
        self.rank = rank
        self.storage = storage
        self.tile = tile

    def fit(self, X: Iterable[Any], y: Sequence[float]) -> Iterative:
        tolerance, rank = positive(self.tolerance, "tolerance"), whole(self.rank, "rank")
        self._begin(X, y)
        self.noise_, self._tolerance = self._noise, tolerance
        self.tiles_ = GramTiles(self.kernel_, self.graphs_, storage=self.storage, tile=self.tile)
        self._precondition = _pivoted(self.tiles_, self.noise_, rank)
        self.alpha_, self.iterations_ = self._solve(self._y)
        self.scale_ = float(self._y @ self.alpha_ / len(self._y))
        return self

    def _solve(self, right):
        def apply(v):
            return self.tiles_ @ v + self.noise_[:, None] * v
        return solve(apply, right, self._precondition, self._tolerance)

    def predict(self, X: Iterable[Any], return_std: bool = False, return_cov: bool = False
                ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean at graphs X, and the standard deviation or the covariance of what is predicted, without noise, which take a solve for each
        graph."""
        return self._predict(X, self.graphs_, return_std, return_cov)

    def _told(self, between):
        return (1, between, self._solve(between.T)[0].T),


class _Preconditioner:
    """(Lᵀ L + noise)⁻¹ as a function, L the rows given, M Mᵀ = 1 + L noise⁻¹ Lᵀ."""

    def __init__(self, rows, noise):
        self.noise, self.scaled = noise, rows / noise
        self.inner = cholesky(np.eye(len(rows)) + self.scaled @ rows.T, lower=True)

    def __call__(self, r):
        return r / self.noise[:, None] - self.scaled.T @ cho_solve((self.inner, True), self.scaled @ r)


def _pivoted(tiles, noise, rank):
    """The preconditioner of the first rows of a pivoted Cholesky factorization of K."""
    n = len(noise)
    left, rows = tiles.diagonal().astype(float), np.zeros((min(rank, n), n))
    least = 1e-12 * left.max()
    for k in range(len(rows)):
        pick = int(np.argmax(left))
        if left[pick] <= least:
            rows = rows[:k]
            break
        column = tiles @ np.eye(1, n, pick)[0] - rows[:k, pick] @ rows[:k]
        rows[k] = column / np.sqrt(left[pick])
        left = np.maximum(left - rows[k]**2, 0)
        left[pick] = 0
    return _Preconditioner(rows, noise)
