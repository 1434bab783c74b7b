# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of kernels."""
from __future__ import annotations

import math
import numbers

from ._core import Error

_LOWEST, _HIGHEST = 1e-3, 1e3  # bounds of weights that are learnt, unless others are given
_LEAST_SHARE = 1e-3  # the lower bound of what lies between 0 and a number, such as h of a delta
_ANY = 1e100  # what a parameter such as a length may be at most, as good as anything
_TIMES = 10  # a length is learnt from a tenth to ten times its value: with a short one κ vanishes to rounding


class Parameter:
    """A number of a kernel.

    bounds : the least and the greatest value while it is learnt, or "fixed"; by default from a
        tenth to ten times the value; of weights 1e-3 … 1e3; of what lies in [0, 1] 1e-3 … 1.
    """

    def __init__(self, value: float, bounds: tuple[float, float] | str | None = None) -> None:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise Error(f"a parameter is {value!r}; allowed is a finite number")
        self.value = float(value)
        self.bounds = bounds if bounds is None or isinstance(bounds, str) else _bounds(bounds)
        if isinstance(self.bounds, str) and self.bounds != "fixed":
            raise _wrong_bounds(bounds)

    def __repr__(self):
        return f"Parameter({self.value!r})" if self.bounds is None else f"Parameter({self.value!r}, bounds={self.bounds!r})"

    def __eq__(self, other):
        return isinstance(other, Parameter) and (self.value, self.bounds) == (other.value, other.bounds)

    __hash__ = None


def _bounds(given):
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        raise _wrong_bounds(given) from None
    if not 0 < low <= high < math.inf:
        raise _wrong_bounds(given)
    return low, high


def _wrong_bounds(given):
    return Error(f"bounds are {given!r}; allowed are two numbers greater than 0 in ascending order, and 'fixed'")


def as_parameter(value, bounds=None):
    if isinstance(value, Parameter):
        return value if bounds is None else Parameter(value.value, bounds)
    return Parameter(value, bounds)


class Slot:
    """A parameter in its place: its name, and what its kernel allows."""

    def __init__(self, name, parameter, low, high, learnt):
        self.name, self.parameter = name, parameter
        self.value = parameter.value
        if high < _ANY:
            default = (max(low, _LEAST_SHARE), high)
        elif name == "weight":
            default = (_LOWEST, _HIGHEST)
        else:
            default = (self.value / _TIMES, self.value * _TIMES)
        self.bounds = parameter.bounds if parameter.bounds is not None else default if learnt else "fixed"
        if self.value <= 0 and parameter.bounds is None:
            # Its logarithm is what is learnt.
            self.bounds = "fixed"
        elif parameter.bounds is None and not self.fixed:
            self.bounds = (min(self.bounds[0], self.value), max(self.bounds[1], self.value))

    @property
    def fixed(self):
        return self.bounds == "fixed"

    def check(self):
        """Refuses bounds that the value is outside of."""
        if not self.fixed and not self.bounds[0] <= self.value <= self.bounds[1]:
            raise Error(f"'{self.name}' is {self.value:g}, and its bounds are {self.bounds[0]:g} … {self.bounds[1]:g}; allowed are bounds "
                        "that it lies within, and 'fixed'")
