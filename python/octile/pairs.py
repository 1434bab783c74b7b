# SPDX-License-Identifier: BSD-3-Clause
"""Which pairs of graphs are solved, and where each of them is asked for."""
from __future__ import annotations

import numpy as np

from ._core import Error


def distinct(graphs):
    """The graphs without equal ones, and the place of each among them."""
    places = {}
    index = np.array([places.setdefault(graph, len(places)) for graph in graphs], dtype=np.int64)
    return tuple(places), index


def chunks(sizes, most):
    """Ranges of neighbours whose sizes add up to at most `most`; one alone may be larger."""
    first, total = 0, 0
    for k, size in enumerate(sizes):
        if k > first and total + size > most:
            yield first, k
            first, total = k, 0
        total += size
    if sizes:
        yield first, len(sizes)


class Asked:
    """Which pairs are asked for, of `rows` with each other or with `columns`: all of them, or those that are `listed` by numbers.

    graphs : those of the set, equal ones once (if `merged`).
    pairs : those to solve, N × 2, or None for all of `graphs`.
    place : of each pair that is asked for its place among `pairs`, in the shape of the result.
    first, second : of each the number of its graphs, in shapes that go together to that of `place`.
    """

    def __init__(self, rows, columns=None, listed=None, merged=True):
        if not rows or columns is not None and not columns:
            raise Error("there are no graphs; allowed is at least one")
        every = rows if columns is None else [*rows, *columns]
        self.graphs, index = distinct(every) if merged else (tuple(every), np.arange(len(every)))
        of_rows, of_columns = index[:len(rows)], index if columns is None else index[len(rows):]
        if listed is not None:
            listed = _numbers(listed, len(of_rows), len(of_columns))
            self.first, self.second = of_rows[listed[:, 0]], of_columns[listed[:, 1]]
            ordered = np.stack([np.minimum(self.first, self.second), np.maximum(self.first, self.second)], axis=1)
            pairs, place = np.unique(ordered, axis=0, return_inverse=True)
            self.pairs, self.place = np.ascontiguousarray(pairs, dtype=np.int32), place.reshape(-1)
            return
        self.first, self.second = of_rows[:, None], of_columns[None, :]
        self.pairs, self.place = pairs_of(index, len(rows), len(self.graphs), columns is None)

    def with_own(self):
        """The pairs, and those of graphs with themselves that are not there; and of each graph of a pair the place of its own."""
        count = len(self.graphs)
        own = np.arange(count)
        if self.pairs is None:
            return None, own * count - own * (own + 1) // 2 + own
        used = np.union1d(self.first, self.second)
        own[used] = len(self.pairs) + np.arange(len(used))
        return np.concatenate([self.pairs, np.stack([used, used], axis=1).astype(np.int32)]), own

    def summed(self, place, weights, count=None):
        """For each pair that is solved the sum of the weights of the places that are its."""
        if count is None:
            count = len(self.graphs) * (len(self.graphs) + 1) // 2 if self.pairs is None else len(self.pairs)
        place, weights = np.broadcast_arrays(place, weights)
        return np.bincount(place.ravel(), weights.ravel(), minlength=count)


def _numbers(listed, rows, columns):
    """A list of pairs as an array, of numbers that are there."""
    found = np.asarray(listed)
    if found.ndim != 2 or found.shape[1] != 2 or not len(found) or found.dtype.kind not in "iu":
        raise Error(f"pairs have the shape {found.shape} and the type {found.dtype}; allowed are pairs of integers, at least one")
    for k, (number, what) in enumerate(((rows, "X"), (columns, "the other graphs"))):
        wrong = np.flatnonzero((found[:, k] < 0) | (found[:, k] >= number))
        if len(wrong):
            raise Error(f"pair {wrong[0]} has {found[wrong[0], k]} of {what}; allowed is 0 to {number - 1}")
    return found.astype(np.int64)


def pairs_of(index, rows, count, square):
    """The pairs to solve, None for all of `count` graphs, and the place of each pair rows × columns among them."""
    if square:
        i, j = np.minimum(index[:, None], index[None, :]), np.maximum(index[:, None], index[None, :])
        return None, i * count - i * (i + 1) // 2 + j
    first, of_first = np.unique(index[:rows], return_inverse=True)
    second, of_second = np.unique(index[rows:], return_inverse=True)
    pairs = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.ascontiguousarray(pairs, dtype=np.int32), of_first[:, None] * len(second) + of_second[None, :]
