#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""python/check where it cannot begin, and when `make test` calls it. Scripts stand in for Python."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# What make hands down would decide which tests these are.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "PRESET", "PYTHON_TESTS", "PACKAGE_PYTHON", "OCTILE_TORCH", "PIP_RETRIES")}

# A Python of a version, with headers and environments or without.
PYTHON = """#!/bin/sh
case "$*" in
  *version_info*) exit {old} ;;
  *sysconfig*) echo "{header}" ;;
  *ensurepip*) exit {no_environments} ;;
  *"-m venv"*) mkdir -p "$3/bin" && cp "{pip}" "$3/bin/python" ;;
esac
"""
# The Python of an environment, whose pip has no network.
PIP = """#!/bin/sh
echo "called with: retries $PIP_RETRIES: $*"
exit 1
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "python").mkdir()
        for name in ("check", "requirements.txt"):
            shutil.copy(ROOT / "python" / name, self.folder / "python")
        self.pip = self.program("pip", PIP)
        self.header = self.folder / "Python.h"
        self.header.touch()

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def python(self, **differing):
        options = {"old": 0, "header": self.header, "no_environments": 0, "pip": self.pip} | differing
        return self.program("python3", PYTHON.format(**options))

    def check(self, python, *arguments, **environment):
        done = subprocess.run([self.folder / "python/check", *arguments], capture_output=True, text=True, check=False,
                              env={**ENVIRONMENT, "PYTHON": str(python), **environment})
        return done.returncode, done.stdout + done.stderr

    def test_where_it_cannot_begin_it_fails_or_says_so_and_ends_well(self):
        for python, words in ((self.folder / "none", "there is no '"), (lambda: self.python(old=1), "is older than Python 3.11"),
                              (lambda: self.python(header="/none/Python.h"), "there is no '/none/Python.h'"),
                              (lambda: self.python(no_environments=1), "cannot make virtual environments"),
                              (self.python, "pip does not install what python/requirements.txt lists")):
            made = python() if callable(python) else python
            with self.subTest(words):
                code, said = self.check(made)
                self.assertEqual(code, 1, said)
                self.assertIn(words, said)
                self.assertNotIn("is not tested", said)
                code, said = self.check(made, "--if-possible")
                self.assertEqual(code, 0, said)
                self.assertRegex(said, f"octile: the Python package is not tested: .*{words}")

    def test_without_a_network_pip_does_not_try_for_minutes(self):
        self.assertIn("called with: retries 1: -m pip install", self.check(self.python(), "--if-possible")[1])
        self.assertIn("called with: retries : -m pip install", self.check(self.python())[1])

    def test_pytorch_is_installed_where_that_is_asked_for(self):
        self.pip.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
        asked = "--requirement python/requirements-torch.txt"
        self.assertIn(asked, self.check(self.python(), OCTILE_TORCH="yes")[1])
        self.assertNotIn(asked, self.check(self.python())[1])
        self.assertTrue((ROOT / asked.split()[1]).is_file())

    def test_what_fails_later_fails_in_any_case(self):
        self.pip.write_text('#!/bin/sh\nexit 0\n', encoding="utf-8")
        code, said = self.check(self.python(), "--if-possible")
        self.assertNotEqual(code, 0, said)
        self.assertNotIn("is not tested", said)


@unittest.skipUnless(shutil.which("make"), "there is no make")
class Make(unittest.TestCase):
    def commands(self, *arguments):
        return subprocess.run(["make", "--no-print-directory", "--dry-run", *arguments], capture_output=True, text=True, check=True,
                              cwd=ROOT, env=ENVIRONMENT).stdout

    def test_make_test_ends_with_the_python_package_unless_it_is_told_not_to(self):
        last = self.commands("test").strip().splitlines()[-1]
        self.assertEqual(last, "PYTHON=/usr/bin/python3 python/check --if-possible build/host")
        for arguments in (["PYTHON_TESTS=no"], ["PRESET=host-debug"], ["PRESET=cuda"]):
            with self.subTest(arguments):
                said = self.commands("test", *arguments)
                self.assertIn("ctest", said)
                self.assertNotIn("python/check", said)
        self.assertNotIn("python/check", self.commands("debug"))

    def test_what_is_to_be_used_is_built_without_the_tests(self):
        def built(*arguments):
            return [line for line in self.commands(*arguments).splitlines() if line.startswith(("cmake --build", "cmake --preset"))]

        self.assertEqual([line.split(" --target ")[1:] for line in built("demo")], [[], ["octile_program"]])
        for what in ("install", "python"):
            self.assertEqual([line.split(" --target ")[1:] for line in built(what)], [[], ["octile", "octile_program"]])
        self.assertEqual([line.split(" --target ")[1:] for line in built("test")], [[], []])
        # An earlier `make cuda` leaves the tests out of what a later build is configured with, unless that says otherwise.
        self.assertIn("-DOCTILE_BUILD_TESTS=OFF", built("cuda")[0])
        self.assertIn("-DOCTILE_PAPER=OFF", built("cuda")[0])
        self.assertIn("-DOCTILE_BUILD_TESTS=ON", built("build", "PRESET=cuda")[0])

    def test_ci_tests_the_package_once(self):
        told = [line for line in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines() if line.startswith("make ")]
        self.assertEqual([line.split()[1:3] for line in told if line.split()[1] == "test"], [["test", "PYTHON_TESTS=no"]])
        self.assertEqual(sum(line.split()[1] == "python" for line in told), 1)


if __name__ == "__main__":
    unittest.main()
