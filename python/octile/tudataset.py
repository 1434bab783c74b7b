# SPDX-License-Identifier: BSD-3-Clause
"""Folders of the collection TUDataset, with the checks of the program (docs/formats.md)."""
from __future__ import annotations

import gzip
import math
import os
import pathlib
import re

import numpy as np

from ._core import Error
from .graph import Graph

# As C++ reads a number.
_NUMBER = re.compile(r"\+?(-?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?))")
_WHITE = " \t\r\n\v\f"
_MOST_WHOLE = 9e15  # below 2^53, up to which reals represent all integers


class _Rows:
    """A file of numbers separated by commas, as many in each line."""

    def __init__(self, path):
        self.path = path
        opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
        with opened as file:
            lines = file.read().split("\n")
        while lines and not lines[-1].strip(_WHITE):
            lines.pop()
        rows = []
        for number, line in enumerate(lines, 1):
            if not line.strip(_WHITE):
                raise Error(f"{path}:{number + 1}: follows a blank line; allowed are blank lines at the end")
            rows.append([_number(word.strip(_WHITE), f"{path}:{number}") for word in line.split(",")])
            if len(rows[-1]) != len(rows[0]):
                raise Error(f"{path}:{number}: has {_counted(len(rows[-1]), 'number')}; allowed are {len(rows[0])}, as in the first line")
        self.values = np.array(rows, dtype=np.float64) if rows else np.zeros((0, 0))

    def __len__(self):
        return len(self.values)

    def expect(self, columns):
        if len(self) and self.values.shape[1] != columns:
            raise Error(f"{self.path}:1: has {_counted(self.values.shape[1], 'number')}; expected {columns}")
        return self

    def indices(self, most, what):
        """Numbers from 1 to `most` as numbers from 0."""
        values = self.values
        wrong = np.argwhere(~((np.floor(values) == values) & (values >= 1) & (values <= most)))
        if len(wrong):
            row, column = wrong[0]
            raise Error(f"{self.path}:{row + 1}: {_shown(values[row, column])} is the number of no {what}; allowed is 1 to {most}")
        return values.astype(np.int64) - 1


def _number(word, place):
    found = _NUMBER.fullmatch(word)
    value = float(found[1]) if found else math.nan
    if not math.isfinite(value):
        raise Error(f"{place}: '{word}' is no number; allowed are finite numbers, separated by commas")
    if abs(value) >= 2**53 and not any(letter in word for letter in ".eE"):
        raise Error(f"{place}: '{word}' is too large for an integer; allowed are those below 2^53")
    return value


