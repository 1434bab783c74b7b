# SPDX-License-Identifier: BSD-3-Clause
"""Edges, weights and targets, from what Python has to what C++ takes. What is wrong is refused with its value."""
from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping

import numpy as np

from ._core import Error

_PAIRS = "allowed are pairs of vertices"


def shown(value):
    """A value in an error: one line, not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


def has_items(values):
    """Whether it is gone through item by item. What has `__getitem__` alone is, too, such as a data set of PyTorch."""
    try:
        iter(values)
    except TypeError:
        return False
    return True


def ends(edges, vertices, graph):
    """Pairs of vertices, edges × 2."""
    if not has_items(edges):
        raise Error(f"graph '{graph}': edges is {shown(edges)}; {_PAIRS}")
    given = edges if isinstance(edges, np.ndarray) else list(edges)
    try:
        array = np.asarray(given)
    except ValueError:
        # They have different lengths.
        array = None
    if array is not None and array.size == 0:
        return np.zeros((0, 2), dtype=np.int32)
    if array is None or array.ndim != 2 or array.shape[1] != 2:
        odd = [] if given is array else [k for k, edge in enumerate(given) if not _is_pair(edge)]
        found = f"edge {odd[0]} is {shown(given[odd[0]])}" if odd else f"edges have the shape {np.shape(array)}"
        raise Error(f"graph '{graph}': {found}; {_PAIRS}")
    if array.dtype.kind not in "iu":
        # Integers beyond 64 bits are an array of objects, and have their turn below.
        _refuse(given, graph, lambda end: not isinstance(end, numbers.Integral) or isinstance(end, (bool, np.bool_)), "is no integer",
                "are integers")
    if array.min() < -(2**31) or array.max() >= 2**31:
        _refuse(given, graph, lambda end: not 0 <= end < vertices, "does not exist", f"is 0 to {vertices - 1}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _is_pair(edge):
    nested = (list, tuple, np.ndarray)
    return isinstance(edge, nested) and len(edge) == 2 and not any(isinstance(end, nested) for end in edge)


def _refuse(edges, graph, wrong, what, allowed):
    """Names the first end of an edge that is wrong."""
    for edge in edges:
        pair = edge.tolist() if isinstance(edge, np.ndarray) else list(edge)
        for end in pair:
            if wrong(end):
                raise Error(f"graph '{graph}': edge ({', '.join(map(shown, pair))}): vertex {shown(end)} {what}; allowed {allowed}")


def reals(values, what, count, graph):
    """`count` numbers of a graph. `what` names one of them: "weight"."""
    array = real_array(values, f"graph '{graph}': {what}s", lambda place: f"graph '{graph}': {what} {place}")
    if array.shape != (count,):
        raise Error(f"graph '{graph}': {what}s have the shape {array.shape}; allowed is ({count},)")
    return array


def real_array(values, what, one=None):
    """An array of numbers, in double. `what` names it in an error, and `one` the value at a place, which is "what[place]" unless given."""
    try:
        array = np.asarray(values)
        # Of complex numbers NumPy takes the real part.
        if array.dtype.kind != "c":
            return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError):
        pass
    raise Error(f"{_odd(values, what, one)}; allowed are numbers")


def _odd(values, what, one):
    """Which of the values is no number."""
    if isinstance(values, Iterable) and not isinstance(values, (str, Mapping)) and getattr(values, "ndim", 1):
        for place, value in enumerate(values):
            try:
                number = not isinstance(value, (complex, np.complexfloating)) and float(value)
            except (TypeError, ValueError):
                number = False
            if number is False:
                return f"{one(place) if one else f'{what}[{place}]'} is {shown(value)}"
    return f"{what} {'are' if what.endswith('s') else 'is'} {shown(values)}"


def whole(value, what, least=0):
    """A number of things, at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or value < least:
        raise Error(f"{what} is {shown(value)}; allowed is a whole number, at least {least}")
    return int(value)


def positive(value, what):
    """A finite number greater than 0."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real) or not 0 < value < math.inf:
        raise Error(f"{what} is {shown(value)}; allowed is a finite number greater than 0")
    return float(value)


def targets(given, graph):
    """Numbers by name."""
    if given is not None and not isinstance(given, Mapping):
        raise Error(f"graph '{graph}': targets are {shown(given)}; allowed is a mapping from names to numbers")
    made = {}
    for name, value in dict(given or {}).items():
        try:
            made[str(name)] = float(value)
        except (TypeError, ValueError):
            raise Error(f"graph '{graph}': target {str(name)!r} is {shown(value)}; allowed is a number") from None
    return made
