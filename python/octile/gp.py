# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian process regression on graphs, for what scikit-learn's cannot do at size: the gradient of a loss takes P numbers, and
N² P only where they fit into a given memory, and the loss may be that of leaving one graph out.

The model is y ~ N(m, σ² (K + diag(noise))), of which σ² has a closed form and is not searched.
"""
from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._core import Error
from .arrays import positive, real_array, shown, whole
from .forces import position_gradient
from .graph import Graph, as_graphs
from .kernel import Kernel
from .saved import Saved, load

if TYPE_CHECKING:
    from .gp_sized import Iterative, LowRank

_log = logging.getLogger("octile")


def likelihood(matrix: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """−log p(y) with the best σ², for the matrix K + noise, and its derivatives by the matrix (symmetric)."""
    inverse, log_determinant = _inverse(matrix)
    solved = inverse @ y
    n, scale = len(y), y @ solved / len(y)
    value = 0.5 * (n * np.log(2 * np.pi * scale) + log_determinant + n)
    return value, 0.5 * (inverse - np.outer(solved, solved) / scale)


def leave_one_out(matrix: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """½ Σ of the squared errors of predicting each y from all others, for the matrix K + noise, and its derivatives by the matrix
    (symmetric)."""
    inverse, _ = _inverse(matrix)
    solved, diagonal = inverse @ y, np.diag(inverse)
    errors = solved / diagonal
    # d errors_i = −(K⁻¹ dK K⁻¹ y)_i / c_i + errors_i (K⁻¹ dK K⁻¹)_ii / c_i, c the diagonal of K⁻¹.
    by_solved = inverse @ (errors / diagonal)
    by_diagonal = (inverse * (errors**2 / diagonal)) @ inverse
    return 0.5 * errors @ errors, by_diagonal - 0.5 * (np.outer(by_solved, solved) + np.outer(solved, by_solved))


def __getattr__(name):
    # They import from here.
    if name in ("LowRank", "Iterative"):
        from . import gp_sized
        return getattr(gp_sized, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


LOSSES = {"likelihood": likelihood, "leave-one-out": leave_one_out}


def _factor(matrix):
    try:
        return cholesky(matrix, lower=True)
    except ValueError:
        # LinAlgError is one too, and what is not finite another.
        raise Error("the matrix K + noise is not positive definite to rounding; allowed is more noise, or an accuracy finer than "
                    "the noise") from None


def _inverse(matrix):
    factor = _factor(matrix)
    return cho_solve((factor, True), np.eye(len(matrix))), 2 * np.log(np.diag(factor)).sum()


class Regressor(Saved, RegressorMixin, BaseEstimator):
    """Gaussian process regression on graphs.

    Parameters
    ----------
    kernel : an `octile.Kernel`; its free parameters are learnt.
    noise : the variance of y's own errors, relative to σ²: a number, or one a graph. It is learnt, as a factor, within `noise_bounds`,
        or kept if they are "fixed".
    loss : "likelihood" or "leave-one-out".
    restarts : further starts of the search, at random within the bounds by `seed`; the best end is taken.
    evaluations : the most evaluations of the loss in a search; 0 for no search.
    center : True subtracts the mean of y, which is not for a y that grows with the graphs as the kernel does. The name of a vertex label, such
        as "element", subtracts what is linear in the numbers of vertices with each of its values, by least squares.
    prefer : how the gradient is formed. "each" keeps N² P numbers and takes one solve, "weighted" keeps P and takes two; "auto" is "each"
        where these numbers fit into `memory` bytes.

    After `fit`: kernel_, noise_, scale_ (σ²), loss_value_, losses_ (of each evaluation), graphs_, alpha_, mean_ (what is subtracted: a
    number, or one for each value of a label), factor_ (the lower Cholesky factor of K + diag(noise)).
    """

    def __init__(self, kernel: Kernel | None = None, noise: float | Sequence[float] = 1e-2,
                 noise_bounds: tuple[float, float] | str = (1e-6, 1e2), loss: str = "likelihood", restarts: int = 0,
                 evaluations: int = 100, center: bool | str = True, seed: int = 0, prefer: str = "auto", memory: int = 2**30) -> None:
        self.kernel = kernel
        self.noise = noise
        self.noise_bounds = noise_bounds
        self.loss = loss
        self.restarts = restarts
        self.evaluations = evaluations
        self.center = center
        self.seed = seed
        self.prefer = prefer
        self.memory = memory

    def fit(self, X: Iterable[Any], y: Sequence[float], matrix: np.ndarray | None = None) -> Regressor:
        """Learns from graphs X and their y. `matrix` is K(X, X), if it is known, for a kernel without free parameters."""
        if self.loss not in LOSSES:
            raise Error(f"loss is {self.loss!r}; allowed are {', '.join(repr(name) for name in LOSSES)}")
        if self.prefer not in ("auto", "each", "weighted"):
            raise Error(f"prefer is {self.prefer!r}; allowed are 'auto', 'each' and 'weighted'")
        self.graphs_ = as_graphs(X)
        y, noise = checked(y, self.noise, len(self.graphs_))
        self.kernel_ = Kernel() if self.kernel is None else self.kernel.clone_with_theta(self.kernel.theta)
        self.mean_ = center_of(self.graphs_, y, self.center)
        self._y, self._noise = y - self._mean(self.graphs_), noise
        self.losses_, self._last = [], None
        if matrix is not None:
            if len(self.kernel_.theta) or np.shape(matrix) != (len(y), len(y)):
                raise Error(f"matrix has the shape {np.shape(matrix)} and the kernel {len(self.kernel_.theta)} free parameters; allowed is "
                            f"({len(y)}, {len(y)}), of a kernel that is `fixed()`")
            self._last = self.kernel_.theta, real_array(matrix, "matrix"), None
        self._search()
        return self._end()

    def _mean(self, graphs):
        return mean_of(graphs, self.mean_, self.center)

    def _search(self):
        kernel = self.kernel_
        evaluations, restarts = whole(self.evaluations, "evaluations"), whole(self.restarts, "restarts")
        bounds, start = search_space(kernel, self._noise, self.noise_bounds)
        self._best, starts = (np.inf, start), [start]
        if evaluations > 0 and np.any(bounds[:, 0] < bounds[:, 1]):
            rng = np.random.default_rng(self.seed)
            starts += [rng.uniform(*bounds.T) for _ in range(restarts)]
            for one in starts:
                minimize(self._loss, one, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxfun": evaluations})
        # Of all that were tried: a search that met a matrix which has no factor may end elsewhere.
        best = self._best[1]
        self.kernel_ = kernel.clone_with_theta(best[:-1])
        self.noise_ = self._noise * np.exp(best[-1])

    def _loss(self, at):
        """The loss and its gradient by theta and the logarithm of the noise's factor."""
        kernel, noise = self.kernel_.clone_with_theta(at[:-1]), self._noise * np.exp(at[-1])
        n, each = len(self._y), self.prefer == "each"
        if self.prefer == "auto":
            each = 8 * n * n * len(kernel.theta) <= self.memory
        each = each and len(kernel.theta) > 0
        loss = LOSSES[self.loss]
        values, gradient = self._matrix(kernel, each)
        try:
            value, weights = loss(values + np.diag(noise), self._y)
        except Error:
            # The search turns back.
            return 1e25, np.zeros_like(at)
        if each:
            by_theta = np.einsum("ij,ijk->k", weights, gradient)
        elif len(kernel.theta):
            by_theta = kernel.weighted_gradient(self.graphs_, weights)[1]
        else:
            by_theta = np.zeros(0)
        self.losses_.append(float(value))
        if value < self._best[0]:
            self._best = float(value), np.array(at)
        _log.info("evaluation %d: %s %.6g", len(self.losses_), self.loss, value)
        return value, np.append(by_theta, np.diag(weights) @ noise)

    def _matrix(self, kernel, each):
        """K of the fit, with its derivatives if `each`; solved once as long as theta stays, as when only the noise is searched."""
        if self._last is None or not np.array_equal(self._last[0], kernel.theta):
            found = kernel(self.graphs_, eval_gradient=True) if each else (kernel(self.graphs_), None)
            self._last = np.array(kernel.theta), *found
        return self._last[1:]

    def _end(self):
        matrix = self._matrix(self.kernel_, False)[0] + np.diag(self.noise_)
        self._last = None
        self.factor_ = _factor(matrix)
        self.alpha_ = cho_solve((self.factor_, True), self._y)
        self.scale_ = float(self._y @ self.alpha_ / len(self._y))
        self.loss_value_ = float(LOSSES[self.loss](matrix, self._y)[0])
        return self

    def predict(self, X: Iterable[Any], return_std: bool = False, return_cov: bool = False, between: np.ndarray | None = None
                ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean at graphs X, and the standard deviation or the covariance of what is predicted, without noise. `between` is
        K(X, graphs of the fit), if it is known."""
        check_is_fitted(self)
        graphs = as_graphs(X)
        between = self.kernel_(graphs, self.graphs_) if between is None else real_array(between, "between")
        if between.shape != (len(graphs), len(self.graphs_)):
            raise Error(f"between has the shape {between.shape}; allowed is ({len(graphs)}, {len(self.graphs_)})")
        mean = between @ self.alpha_ + self._mean(graphs)
        if not (return_std or return_cov):
            return mean
        solved = solve_triangular(self.factor_, between.T, lower=True)
        if return_cov:
            return mean, self.scale_ * (self.kernel_(graphs) - solved.T @ solved)
        variance = self.kernel_.diag(graphs) - np.einsum("ij,ij->j", solved, solved)
        return mean, np.sqrt(self.scale_ * np.maximum(variance, 0))

    def leave_one_out(self, return_std: bool = False) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """What is predicted for each graph of the fit from all others, by the parameters that were learnt from all."""
        check_is_fitted(self)
        inverse = cho_solve((self.factor_, True), np.eye(len(self._y)))
        diagonal = np.diag(inverse)
        mean = self._y - self.alpha_ / diagonal + self._mean(self.graphs_)
        return (mean, np.sqrt(np.maximum(self.scale_ * (1 / diagonal - self.noise_), 0))) if return_std else mean

    def attribution(self, X: Iterable[Any]) -> list[np.ndarray]:
        """What each vertex of each graph of X adds to the mean predicted, beside what was subtracted from y."""
        check_is_fitted(self)
        return self.kernel_.attribution(X, self.graphs_, self.alpha_)

    def forces(self, X: Iterable[Any], **options: Any) -> list[np.ndarray]:
        """Minus the derivatives of the mean predicted for each of X by the positions of its atoms, n × 3, in units of y per Å. X and
        `options` are those of `octile.position_gradient`; the graphs of the fit are to be made with the same options."""
        check_is_fitted(self)
        X = list(X)
        weights = np.broadcast_to(self.alpha_, (len(X), len(self.alpha_)))
        return [-one for one in position_gradient(self.kernel_, X, weights, self.graphs_, **options)]

    def select(self, pool: Iterable[Any], count: int, tile: int = 1, criterion: str = "variance") -> list[int]:
        """Which graphs of a pool to measure next: numbers of the `count` that, one after the other, have the largest variance given the
        fit and those chosen before, or by the criterion "mean variance" lower the pool's variances most (see `octile.gp.select`)."""
        check_is_fitted(self)
        return select(pool, count, self.kernel_, given=(self.graphs_, self.noise_), noise=float(np.median(self.noise_)), tile=tile,
                      criterion=criterion)


def checked(y: Any, noise: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """y and the noise of each graph, as arrays of `count` numbers."""
    y = real_array(y, "y")
    if y.shape != (count,) or not np.all(np.isfinite(y)):
        raise Error(f"y has the shape {y.shape}; allowed is one finite number for each of the {count} graphs")
    noise = real_array(noise, "noise")
    if noise.shape not in ((), (count,)):
        raise Error(f"noise has the shape {noise.shape}; allowed is a number, or one for each of the {count} graphs")
    noise = np.broadcast_to(noise, y.shape)
    wrong = ~((noise > 0) & (noise < np.inf))
    if wrong.any():
        raise Error(f"noise is {noise[wrong][0]}; allowed are finite numbers greater than 0")
    return y, noise


def search_space(kernel: Kernel, noise: np.ndarray, noise_bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    """Bounds and start of a search: of the kernel's theta, and last of the logarithm of a factor of the noise."""
    span = np.zeros(2)
    if not (isinstance(noise_bounds, str) and noise_bounds == "fixed"):
        try:
            low, high = (positive(bound, "noise_bounds") for bound in noise_bounds)
        except (Error, TypeError, ValueError):
            low, high = 1.0, 0.0
        if low > high:
            raise Error(f"noise_bounds is {shown(noise_bounds)}; allowed are two numbers greater than 0 in ascending order, and 'fixed'")
        span = np.log([low, high]) - np.log(noise).mean()
    return np.vstack([kernel.bounds, span]), np.append(kernel.theta, np.clip(0.0, *span))


def center_of(graphs: Sequence[Graph], y: np.ndarray, center: bool | str) -> float | dict[Any, float]:
    """What is to be subtracted from y: a number, or one for each value of a label."""
    return _least_squares(graphs, y, center) if isinstance(center, str) else float(y.mean()) if center else 0.0


def mean_of(graphs: Sequence[Graph], mean: float | dict[Any, float], center: Any) -> float | np.ndarray:
    """What is subtracted from y, of each graph."""
    if not isinstance(mean, dict):
        return mean
    return np.array([sum(mean.get(value, 0.0) for value in _values(graph, center)) for graph in graphs])


def _values(graph, label):
    """The values of a label of the graph's vertices."""
    if label not in graph.vertex_labels:
        raise Error(f"graph '{graph.name}' has no vertex label {label!r}, which center names; allowed are "
                    f"{', '.join(graph.vertex_labels) or 'True and False'}")
    return np.asarray(graph.vertex_labels[label]).tolist()


def _least_squares(graphs, y, label):
    """For each value of a label the number that counts times it are nearest to y with."""
    listed = [_values(graph, label) for graph in graphs]
    values = sorted({value for one in listed for value in one})
    counts = np.array([[one.count(value) for value in values] for one in listed], dtype=float)
    return dict(zip(values, np.linalg.lstsq(counts, y, rcond=None)[0].tolist()))


CRITERIA = ("variance", "mean variance")


def select(pool: Iterable[Any], count: int, kernel: Kernel, given: tuple | None = None, noise: float = 1e-6, tile: int = 1,
           criterion: str = "variance") -> list[int]:
    """Numbers of `count` graphs of a pool, chosen one after the other, by a pivoted Cholesky factorization. `given` are graphs that are
    known already, and their noise.

    By the criterion "variance" each is the one with the largest variance given those before, for which `count` columns of the matrix
    are solved and not all. With a `tile` above 1 the columns of so many graphs, those of the largest variance, are solved at once: these
    are likely to be needed next, and a GPU takes little longer for them than for one. The choice is the same.

    By "mean variance" each is the one that lowers the mean of the pool's variances most. So odd graphs are chosen only where others are
    like them, and what is predicted of the others is better. The pool's whole matrix is solved, and kept: P² numbers for P graphs."""
    graphs = as_graphs(pool, "pool")
    if not 0 < whole(count, "count") <= len(graphs):
        raise Error(f"count is {count}; allowed is a number from 1 to {len(graphs)}, the graphs of the pool")
    whole(tile, "tile", 1)
    positive(noise, "noise")
    if criterion not in CRITERIA:
        raise Error(f"criterion is {criterion!r}; allowed are {' and '.join(map(repr, CRITERIA))}")
    if criterion != "variance" and tile != 1:
        raise Error(f"tile is {tile} with the criterion {criterion!r}, for which all columns are solved at once; allowed is 1")
    known_rows = np.zeros((0, len(graphs)))
    if given is not None:
        known, known_noise = given
        factor = _factor(kernel(known) + np.diag(np.broadcast_to(known_noise, len(known))))
        known_rows = solve_triangular(factor, kernel(known, graphs), lower=True)
    if criterion == "variance":
        return _of_largest_variance(graphs, count, kernel, known_rows, noise, tile)
    return _for_least_mean_variance(graphs, count, kernel, known_rows, noise)


def _of_largest_variance(graphs, count, kernel, known_rows, noise, tile):
    left = kernel.diag(graphs).astype(float) - np.einsum("ij,ij->j", known_rows, known_rows)
    rows = np.zeros((count, len(graphs)))
    chosen, solved = [], {}
    for k in range(count):
        left[chosen] = -np.inf
        pick = int(np.argmax(left))
        if pick not in solved:
            wanted = [number for number in np.argsort(-left, kind="stable")[:tile + len(solved)].tolist() if number not in solved][:tile]
            wanted = [number for number in wanted if left[number] > -np.inf]
            # The pool first, so that the set is the same each time and stays prepared.
            solved.update(zip(wanted, map(np.array, kernel(graphs, [graphs[number] for number in wanted]).T)))
            # They take no more memory than `rows`.
            while len(solved) > max(count, tile):
                del solved[next(iter(solved))]
        column = solved.pop(pick) - rows[:k, pick] @ rows[:k] - known_rows[:, pick] @ known_rows
        rows[k] = column / np.sqrt(max(left[pick], 0) + noise)
        left = left - rows[k]**2
        chosen.append(pick)
    return chosen


def _for_least_mean_variance(graphs, count, kernel, known_rows, noise):
    # The covariance given what is known. A choice of graph x takes column x squared, over its variance, off all variances.
    covariance = kernel(graphs) - known_rows.T @ known_rows
    rows_at_once = 64
    rows, chosen = np.zeros((0, len(graphs))), []
    for k in range(count):
        if k % rows_at_once == 0:
            # Formed anew, so that rounding of the sums below does not grow.
            covariance -= rows.T @ rows
            rows = np.zeros((0, len(graphs)))
            variance = np.array(np.diag(covariance))
            squares = np.einsum("ij,ij->j", covariance, covariance)
        lowered = squares / (np.maximum(variance, 0) + noise)
        lowered[chosen] = -np.inf
        pick = int(np.argmax(lowered))
        row = (covariance[pick] - rows[:, pick] @ rows) / np.sqrt(max(variance[pick], 0) + noise)
        # The columns' squares after row ⊗ row is taken off the covariance.
        squares += row * (row * (row @ row) - 2 * (covariance @ row - (rows @ row) @ rows))
        variance -= row**2
        rows = np.vstack([rows, row])
        chosen.append(pick)
    return chosen
