# SPDX-License-Identifier: BSD-3-Clause
"""Prepared sets of graphs that are kept between calls."""
from __future__ import annotations

import collections
import threading


class Sets:
    """The prepared sets that were used last, for all kernels: while a kernel is learnt, only parameters change."""

    most = 8

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = collections.OrderedDict()

    def find(self, key, make):
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        return made

    def clear(self):
        with self._lock:
            self._kept.clear()


sets = Sets()


def forget() -> None:
    """Gives back the memory of the sets of graphs that are kept between calls."""
    sets.clear()
