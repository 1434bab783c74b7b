# SPDX-License-Identifier: BSD-3-Clause
"""Which pairs of graphs are solved, and where each of them is asked for."""
from __future__ import annotations

import numpy as np


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


def pairs_of(index, rows, count, square):
    """The pairs to solve, None for all of `count` graphs, and the place of each pair rows × columns among them."""
    if square:
        i, j = np.minimum(index[:, None], index[None, :]), np.maximum(index[:, None], index[None, :])
        return None, i * count - i * (i + 1) // 2 + j
    first, of_first = np.unique(index[:rows], return_inverse=True)
    second, of_second = np.unique(index[rows:], return_inverse=True)
    pairs = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.ascontiguousarray(pairs, dtype=np.int32), of_first[:, None] * len(second) + of_second[None, :]


def with_own(pairs, count):
    """The pairs, and all graphs with themselves where they are not there; and the places of these."""
    own = np.arange(count)
    if pairs is None:
        return None, own * count - own * (own + 1) // 2 + own
    return np.concatenate([pairs, np.stack([own, own], axis=1).astype(np.int32)]), len(pairs) + own
