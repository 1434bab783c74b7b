# SPDX-License-Identifier: BSD-3-Clause
"""Marginalized graph kernels on CPUs and GPUs, each value with a bound of its error.

    import octile
    kernel = octile.Kernel(vertex="delta(element,0.5)", edge="delta(order,0.5)")
    kernel(["CCO", "CC=O", "c1ccccc1"])
"""
from __future__ import annotations

import numbers as _numbers
import os as _os

from . import _core, draw, gp, kernels
from ._core import Error
from .atoms import from_ase, from_positions, from_pymatgen
from .composition import Columns
from .forces import position_gradient
from .graph import Graph, as_graph, as_graphs
from .kernel import Kernel
from .kernels import Parameter, convolution, normalize, power
from .molecules import from_rdkit, from_smiles
from .networks import from_networkx
from .pyg import from_pyg
from .result import ConvergenceWarning, Result, SamenessWarning
from .sets import forget
from .tiles import GramTiles
from .transformer import GramTransformer, distance
from .tudataset import from_tudataset

__version__ = _core.version


def set_threads(threads: int) -> None:
    """The number of threads of solves, 1 to 512; 0 for what OMP_NUM_THREADS or the machine says. To be said before the first solve."""
    if isinstance(threads, bool) or not isinstance(threads, _numbers.Integral) or not 0 <= threads <= 512:
        raise Error(f"threads is {threads!r}; allowed is a number from 0 to 512")
    _core.set_threads(int(threads))


def threads() -> int:
    """The number of threads, once a solve has started them; before, the number that was asked for."""
    return _core.threads()


def backends() -> list[tuple[str, str, bool]]:
    """Where pairs can be solved: name, description, and whether this machine has it."""
    return _core.backends()


if _os.environ.get("OCTILE_THREADS"):
    try:
        set_threads(int(_os.environ["OCTILE_THREADS"]))
    except ValueError:  # `Error` is one, too
        raise Error(f"OCTILE_THREADS is '{_os.environ['OCTILE_THREADS']}'; allowed is a number from 0 to 512") from None

__all__ = [
    "Columns", "ConvergenceWarning", "Error", "GramTiles", "GramTransformer", "Graph", "Kernel", "Parameter", "Result", "SamenessWarning", "as_graph", "as_graphs", "backends",
    "convolution", "distance", "draw", "forget", "from_ase", "from_networkx", "from_positions", "from_pyg", "from_pymatgen",
    "from_rdkit", "from_smiles", "from_tudataset", "gp", "kernels", "normalize", "position_gradient", "power", "set_threads", "threads"]
