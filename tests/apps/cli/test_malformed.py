# SPDX-License-Identifier: BSD-3-Clause
"""Files that are malformed, of every format: each is refused with code 1 in the one line that tests/data/malformed/expected.tsv says.

A line of it is a file, a tab, and what the program says. Where that ends with …, the words of a library follow, which its version may change.
OCTILE_PROGRAM names the program.
"""
import os
import re
import unittest

from support import run

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/malformed")
LIST = "expected.tsv"
INPUT = 1
LEAST = 2  # files of each format


def expected():
    with open(os.path.join(FOLDER, LIST), encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file]


def formats():
    """The suffixes that the program says it reads."""
    said = run("info", "unknown.suffix").stderr
    return re.findall(r"(?:allowed: |, )(\.\w+|_A\.txt) \(", said), re.findall(r"with (\.\w+)(?: or (\.\w+))?", said)


class Malformed(unittest.TestCase):
    def test_files_are_refused_in_the_line_that_is_listed(self):
        known, compressed = formats()
        ends = tuple(known) + tuple(suffix for pair in compressed for suffix in pair if suffix)
        for name, message in expected():
            # A build without a library does not read its formats.
            if not name.endswith(ends):
                continue
            with self.subTest(name=name):
                result = run("info", name, folder=FOLDER)
                self.assertEqual((result.returncode, result.stdout), (INPUT, ""), result.stderr)
                self.assertRegex(result.stderr, r"\Aoctile: [^\n]+\n\Z")
                said = result.stderr[len("octile: "):-1]
                if message.endswith("…"):
                    self.assertTrue(said.startswith(message[:-1]), f"{said}\n{message}")
                else:
                    self.assertEqual(said, message)

    def test_every_file_is_listed_once(self):
        names = [name for name, _ in expected()]
        self.assertEqual(names, sorted(set(names)))
        datasets = tuple(name[:-len("A.txt")] for name in names if name.endswith("_A.txt"))
        parts = [name for name in os.listdir(FOLDER) if name.startswith(datasets) and not name.endswith("_A.txt")]
        self.assertEqual(sorted({*names, *parts, LIST}), sorted(os.listdir(FOLDER)))

    def test_every_format_has_some(self):
        known, compressed = formats()
        names = [name for name, _ in expected()]
        self.assertGreater(len(known), 3)
        for suffix in known + [suffix for pair in compressed for suffix in pair if suffix]:
            with self.subTest(suffix=suffix):
                self.assertGreaterEqual(sum(name.endswith(suffix) for name in names), LEAST)


if __name__ == "__main__":
    unittest.main()
