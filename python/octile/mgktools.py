# SPDX-License-Identifier: BSD-3-Clause
"""Kernels from the hyperparameter files of mgktools (JSON, versions 0.1 to 3.3). It is there after `import octile.mgktools`.

    kernel = octile.mgktools.read("product.json", left_out=["atom_AtomicNumber_count_2", "bond_RingStereo"])
    graphs = [octile.from_smiles(smiles, features=octile.mgktools.FEATURES) for smiles in ...]
"""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any

from ._core import Error
from .kernel import Kernel
from .kernels import Constant, Parameter, convolution, delta, gaussian, normalize

# Its attributes that molecules have here. Most are the same; docs/python.md says which are near.
NAMES = {
    "atom_AtomicNumber": "atomic_number", "atom_Charge": "charge", "atom_Hcount": "hydrogens", "atom_Hybridization": "hybridization",
    "atom_Aromatic": "aromatic", "atom_InRing": "in_ring", "atom_Chiral": "chirality", "atom_RingSize_list": "ring_sizes",
    "atom_Ring_count": "rings", "atom_MorganHash": "morgan3", "atom_AtomicNumber_count_1": "degree",
    **{f"atom_AtomicNumber_list_{k}": f"neighbors{k}" for k in range(1, 5)},
    "bond_Order": "order", "bond_Conjugated": "conjugated", "bond_InRing": "in_ring", "bond_Stereo": "stereo",
}
FEATURES = "default,rings,degree,morgan3,neighbors1,neighbors2,neighbors3,neighbors4"

_KERNELS = {
    "Const": lambda name, number: Constant(number),
    "kDelta": delta,
    "kConv": lambda name, number: convolution(name, delta("_", number)),
    "sExp": gaussian,
}
_SITES = ("atom", "bond")


def _value(entry, name):
    """The value and the bounds of an entry: [value, bounds or "fixed", step, choices], of which older versions have the first two or three."""
    if not isinstance(entry, list) or len(entry) < 2:
        raise Error(f"{name} is {entry!r}; allowed is a list of a value, its bounds, and more")
    return entry[0], "fixed" if entry[1] in ("fixed", None) else tuple(entry[1])


def _number(entry, name):
    value, bounds = _value(entry, name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Error(f"{name} is {value!r}; allowed is a number")
    return Parameter(value, bounds)


def _part(name, kernels, label):
    """The product of the kernels of one attribute."""
    made = []
    for kind, entry in kernels.items():
        if kind not in _KERNELS:
            raise Error(f"{name} has the kernel {kind!r}; allowed are {', '.join(_KERNELS)}")
        made.append(_KERNELS[kind](label, _number(entry, f"{name}: {kind}")))
    return reduce(mul, made)


def _base(given, site, names, left_out):
    """The base kernel of atoms or of bonds."""
    prefix = f"{site}_"
    found = {name: kernels for name, kernels in given.items() if name.startswith(prefix) and name not in left_out}
    unknown = [name for name in found if name not in names]
    if unknown:
        raise Error(f"{', '.join(unknown)}: molecules have no such label; allowed are names={{...}}, to labels of your graphs, and "
                    "left_out=[...]")
    parts = [_part(name, kernels, names[name]) for name, kernels in found.items()]
    if not parts:
        return Constant(1)
    kind, _ = _value(given.get(f"{site[0]}_type"), f"{site[0]}_type")
    if kind == "Additive":
        return normalize(reduce(add, parts))
    if kind == "Tensorproduct":
        return reduce(mul, parts)
    raise Error(f"{site[0]}_type is {kind!r}; allowed are 'Additive' and 'Tensorproduct'")


def _check_start(given, left_out):
    """Refuses starting weights other than those of `start="ones"`, up to a factor."""
    for name, kernels in given.items():
        if name.startswith("probability_") and name not in left_out and set(kernels) != {"Const_p"}:
            raise Error(f"{name} has the kernel {', '.join(kernels)}; allowed are Const_p, which is start='ones', and left_out=[...]")


def _normalization(given, left_out):
    value, _ = _value(given.get("Normalization"), "Normalization")
    if isinstance(value, bool):
        return value
    if "Normalization" in left_out:
        return True
    raise Error(f"Normalization is {value!r}, by the sizes of molecules; allowed are true, false, and left_out=['Normalization'], which "
                "normalizes without it")


def read(file: str | os.PathLike | Mapping[str, Any], *, names: Mapping[str, str] | None = None, left_out: Iterable[str] = (),
         **options: Any) -> Kernel:
    """The kernel of a file of mgktools, or of what is in it, with the same values and bounds.

    Its attributes are those of `NAMES`; `names` adds to these, as in {"atom_GasteigerCharge": "my_charge"}. What has no counterpart is refused,
    unless `left_out` names it as the file does. `options` are further arguments of `Kernel`, such as accuracy. Without normalisation
    mgktools' K is that of this kernel times 1/q², which the σ² of a Gaussian process makes up for.
    """
    given = dict(file) if isinstance(file, Mapping) else json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    left_out = list(left_out)
    missing = next((name for name in left_out if name not in given), None)
    if missing is not None:
        raise Error(f"left_out has {missing!r}; allowed are names of the file: {', '.join(given)}")
    known = ("Normalization", "q", "a_type", "b_type", "p_type")
    odd = next((name for name in given if name not in known and not name.startswith(("atom_", "bond_", "probability_"))), None)
    if odd is not None:
        raise Error(f"{odd!r} belongs to no graph kernel; allowed are atom_…, bond_…, probability_…, {', '.join(known)}")
    _check_start(given, left_out)
    vertex, edge = (_base(given, site, NAMES | dict(names or {}), left_out) for site in _SITES)
    q = _number(given.get("q"), "q")
    return Kernel(vertex, edge, **{
        "start": "ones", "stopping": f"probability:{q.value!r}", "normalize": _normalization(given, left_out),
        "bounds_by_name": {"q": q.bounds}, **options})
