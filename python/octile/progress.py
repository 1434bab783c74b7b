# SPDX-License-Identifier: BSD-3-Clause
"""How long work tells how far it is."""
from __future__ import annotations

import logging

_log = logging.getLogger("octile")


def progress_of(wanted):
    """The function that C++ calls, or None; and one to call at the end."""
    if not wanted:
        return None, lambda: None
    if callable(wanted):
        return wanted, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda done, of, seconds: _log.info("%d of %d pairs in %.1f s", done, of, seconds), lambda: None
    bar = tqdm(unit="pair", unit_scale=True)

    def show(done, of, seconds):
        bar.total = of
        bar.update(done - bar.n)

    return show, bar.close
