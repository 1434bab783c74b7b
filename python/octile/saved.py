# SPDX-License-Identifier: BSD-3-Clause
"""Models in files."""
from __future__ import annotations

import os
import pickle
from typing import Any

from ._core import Error


class Saved:
    """A model that is saved and loaded as a pickle."""

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model with its fit to a file, for `octile.gp.load`. As with any pickle, load what you trust alone."""
        # First the bytes, so that what cannot be pickled leaves a file that is there as it is.
        written = pickle.dumps(self)
        with open(path, "wb") as file:
            file.write(written)


def load(path: str | os.PathLike) -> Any:
    """A `Regressor`, `LowRank` or `Iterative` that was saved. It is a pickle: load what you trust alone."""
    with open(path, "rb") as file:
        try:
            found = pickle.load(file)
        except (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, AttributeError, ImportError):
            # What text that is no pickle is taken for, and pickles of what is not installed here.
            raise Error(f"'{os.fspath(path)}' is no pickle; allowed is what `save` of a model of octile.gp wrote") from None
    if not isinstance(found, Saved):
        raise Error(f"'{os.fspath(path)}' holds {type(found).__name__}; allowed is what `save` of a model of octile.gp wrote")
    return found
