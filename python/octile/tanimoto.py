# SPDX-License-Identifier: BSD-3-Clause
"""K / (a + b − K) of values K of pairs, a = K(x, x) and b = K(y, y), with bounds and gradients.

Of two graphs of which a and b are 0, such as graphs without edges where walks have at least one step, it is 1, as that of two empty sets
is in the base kernel `tanimoto`. It stays so for other parameters.
"""
from __future__ import annotations

import dataclasses

import numpy as np

from .result import worst


def ratio(values, a, b):
    """K / (a + b − K), 1 for 0 / 0."""
    total = a + b - values
    return np.divide(values, total, out=np.ones(np.shape(total)), where=total != 0)


def tanimoto(plain, own, first, second):
    """The result out of those of K and of graphs with themselves. `first` and `second` are the graphs of each pair."""
    a, b = own.values[first], own.values[second]
    values = ratio(plain.values, a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        # An exact value lies within [v / (1 + e), v / (1 − e)], and the ratio grows with K and falls with a and b.
        least, most = plain.values / (1 + plain.bounds), plain.values / np.maximum(1 - plain.bounds, 0)
        own_least, own_most = own.values / (1 + own.bounds), own.values / np.maximum(1 - own.bounds, 0)
        lowest = ratio(least, own_most[first], own_most[second])
        highest = ratio(most, own_least[first], own_least[second])
        bounds = np.maximum(values / lowest - 1, 1 - values / np.where(highest > 0, highest, np.inf))
        bounds = np.where(np.isfinite(bounds) & (highest > 0), bounds, np.inf)
    # A 0 with a bound below 1 is exactly 0.
    exact = (plain.values == 0) & (plain.bounds < 1) & (own.bounds[first] < 1) & (own.bounds[second] < 1)
    bounds = np.where(exact, 0.0, bounds)
    gradient = None
    if plain.gradient is not None:
        total = a + b
        by_own = own.gradient[first] + own.gradient[second]
        above = plain.gradient * total[..., None] - plain.values[..., None] * by_own
        squared = np.broadcast_to((total - plain.values)[..., None]**2, above.shape)
        gradient = np.divide(above, squared, out=np.zeros(above.shape), where=squared != 0)
    status = worst(plain.status, own.status[first], own.status[second])
    return dataclasses.replace(plain, values=values, bounds=bounds, gradient=gradient, status=status)


def tanimoto_weights(values, a, b, weights):
    """K / (a + b − K); and of each pair the weights of K, and of a and b, for which Σ weights · ∂ of these is the Σ of the given weights times
    its derivatives."""
    total = a + b
    share = np.divide(weights, (total - values)**2, out=np.zeros(np.shape(weights)), where=total != values)
    return ratio(values, a, b), share * total, -share * values
