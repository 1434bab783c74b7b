# SPDX-License-Identifier: BSD-3-Clause
"""K / (a + b − K) of values K of pairs, a = K(x, x) and b = K(y, y), with bounds and gradients."""
from __future__ import annotations

import dataclasses

import numpy as np


def tanimoto(plain, own, first, second):
    """K / (a + b − K) out of K, a = K(x, x) and b = K(y, y)."""
    def ratio(values, a, b):
        return values / (a[:, None] + b[None, :] - values)

    # An exact value lies within [v / (1 + e), v / (1 − e)], and the ratio grows with K and falls with a and b.
    least, most = plain.values / (1 + plain.bounds), plain.values / np.maximum(1 - plain.bounds, 0)
    own_least, own_most = own.values / (1 + own.bounds), own.values / np.maximum(1 - own.bounds, 0)
    a, b = own.values[first], own.values[second]
    values = ratio(plain.values, a, b)
    lowest = ratio(least, own_most[first], own_most[second])
    with np.errstate(divide="ignore", invalid="ignore"):
        highest = ratio(most, own_least[first], own_least[second])
        bounds = np.maximum(values / lowest - 1, 1 - values / np.where(highest > 0, highest, np.inf))
        bounds = np.where(np.isfinite(bounds) & (highest > 0), bounds, np.inf)
    gradient = None
    if plain.gradient is not None:
        total = a[:, None] + b[None, :]
        by_own = own.gradient[first][:, None] + own.gradient[second][None, :]
        gradient = (plain.gradient * total[..., None] - plain.values[..., None] * by_own) / (total - plain.values)[..., None]**2
    return dataclasses.replace(plain, values=values, bounds=bounds, gradient=gradient)


def tanimoto_weights(raw, weights):
    """K / (a + b − K) of a square, and the weights of K for which Σ weights ∂K is the Σ of these weights times its derivatives."""
    own = np.diag(raw)
    total = own[:, None] + own[None, :]
    squared = (total - raw)**2
    of_own = weights * raw / squared
    changed = weights * total / squared - np.diag(of_own.sum(axis=0) + of_own.sum(axis=1))
    return raw / (total - raw), changed
