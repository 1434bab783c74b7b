#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cmake/coverage, on a tree made for the test. OCTILE_COMPILER is gcc, whose gcov is on the path."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPORT = pathlib.Path(__file__).parents[2] / "cmake/coverage"
COMPILER = os.environ.get("OCTILE_COMPILER", "g++")

FILES = {
    "lib/octile/half.hpp": "#pragma once\ninline int half(int x) {\n  if (x < 0)\n    return -1;\n  return x / 2;\n}\n",
    "apps/octile/main.cpp": '#include "half.hpp"\nint main() {\n  return half(1);\n}\n',
    "apps/octile/other.cpp": '#include "half.hpp"\nint main() {\n  return half(-1) + 1;\n}\n',
    "backends/octile/cuda/kernel.cpp": "int main() {\n  return 0;\n}\n",
    "reorder/octile/unused.cpp": "int unused() {\n  return 0;\n}\n",
    "tests/test.cpp": "int main() {\n  return 0;\n}\n",
}


class Report(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.build = self.root / "build"
        self.build.mkdir()
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def compile(self, name):
        object_file = str(self.build / f"{pathlib.Path(name).stem}.o")
        flags = ["-O0", "--coverage", f"-I{self.root / 'lib/octile'}"]
        subprocess.run([COMPILER, *flags, "-c", str(self.root / name), "-o", object_file], check=True)
        return object_file

    def compile_and_run(self, *names):
        for name in names:
            program = str(self.build / pathlib.Path(name).stem)
            subprocess.run([COMPILER, "--coverage", self.compile(name), "-o", program], check=True)
            subprocess.run([program], cwd=self.build, check=True)

    def report(self, *options):
        result = subprocess.run([sys.executable, "-B", str(REPORT), *options, str(self.build), str(self.root)], capture_output=True,
                                text=True, check=False)
        rows = {" ".join(line.split()[:-5]): line.split()[-5:-2] for line in result.stdout.splitlines()}
        return result, rows

    def test_lines_are_counted_by_folder(self):
        self.compile_and_run("apps/octile/main.cpp", "backends/octile/cuda/kernel.cpp", "tests/test.cpp")
        _, rows = self.report()
        self.assertEqual(rows, {"apps/octile": ["2", "of", "2"], "lib/octile": ["3", "of", "4"], "all of apps": ["2", "of", "2"],
                                "all of lib": ["3", "of", "4"]})

    def test_what_is_linked_with_nothing_counts_as_not_run(self):
        self.compile("reorder/octile/unused.cpp")
        self.compile_and_run("apps/octile/main.cpp")
        _, rows = self.report()
        self.assertEqual(rows["all of reorder"], ["0", "of", "2"])

    def test_a_line_of_a_header_ran_where_any_file_ran_it(self):
        self.compile_and_run("apps/octile/main.cpp", "apps/octile/other.cpp")
        _, rows = self.report()
        self.assertEqual(rows["lib/octile"], ["4", "of", "4"])

    def test_lines_that_never_ran_are_printed(self):
        self.compile("reorder/octile/unused.cpp")
        self.compile_and_run("apps/octile/main.cpp")
        result, _ = self.report("--lines")
        self.assertTrue(result.stdout.startswith("lib/octile/half.hpp: 1 of 4: 4\nreorder/octile/unused.cpp: 2 of 2: 1-2\napps/octile "),
                        result.stdout)

    def test_a_build_without_counters_is_refused_in_one_line(self):
        result, _ = self.report()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Aoctile: [^\n]+ holds no counters of gcov; allowed is [^\n]+\n\Z")


if __name__ == "__main__":
    if shutil.which("gcov") is None:
        print("skipped: there is no gcov on the path")
        sys.exit(77)
    unittest.main()
