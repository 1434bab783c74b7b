# SPDX-License-Identifier: BSD-3-Clause
"""Base kernels: how two labels are compared.

    delta("element", 0.5) * gaussian("charge", 1.0)
    normalize(2.0 * delta("element", 0.5) + 1.0 * delta("ring", 0.2))

They compose with `+`, `*` and `**`, and are the same as the text of the command line (docs/kernels.md): `str` writes it, `parse` reads it.
Every number of a kernel is a `Parameter`: a value, its bounds while it is learnt, and whether it is fixed.
"""
from __future__ import annotations

import math
import numbers
from inspect import Parameter as Inspected
from inspect import Signature

from . import _core
from ._core import Error
from .parameters import Parameter, Slot, as_parameter

_LEAVES = {leaf["name"]: leaf for leaf in _core.leaves()}


class BaseKernel:
    """What all base kernels have. Made by `delta`, `gaussian` and the like, by `convolution`, `normalize`, `power` and `parse`."""

    def __add__(self, other):
        return Sum([self, as_kernel(other)])

    def __radd__(self, other):
        return Sum([as_kernel(other), self])

    def __mul__(self, other):
        return Product([self, as_kernel(other)])

    def __rmul__(self, other):
        return Product([as_kernel(other), self])

    def _reads_element(self):
        """Whether it reads `_`, the element of a list, and so belongs inside a convolution."""
        return False

    def __pow__(self, exponent):
        return Power(self, exponent)

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self):
        return hash(str(self))

    def __repr__(self):
        return f"<octile kernel {self}>"

    def slots(self):
        """The parameters that a derivative can be taken by, in the order of the text."""
        return list(self._slots(normalized=False))

    def with_values(self, values):
        """The same kernel with other values of its `slots`, within the same bounds."""
        slots = self.slots()
        waiting = iter([Parameter(value, slot.bounds) for value, slot in zip(values, slots, strict=True)])
        return self._with(waiting)


class Constant(BaseKernel):
    """A number greater than 0. `Constant(1)` alone is the unlabelled case."""

    def __init__(self, value, bounds=None):
        self.value = as_parameter(value, bounds)
        if not self.value.value > 0:
            raise Error(f"a number of a kernel is {self.value.value:g}; allowed is one greater than 0")

    def __str__(self):
        return _number(self.value.value)

    def _key(self):
        return self.value

    def __hash__(self):
        return hash(str(self))

    def _slots(self, normalized):
        # The numbers of a sum are held to 1 by each other, so that only `normalize` lets them be learnt by themselves.
        yield Slot("weight", self.value, 0.0, math.inf, normalized)

    def _with(self, values):
        return Constant(next(values))


class Leaf(BaseKernel):
    """A kernel of one attribute."""

    def __init__(self, name, attribute, parameters, bounds=None):
        if name not in _LEAVES:
            raise Error(f"unknown kernel '{name}'; allowed are {', '.join(_LEAVES)}")
        self.name, self.attribute = name, str(attribute)
        rows = _LEAVES[name]["parameters"]
        given = list(parameters)
        if len(given) > len(rows):
            raise Error(f"{name} has {len(given)} parameters; allowed is {_LEAVES[name]['usage']}")
        for row in rows[len(given):]:
            if row["standard"] is None:
                raise Error(f"{name} of '{attribute}' has no {row['name']}; allowed is {_LEAVES[name]['usage']}")
            given.append(row["standard"])
        by_name = bounds if isinstance(bounds, dict) else {} if bounds is None else {rows[0]["name"]: bounds}
        for key in by_name:
            if key not in [row["name"] for row in rows]:
                raise Error(f"{name} has no parameter '{key}'; allowed is {_LEAVES[name]['usage']}")
        self.parameters = tuple(as_parameter(value, by_name.get(row["name"])) for value, row in zip(given, rows))
        _check(self)

    def _reads_element(self):
        return self.attribute == "_"

    def __str__(self):
        values = "".join(f", {_number(parameter.value)}" for parameter in self.parameters)
        return f"{self.name}({_attribute(self.attribute)}{values})"

    def _key(self):
        return self.name, self.attribute, self.parameters

    def _rows(self):
        return zip(_LEAVES[self.name]["parameters"], self.parameters)

    def _slots(self, normalized):
        several = len(self.parameters) > 1
        for row, parameter in self._rows():
            if row["learnt"]:
                name = f"{self.name}({self.attribute})" + (f".{row['name']}" if several else "")
                yield Slot(name, parameter, row["low"], row["high"], True)

    def _with(self, values):
        made = [next(values) if row["learnt"] else old for row, old in self._rows()]
        return Leaf(self.name, self.attribute, made)


class _Composed(BaseKernel):
    """Of parts of which each has its own parameters."""

    def __init__(self, parts):
        self.parts = []
        for part in parts:
            self.parts += part.parts if type(part) is type(self) else [part]

    def _key(self):
        return tuple(self.parts)

    def _reads_element(self):
        return any(part._reads_element() for part in self.parts)

    def _slots(self, normalized):
        for part in self.parts:
            yield from part._slots(normalized)

    def _with(self, values):
        return type(self)([part._with(values) for part in self.parts])


class Product(_Composed):
    """κ₁ · κ₂ · …"""

    def __str__(self):
        return "*".join(f"({part})" if isinstance(part, Sum) else str(part) for part in self.parts)


class Sum(_Composed):
    """κ₁ + κ₂ + …"""

    def __str__(self):
        return "+".join(str(part) for part in self.parts)


class _OfOne(BaseKernel):
    """Around one kernel, which has the parameters."""

    def _reads_element(self):
        return self.kernel._reads_element()

    def _slots(self, normalized):
        return self.kernel._slots(normalized)


