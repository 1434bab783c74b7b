# SPDX-License-Identifier: BSD-3-Clause
"""Attributes of vertices and edges, from what Python has to the arrays that C++ takes.

A column is one attribute of all vertices, or of all edges: a pair of its type's name and its values, as `_core.Graph` takes it.
"""
import numbers
from collections.abc import Mapping

import numpy as np

from ._core import Error
from .arrays import has_items, shown

_ALLOWED = "allowed are integers, numbers, texts, and lists of numbers or of texts, of one type for all"


def column(values, where):
    """The column of a sequence of values. `where` says in an error whose they are: "graph 'a': vertex attribute 'b'"."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return _of_array(values, where)
    if isinstance(values, np.ndarray) and values.ndim not in (1, 2):
        raise Error(f"{where} is an array of {values.ndim} dimensions; allowed are 1, and 2 for lists")
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "U":
        # Also of no edges at all, whose labels are texts by the array's type alone.
        return "text", values.tolist()
    if not has_items(values):
        raise Error(f"{where} is {shown(values)}; {_ALLOWED}")
    listed = [_plain(value) for value in values]
    if not listed:
        return "real", np.zeros(0)
    if all(isinstance(value, str) for value in listed):
        return "text", listed
    if all(isinstance(value, list) for value in listed):
        return _lists(listed, where)
    if all(_is_number(value) for value in listed):
        return _of_scalars(listed, where)
    raise _mixed(listed, where)


def _is_number(value):
    return isinstance(value, (bool, numbers.Real))


def _mixed(values, where):
    """The error of values of which one has no type that is allowed, or another one than the first."""
    kinds = ["number" if _is_number(value) else type(value) if isinstance(value, (str, list)) else None for value in values]
    if None in kinds:
        return Error(f"{where} has {shown(values[kinds.index(None)])}; {_ALLOWED}")
    other = next(value for value, kind in zip(values, kinds) if kind != kinds[0])
    return Error(f"{where} has values of several types, such as {shown(values[0])} and {shown(other)}; {_ALLOWED}")


def _plain(value):
    """NumPy's scalars and sequences as Python's own."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple, set, frozenset)):
        ordered = sorted(value, key=lambda item: (isinstance(item, str), item)) if isinstance(value, (set, frozenset)) else value
        return [_plain(item) for item in ordered]
    return value


def _of_array(array, where):
    if array.dtype.kind not in "biu":
        return "real", np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "u" and array.size and array.max() >= 2**63:
        raise _too_large(int(array.max()), where)
    return "integer", np.ascontiguousarray(array, dtype=np.int64)


def _of_scalars(listed, where):
    """Integers are kept exactly. Beside reals they become reals."""
    if not all(isinstance(value, numbers.Integral) for value in listed):
        return "real", np.array([_real(value, where) for value in listed])
    for value in listed:
        if not -2**63 <= value < 2**63:
            raise _too_large(value, where)
    return "integer", np.array(listed, dtype=np.int64)


def _too_large(value, where):
    return Error(f"{where} has {value}; allowed are integers from -2^63 to 2^63 - 1, or texts")


def _real(value, where):
    """Of integers from 2^53 on neighbours are the same as reals: a label would become another one."""
    if isinstance(value, numbers.Integral) and abs(value) >= 2**53:
        raise Error(f"{where} has the integer {value} among reals; allowed are those below 2^53 there, or texts")
    return float(value)


def _lists(listed, where):
    items = [item for values in listed for item in values]
    if items and all(isinstance(item, str) for item in items):
        return "list of texts", listed
    if all(_is_number(item) for item in items):
        return "list of reals", [[_real(item, where) for item in values] for values in listed]
    nested = next((item for item in items if isinstance(item, list)), None)
    if nested is not None:
        raise Error(f"{where} has the list {shown(nested)} in a list; {_ALLOWED}")
    raise _mixed(items, f"{where} in its lists")


def columns(attributes, count, kind, graph):
    """The columns of a mapping from names to values, each of `count` of them."""
    if attributes is not None and not isinstance(attributes, Mapping):
        raise Error(f"graph '{graph}': {kind}_labels is {shown(attributes)}; allowed is a mapping from names to values")
    made = {}
    for name, values in dict(attributes or {}).items():
        where = f"graph '{graph}': {kind} attribute {name!r}"
        if not isinstance(name, str):
            raise Error(f"{where} has a name that is no text; allowed are texts")
        found = column(values, where)
        if len(found[1]) != count:
            noun = {"vertex": "vertices", "edge": "edges"}[kind]
            raise Error(f"{where} has {len(found[1])} values; allowed is one for each of the {count} {noun}")
        made[name] = found
    return made