def _counted(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _shown(value):
    return repr(float(value)).removesuffix(".0")


class _Labels:
    """The columns of a file of labels or of attributes."""

    def __init__(self, what, rows):
        self.what, self.rows = what, rows
        values = rows.values
        self.names = [what if values.shape[1] == 1 else f"{what}{k}" for k in range(values.shape[1])]
        self.whole = [what == "label" and bool(np.all((np.floor(column) == column) & (np.abs(column) <= _MOST_WHOLE)))
                      for column in values.T]
        self.signless = [False] * len(self.names)

    def columns(self):
        """By name the values of all rows, with their type."""
        made = {}
        for name, values, whole, signless in zip(self.names, self.rows.values.T, self.whole, self.signless):
            values = np.abs(values) if signless else values
            made[name] = values.astype(np.int64) if whole else values
        return made


class _Folder:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        if not folder.is_dir():
            raise Error(f"'{folder}' is no folder; allowed is one with files NAME_A.txt, …")
        found = sorted([*folder.glob("*_A.txt"), *folder.glob("*_A.txt.gz")])
        if len(found) != 1:
            raise Error(f"'{folder}' has {len(found)} files NAME_A.txt; allowed is one")
        self.adjacency = found[0]
        self.stem = str(found[0]).removesuffix(".gz").removesuffix("_A.txt")
        indicator = self.file("graph_indicator")
        if indicator is None:
            raise Error(f"{self.adjacency}: there is no {self.stem}_graph_indicator.txt beside it, which a TUDataset has")
        rows = _Rows(indicator).expect(1)
        self.owner = rows.indices(len(rows), "graph").reshape(-1)
        self.count = int(self.owner.max(initial=-1)) + 1
        if not self.count:
            raise Error(f"{self.adjacency}: holds no graph")
        self._place_vertices()
        self._read_entries()
        self.vertices = self.labels("node", len(self.owner))
        self.edges = self.labels("edge", len(self.ends))
        self.targets = self.labels("graph", self.count)
        self._find_signless()

    def file(self, part):
        for path in (f"{self.stem}_{part}.txt", f"{self.stem}_{part}.txt.gz"):
            if os.path.exists(path):
                return pathlib.Path(path)
        return None

    def labels(self, of, expected):
        made = []
        for what, files in (("label", "labels"), ("attribute", "attributes")):
            path = self.file(f"{of}_{files}")
            if path is None:
                continue
            rows = _Rows(path)
            if len(rows) != expected:
                each = f"line of {self.adjacency}" if of == "edge" else of
                raise Error(f"{path}: has {_counted(len(rows), 'row')}; expected are {expected}, one for each {each}")
            made.append(_Labels(what, rows))
        return made

    def _place_vertices(self):
        """The vertices of each graph, which need not stand together, and the number of each in its graph."""
        self.order = np.argsort(self.owner, kind="stable")
        self.first = np.searchsorted(self.owner[self.order], np.arange(self.count + 1))
        self.place = np.empty(len(self.owner), dtype=np.int64)
        self.place[self.order] = np.arange(len(self.owner)) - self.first[self.owner[self.order]]

    def _read_entries(self):
        rows = _Rows(self.adjacency).expect(2)
        # Row by row, as the program does: of several faults the first is told.
        self.ends = rows.indices(len(self.owner), "vertex").reshape(-1, 2)
        apart = np.flatnonzero(self.owner[self.ends[:, 0]] != self.owner[self.ends[:, 1]])
        if len(apart):
            i, j = self.ends[apart[0]]
            raise Error(f"{self.adjacency}:{apart[0] + 1}: joins vertex {i + 1} of graph {self.owner[i] + 1} and vertex {j + 1} of graph "
                        f"{self.owner[j] + 1}; allowed is one graph")
        by_ends = np.lexsort((self.ends[:, 1], self.ends[:, 0]))
        i, j = self.ends[by_ends].T
        owner = self.owner[i]

        def refuse(wrong, what):
            wrong = by_ends[wrong][np.argsort(owner[wrong], kind="stable")]
            if len(wrong):
                row = wrong[0]
                a, b = self.ends[row] + 1
                raise Error(f"{self.adjacency}:{row + 1}: graph {self.owner[a - 1] + 1}: ({a}, {b}) {what(a, b)}")

        refuse(np.flatnonzero(i == j), lambda a, b: "is a self-loop; allowed are two vertices")
        refuse(np.flatnonzero((i[1:] == i[:-1]) & (j[1:] == j[:-1])) + 1, lambda a, b: "is given twice; allowed is once")
        place = {ends: row for row, ends in enumerate(map(tuple, self.ends.tolist()))}
        alone = [k for k, ends in enumerate(self.ends[by_ends].tolist()) if (ends[1], ends[0]) not in place]
        refuse(np.array(alone, dtype=np.int64), lambda a, b: f"is given without ({b}, {a}); allowed are both")
        self.forward = by_ends[i < j]
        self.backward = np.array([place[b, a] for a, b in self.ends[self.forward].tolist()], dtype=np.int64)

    def _find_signless(self):
        """Coordinate differences and the like change their sign with the direction. A graph is undirected, so it has their magnitude."""
        for labels in self.edges:
            ahead, behind = labels.rows.values[self.forward], labels.rows.values[self.backward]
            if labels.what == "attribute" and len(ahead):
                labels.signless = np.any((ahead != 0) & (ahead == -behind), axis=0).tolist()
            agree = (ahead == behind) | (np.array(labels.signless, dtype=bool) & (ahead == -behind))
            if np.all(agree):
                continue
            k, column = np.argwhere(~agree)[0]
            row, other = self.forward[k], self.backward[k]
            raise Error(f"{labels.rows.path}:{row + 1}: '{labels.names[column]}' is {_shown(ahead[k, column])}, and in the other direction of "
                        f"the edge, in line {other + 1}, {_shown(behind[k, column])}; allowed are equal ones"
                        f"{', or such of opposite signs' if labels.what == 'attribute' else ''}")

    def graphs(self):
        vertex, edge, targets = ({name: values for labels in kind for name, values in labels.columns().items()}
                                 for kind in (self.vertices, self.edges, self.targets))
        owner = self.owner[self.ends[self.forward, 0]]
        by_owner = np.argsort(owner, kind="stable")
        forward, first = self.forward[by_owner], np.searchsorted(owner[by_owner], np.arange(self.count + 1))
        name = pathlib.Path(self.stem).name
        made = []
        for k in range(self.count):
            inside, mine = self.order[self.first[k]:self.first[k + 1]], forward[first[k]:first[k + 1]]
            if not len(inside):
                raise Error(f"{self.adjacency}: graph {k + 1} has no vertex; allowed is one or more")
            made.append(Graph(
                len(inside), self.place[self.ends[mine]], None, {name: values[inside] for name, values in vertex.items()},
                {name: values[mine] for name, values in edge.items()}, name=f"{name}:{k + 1}",
                targets={name: float(values[k]) for name, values in targets.items()}))
        return made


def from_tudataset(folder: str | os.PathLike) -> list[Graph]:
    """The graphs of a folder of TUDataset (NAME_A.txt, …; also compressed by gzip), with their labels, attributes and targets.

    They are those that the program reads, and what it refuses is refused: targets are `label` and `attribute`; an edge attribute that only
    changes its sign with the direction of the edge is taken without the sign.
    """
    return _Folder(folder).graphs()