class Convolution(_OfOne):
    """The mean of a kernel of the attribute `_` over all pairs of elements of two lists."""

    def __init__(self, attribute, kernel):
        self.attribute, self.kernel = str(attribute), as_kernel(kernel)
        _core.parse(str(self))

    def __str__(self):
        return f"convolution({_attribute(self.attribute)}, {self.kernel})"

    def _reads_element(self):
        return False

    def _key(self):
        return self.attribute, self.kernel

    def _with(self, values):
        return Convolution(self.attribute, self.kernel._with(values))


class Normalized(_OfOne):
    """κ(a, b) / √(κ(a, a) κ(b, b)): weights of any size > 0 may be learnt, and the values stay within [0, 1]."""

    def __init__(self, kernel):
        self.kernel = as_kernel(kernel)
        _core.parse(str(self))

    def __str__(self):
        return f"normalize({self.kernel})"

    def _key(self):
        return self.kernel

    def _slots(self, normalized):
        return self.kernel._slots(True)

    def _with(self, values):
        return Normalized(self.kernel._with(values))


class Power(_OfOne):
    """κ(a, b) to an exponent: a whole number, or any > 0 for products of delta, gaussian, rational, periodic and matern with nu = 0.5."""

    def __init__(self, kernel, exponent):
        if isinstance(exponent, bool) or not isinstance(exponent, numbers.Real) or not math.isfinite(exponent):
            raise Error(f"an exponent is {exponent!r}; allowed is a number greater than 0")
        self.kernel, self.exponent = as_kernel(kernel), float(exponent)
        _check(self)

    def __str__(self):
        return f"power({self.kernel}, {_number(self.exponent)})"

    def _key(self):
        return self.kernel, self.exponent

    def _with(self, values):
        return Power(self.kernel._with(values), self.exponent)


def _check(kernel):
    """C++ says what is wrong, with the column."""
    _core.parse(f"convolution(x, {kernel})" if kernel._reads_element() else str(kernel))


def _number(value):
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _attribute(name):
    plain = name != "" and all(letter.isascii() and letter.isalnum() or letter in "_-." for letter in name)
    return name if plain else f'"{name}"'


def as_kernel(value: BaseKernel | str | float | Parameter) -> BaseKernel:
    """The kernel of a kernel, a number or a text."""
    if isinstance(value, BaseKernel):
        return value
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, (numbers.Real, Parameter)) and not isinstance(value, bool):
        return Constant(value)
    raise Error(f"{value!r} is no base kernel; allowed are kernels, numbers and texts")


def parse(text: str) -> BaseKernel:
    """The kernel of a text as the command line takes it."""
    return _from_tree(_core.parse(str(text)))


def _from_tree(tree):
    kind = tree[0]
    if kind == "constant":
        return Constant(tree[1])
    if kind == "leaf":
        return Leaf(tree[1], tree[2], tree[3])
    if kind == "convolution":
        return Convolution(tree[1], _from_tree(tree[2]))
    if kind == "power":
        return Power(_from_tree(tree[1]), tree[2])
    if kind == "normalize":
        return Normalized(_from_tree(tree[1]))
    return (Product if kind == "product" else Sum)([_from_tree(part) for part in tree[1]])


def normalize(kernel: BaseKernel | str) -> BaseKernel:
    """κ(a, b) / √(κ(a, a) κ(b, b)), in which weights may be any numbers > 0, and are learnt."""
    return Normalized(kernel)


def power(kernel: BaseKernel | str, exponent: float) -> BaseKernel:
    """κ(a, b) to an exponent, which is not learnt; also `kernel ** exponent`."""
    return Power(kernel, exponent)


def convolution(attribute: str, kernel: BaseKernel | str) -> BaseKernel:
    """The mean of a kernel of the attribute `_` over all pairs of elements of two lists."""
    return Convolution(attribute, kernel)


def _signature(leaf):
    """attribute, the parameters by their names, and bounds, which is by its name alone."""
    standards = [Inspected.empty if row["standard"] is None else row["standard"] for row in leaf["parameters"]]
    given = [Inspected("attribute", Inspected.POSITIONAL_OR_KEYWORD)]
    given += [Inspected(row["name"], Inspected.POSITIONAL_OR_KEYWORD, default=standard)
              for row, standard in zip(leaf["parameters"], standards)]
    return Signature([*given, Inspected("bounds", Inspected.KEYWORD_ONLY, default=None)])


def _maker(leaf):
    signature = _signature(leaf)

    def make(*given, **by_name):
        if len(given) > 1 + len(leaf["parameters"]):
            raise Error(f"{leaf['name']} has {len(given) - 1} parameters; allowed is {leaf['usage']}")
        try:
            bound = signature.bind(*given, **by_name)
        except TypeError as error:
            raise Error(f"{leaf['name']}: {error}; allowed is {leaf['usage']}") from None
        bound.apply_defaults()
        attribute, *parameters = bound.args
        return Leaf(leaf["name"], attribute, parameters, bound.kwargs["bounds"])

    make.__name__ = make.__qualname__ = leaf["name"]
    make.__signature__ = signature
    make.__doc__ = (f"{leaf['usage']}: {leaf['equation']}.\n\n`bounds` are those of the first parameter, or a mapping from the "
                    "names of parameters to theirs.")
    return make


# A function for each row of the table of leaf kernels in C++; python/kernel_types writes their types.
_made = {name: _maker(leaf) for name, leaf in _LEAVES.items()}
globals().update(_made)
__all__ = ["BaseKernel", "Constant", "Parameter", "as_kernel", "convolution", "normalize", "parse", "power", *_made]
