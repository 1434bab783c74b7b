# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/house.md is correct: its folders exist, it has all source folders, and includes follow its arrows."""
import os
import re
import runpy
import unittest

import documents

SOURCES = (".hpp", ".cpp", ".cuh")
# Where `#include <octile/...>` and "..." are searched, besides the folder of the file itself.
INCLUDE_ROOTS = ("lib/include", "lib", "backends/include", "backends", "reorder/include", "reorder", "apps", "apps/octile", "tests", "bench")


def folder_of(path):
    """The folder that a file belongs to: of a public header, the one where it would lie without `include`."""
    return os.path.dirname(path.replace("/include/octile/", "/octile/", 1))


class Picture:
    """The Mermaid chart of the house: folders by node, and arrows."""

    def __init__(self, text):
        self.folders = {}  # node: its folders
        self.whole = set()  # nodes that include everything below their folder
        self.arrows = set()
        for line in text.splitlines()[1:]:
            for node, label in re.findall(r'(\w+)\["([^"]*)"\]', line):
                folder, _, parts = label.partition(":")
                if folder.endswith("/…"):
                    self.whole.add(node)
                    folder = folder.removesuffix("/…")
                below = [f"{folder}/{part.strip()}" for part in parts.split(",") if part.strip()]
                self.folders[node] = [folder, *below]
            arrow = re.fullmatch(r"\s*(\w+)(?:\[.*\])? --> (\w+)(?:\[.*\])?\s*", line)
            if arrow:
                self.arrows.add((arrow[1], arrow[2]))

    def node_of(self, folder):
        """The node of a source folder, or None if it is not drawn."""
        for node, folders in self.folders.items():
            if folder in folders or (node in self.whole and folder.startswith(folders[0] + "/")):
                return node
        return None

    def reached_from(self, node):
        found, waiting = {node}, [node]
        while waiting:
            current = waiting.pop()
            for start, end in self.arrows:
                if start == current and end not in found:
                    found.add(end)
                    waiting.append(end)
        return found


class House(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        chart = next(block for block in documents.blocks("docs/house.md")[0] if block.language == "mermaid")
        cls.picture = Picture(chart.text())
        cls.files = {path for path in documents.project_files() if path.endswith(SOURCES)}
        cls.includes = [(path, included) for path in sorted(cls.files) for included in cls.included_by(path)]

    @classmethod
    def included_by(cls, path):
        """The files of the project that a file includes."""
        for name in re.findall(r'^\s*#include [<"]([^>"]+)[>"]', documents.read(path), re.MULTILINE):
            places = [os.path.dirname(path), *INCLUDE_ROOTS]
            paths = [os.path.normpath(os.path.join(folder, name)) for folder in places]
            yield from [path for path in paths if path in cls.files][:1]

    def test_drawn_folders_exist(self):
        for folders in self.picture.folders.values():
            for folder in folders:
                with self.subTest(folder=folder):
                    public = re.sub(r"^(\w+)/octile", r"\1/include/octile", folder)
                    self.assertTrue(any(os.path.isdir(os.path.join(documents.ROOT, place)) for place in (folder, public)))

    def test_folders_are_namespaces(self):
        for path in sorted(self.files):
            below = re.match(r"(lib|backends|reorder)/octile/(?:(\w+)/)?", f"{folder_of(path)}/")
            opened = re.search(r"^namespace (octile[\w:]*)", documents.read(path), re.MULTILINE)
            if below and opened:
                # The folders of the library share its namespace.
                own = "reorder" if below[1] == "reorder" else below[2] if below[1] == "backends" else None
                name = f"octile::{own}" if own else "octile"
                with self.subTest(path=path):
                    self.assertEqual(f"{opened[1]}::"[: len(name) + 2], f"{name}::")
            if path.startswith("apps/octile/") and opened:
                with self.subTest(path=path):
                    self.assertEqual(f"{opened[1]}::"[: len("octile::app::")], "octile::app::")

    def test_source_folders_are_drawn(self):
        for folder in sorted({folder_of(path) for path in self.files}):
            with self.subTest(folder=folder):
                self.assertIsNotNone(self.picture.node_of(folder))

    def test_includes_follow_arrows(self):
        for path, included in self.includes:
            start, end = (self.picture.node_of(folder_of(file)) for file in (path, included))
            if start and end:
                with self.subTest(include=f"{path} includes {included}"):
                    self.assertIn(end, self.picture.reached_from(start))

    def test_the_check_of_layers_allows_what_is_drawn(self):
        path = os.path.join(documents.ROOT, "cmake/check-layers")
        layers = runpy.run_path(path)["LAYERS"]
        # A row may be of a file, which is drawn as its folder.
        node_of = lambda row: self.picture.node_of(os.path.dirname(row) if row.endswith(SOURCES) else row)
        for folder, allowed in layers.items():
            drawn = self.picture.reached_from(node_of(folder))
            for other in allowed:
                with self.subTest(allowed=f"{folder} includes {other}"):
                    self.assertIn(node_of(other), drawn)
        for start, end in self.picture.arrows:
            start, ends = self.picture.folders[start][0], self.picture.folders[end]
            if start in layers:
                with self.subTest(drawn=f"{start} includes {ends[0]}"):
                    below = {other for row, allowed in layers.items() if f"{row}/".startswith(f"{start}/") for other in allowed}
                    self.assertTrue(below.intersection(ends))

    def test_arrows_are_needed(self):
        used = {tuple(self.picture.node_of(folder_of(file)) for file in pair) for pair in self.includes}
        for arrow in sorted(self.picture.arrows):
            with self.subTest(arrow=arrow):
                self.assertIn(arrow, used)


if __name__ == "__main__":
    unittest.main()
