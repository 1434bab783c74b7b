# SPDX-License-Identifier: BSD-3-Clause
"""The targets of documents exist: links, headings, files and folders of the project."""
import os
import re
import unittest

import documents

SUFFIXES = (".hpp", ".cpp", ".cuh", ".py", ".md", ".json", ".csv", ".log", ".smi", ".xyz", ".jsonl", ".cmake")
# A notebook has the names of its day.
HISTORY = re.compile(r"docs/notebook/.*|CHANGELOG\.md")
# Files that documents name as a reader's own, or as written by a command.
READERS_OWN = {"K.npy", "X.npy", "ORDERS.json", "FILE.json", "orders.json", "graphs.jsonl", "bench.json"}
# Names of benchmarks, which look like paths.
BENCHMARK = re.compile(r"\w+/.*:.*")


def anchor(heading):
    """The anchor that GitHub makes for a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Links(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = documents.project_files()
        # What CMake makes of a file is named without the suffix of that.
        cls.files |= {path.removesuffix(".in") for path in cls.files}
        cls.names = {os.path.basename(path) for path in cls.files}

    def headings(self, document):
        return {anchor(line.lstrip("#")) for _, line in documents.blocks(document)[1] if re.match(r"#+ ", line)}

    def test_links_lead_somewhere(self):
        for document in documents.documents():
            for number, line in documents.blocks(document)[1]:
                for target in re.findall(r"\]\(([^)\s]+)\)", line):
                    if re.match(r"[a-z]+:", target):
                        continue
                    with self.subTest(link=f"{document}:{number}: {target}"):
                        path, _, heading = target.partition("#")
                        path = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
                        self.assertTrue(os.path.exists(os.path.join(documents.ROOT, path)), f"there is no {path}")
                        if heading:
                            self.assertIn(heading, self.headings(path))

    def test_files_that_are_named_exist(self):
        for document in documents.documents():
            if HISTORY.fullmatch(document):
                continue
            for number, span in documents.code_spans(document):
                for word in span.split():
                    with self.subTest(name=f"{document}:{number}: {word}"):
                        self.check(word.strip("(),;:"))

    def test_sources_are_named_as_code(self):
        for document in documents.documents():
            for number, line in documents.blocks(document)[1]:
                bare = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\]\([^)]*\)", "", line)
                with self.subTest(line=f"{document}:{number}"):
                    self.assertEqual(re.findall(r"[\w/]+\.(?:hpp|cpp|cuh|py)\b", bare), [],
                                     "stands in no `code span`, so nobody looks whether it is there")

    def check(self, word):
        if "*" in word or "…" in word or "=" in word or BENCHMARK.fullmatch(word):
            return
        included = re.fullmatch(r"<(octile/.*)>", word)
        if included:
            self.assertTrue(any(path.endswith("/" + included[1]) for path in self.files), "no such header")
        elif word.split("/")[0] in documents.TOPS and "/" in word:
            self.assertTrue(os.path.exists(os.path.join(documents.ROOT, word)), "no such path")
        elif word.endswith(SUFFIXES) and not word.startswith((".", "FILE")) and word not in READERS_OWN:
            self.assertTrue(word in self.names or any(path.endswith("/" + word) for path in self.files), "no such file")


if __name__ == "__main__":
    unittest.main()
