# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the public headers has no faults, and faults are found."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import documents

SKIPPED = 77
TOOL = "cmake/reference"
# What the tool reads.
PARTS = ("backends", "cmake", "docs", "lib", "reorder")


def written(root, output):
    """(exit code, what is printed) of the tool of a tree."""
    done = subprocess.run([sys.executable, "-B", os.path.join(root, TOOL), output], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Reference(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.output = os.path.join(self.folder, "reference")

    def changed(self, header, old, new):
        """The faults of a tree of which one header is changed."""
        root = os.path.join(self.folder, "tree")
        for part in PARTS:
            shutil.copytree(os.path.join(documents.ROOT, part), os.path.join(root, part), dirs_exist_ok=True)
        path = os.path.join(root, "backends/include", header)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        return written(root, self.output)

    def test_it_has_no_faults_and_a_page_of_each_public_header(self):
        code, output = written(documents.ROOT, self.output)
        self.assertEqual(code, 0, output)
        names = [path for path in documents.project_files() if "/include/octile/" in path]
        self.assertGreaterEqual(len(names), 35)
        pages = os.path.join(self.output, "html")
        with open(os.path.join(pages, "files.html"), encoding="utf-8") as file:
            files = file.read()
        for name in names:
            with self.subTest(header=name):
                self.assertTrue(f">{os.path.basename(name).removesuffix('.in')}<" in files, "it has no page")
        for page in ("namespaceoctile.html", "classoctile_1_1GraphBatch.html", "structoctile_1_1PairResult.html"):
            self.assertTrue(os.path.isfile(os.path.join(pages, page)), page)

    def test_a_function_without_a_comment_is_told(self):
        code, output = self.changed("octile/gradient.hpp", "namespace octile {\n", "namespace octile {\nint bare(int number);\n")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"octile/gradient\.hpp:\d+: warning: Member bare\(int number\) .* is not documented")

    def test_a_comment_that_names_nothing_is_told(self):
        code, output = self.changed("octile/gradient.hpp", "namespace octile {\n",
                                    "namespace octile {\n/// @param nobody is not there.\nint described(int number);\n")
        self.assertEqual(code, 1)
        self.assertIn("nobody", output)


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("skipped: there is no Doxygen")
        sys.exit(SKIPPED)
    unittest.main()
