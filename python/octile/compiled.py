# SPDX-License-Identifier: BSD-3-Clause
"""What follows from a kernel's arguments: its parameters with their bounds, and the kernel as C++ has it."""
from __future__ import annotations

import functools
import math
from collections.abc import Mapping

import numpy as np

from . import _core
from ._core import Error
from .kernels import Constant, as_kernel
from .parameters import Parameter, Slot


class Compiled:
    """What follows from a kernel's parameters. Raises `Error` for those that could not be learnt within their bounds."""

    def __init__(self, kernel):
        # The objects whose kernel this is: they are compared by identity.
        self.source = source(kernel)
        self.vertex, self.edge = as_kernel(kernel.vertex), as_kernel(kernel.edge)
        self.meaning, q = _core.parse_stopping(str(kernel.stopping))
        wanted = _bounds_by_name(kernel.bounds_by_name)
        self.slots = []
        for site, base in (("vertex", self.vertex), ("edge", self.edge)):
            for slot in slots_of(base):
                self._add(f"{site}.{slot.name}", slot, wanted)
        at_most = 0.9 if self.meaning == "probability" else 1e3
        self._add("q", Slot("q", Parameter(q), 1e-3, at_most, True), wanted)
        if wanted:
            names = ", ".join(slot.name for slot in self.slots)
            raise Error(f"bounds of '{next(iter(wanted))}': the kernel has no such parameter; allowed are {names}")
        if not isinstance(kernel.normalize, (bool, np.bool_)) and kernel.normalize != "tanimoto":
            raise Error(f"normalize is {kernel.normalize!r}; allowed are True, False and 'tanimoto'")
        self.free = [k for k, slot in enumerate(self.slots) if not slot.fixed]
        # Its parameters are the slots, in their order.
        lmin = _lmin(kernel.lmin)
        self.spec = _core.KernelSpec.make(str(self.vertex), str(self.edge), f"{self.meaning}:{q!r}", lmin)
        _check_ends(self, lmin)

    def _add(self, name, slot, wanted):
        slot.name, count = name, 1
        while any(slot.name == other.name for other in self.slots):
            count += 1
            slot.name = f"{name}#{count}"
        if slot.name in wanted:
            try:
                parameter = Parameter(slot.value, wanted.pop(slot.name))
            except Error as error:
                raise Error(f"'{slot.name}': {error}") from None
            slot = Slot(slot.name, parameter, 0.0, math.inf, True)
        slot.check()
        self.slots.append(slot)

    def with_values(self, values):
        """Both base kernels and q with other values of all parameters."""
        of_vertex = len(slots_of(self.vertex))
        return (_changed(self.vertex, values[:of_vertex]), _changed(self.edge, values[of_vertex:-1]), values[-1])

    def ends(self, of):
        """The values of all parameters with those that are free at an end of their bounds, 0 or 1, as `of` says of each."""
        return [slot.value if slot.fixed else slot.bounds[of(k)] for k, slot in enumerate(self.slots)]


def source(kernel):
    """What a kernel's parameters follow from."""
    return kernel.vertex, kernel.edge, kernel.stopping, kernel.lmin, kernel.bounds_by_name, kernel.normalize


def slots_of(base):
    """The parameters of a base kernel; none of the unlabelled case."""
    return [] if isinstance(base, Constant) and base.value.value == 1 else base.slots()


def _changed(base, values):
    """The base kernel with other values, which keeps the bounds; the given one where nothing changes."""
    return base if values == [slot.value for slot in slots_of(base)] else base.with_values(values)


def _bounds_by_name(given):
    if given is not None and not isinstance(given, Mapping):
        raise Error(f"bounds_by_name is {given!r}; allowed is a mapping from names of parameters to bounds or 'fixed'")
    return dict(given or {})


def _lmin(value):
    if isinstance(value, bool) or value not in (0, 1):
        raise Error(f"lmin is {value!r}; allowed are 0 and 1")
    return int(value)


def _check_ends(compiled, lmin):
    """Refuses bounds within which the kernel is not one everywhere, before a search comes there."""
    if not compiled.free:
        return
    lowest, highest = (_text(compiled, compiled.ends(lambda k, end=end: end)) for end in (0, 1))
    complaint = _complaint(lowest, highest, lmin)
    if complaint is None:
        return
    # Which of them it is: those that are wrong by themselves, beside the least of all others.
    for n in compiled.free:
        slot = compiled.slots[n]
        for end in (0, 1):
            alone = _wrong(_text(compiled, compiled.ends(lambda k, n=n, end=end: end if k == n else 0)), lmin)
            if alone is not None:
                raise Error(f"bounds of '{slot.name}' are {slot.bounds[0]:g} … {slot.bounds[1]:g}; with {slot.bounds[end]:g} it is: {alone}")
    raise Error(f"the bounds go together to a kernel that is none: {complaint}")


def _text(compiled, values):
    """The kernel with these values as the texts that C++ takes; or, where a base kernel is none, what is wrong with it."""
    try:
        vertex, edge, q = compiled.with_values(values)
    except Error as error:
        return str(error)
    return str(vertex), str(edge), f"{compiled.meaning}:{q!r}"


@functools.lru_cache(maxsize=256)
def _complaint(lowest, highest, lmin):
    """The first complaint about the ends of all bounds. They stay while a kernel is learnt, and so does what is found here."""
    return _wrong(lowest, lmin) or _wrong(highest, lmin)


def _wrong(text, lmin):
    if isinstance(text, str):
        return text
    try:
        _core.KernelSpec.make(*text, lmin)
    except Error as error:
        return str(error)
    return None
