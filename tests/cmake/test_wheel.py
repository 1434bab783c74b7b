#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""python/wheel, as far as it goes without compiling: which name and which requirements the wheel of a build tree gets, and what pip is
told. The build trees are made for the test, and a script stands in for Python's pip."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:
    print("the package takes Python 3.11, and this is an older one")
    sys.exit(77)

ROOT = pathlib.Path(__file__).parents[2]

# Says what it was called with, and is Python for all else.
PIP = f"""#!/bin/sh
if [ "$1" = -m ]; then
  printf '%s\\n' "$@"
else
  exec "{sys.executable}" "$@"
fi
"""


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program("python", PIP)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def tree(self, cuda=None, targets=""):
        """A build tree, with CUDA of a release if there is one."""
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        (build / "octileConfig.cmake").write_text(f"set(octile_cuda_FOUND {'TRUE' if cuda else 'FALSE'})\n", encoding="utf-8")
        (build / "octileTargets.cmake").write_text(targets, encoding="utf-8")
        if cuda:
            nvcc = self.program("nvcc", f"#!/bin/sh\necho 'Cuda compilation tools, release {cuda}, V{cuda}.1'\n")
            (build / "CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={nvcc}\n", encoding="utf-8")
        return build

    def wheel(self, *arguments, **environment):
        """(exit code, what was said, what pip was told)."""
        done = subprocess.run([ROOT / "python/wheel", *map(str, arguments)], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHON": str(self.folder / "python"), "OCTILE_WHEEL_WORK": str(self.folder / "work"),
                                   **environment})
        return done.returncode, done.stderr, done.stdout.splitlines()

    def metadata(self, source):
        with open(pathlib.Path(source, "pyproject.toml"), "rb") as file:
            return tomllib.load(file)["project"]

    def test_of_a_tree_for_cpus_it_has_the_package_as_it_is(self):
        build = self.tree()
        code, said, told = self.wheel(build, self.folder / "wheels")
        self.assertEqual((code, told[:3], told[-1]), (0, ["-m", "pip", "wheel"], "."), said)
        self.assertIn(f"--config-settings=cmake.define.octile_DIR={build}", told)

    def test_without_a_tree_pip_compiles_all(self):
        code, said, told = self.wheel("-", self.folder / "wheels")
        self.assertEqual((code, told[-1]), (0, "."), said)
        self.assertNotIn("octile_DIR", " ".join(told))

    def test_of_a_tree_with_cuda_it_has_the_name_of_its_release(self):
        code, said, told = self.wheel(self.tree("13.0", "CUDA::cusolver"), self.folder / "wheels")
        self.assertEqual(code, 0, said)
        source = pathlib.Path(told[-1])
        found, plain = self.metadata(source), self.metadata(ROOT)
        self.assertEqual(found["name"], "octile-cu13")
        self.assertEqual(found["dependencies"], ["nvidia-cuda-runtime>=13,<14", "nvidia-cusolver>=12,<13", *plain["dependencies"]])
        self.assertEqual({**found, "name": 0, "dependencies": 0}, {**plain, "name": 0, "dependencies": 0})
        for name in ("CMakeLists.txt", "python/CMakeLists.txt", "python/octile/__init__.py", "cmake/CompilerCache.cmake", "README.md"):
            self.assertTrue((source / name).is_file(), name)
        self.assertFalse((source / "build").exists())

    def test_a_tree_without_cusolver_asks_for_none(self):
        _, _, told = self.wheel(self.tree("13.2"), self.folder / "wheels")
        self.assertNotIn("cusolver", " ".join(self.metadata(told[-1])["dependencies"]))

    def test_what_cannot_be_built_is_refused(self):
        for arguments, words in (((), "takes a build tree"), ((self.folder / "none", "x"), "there is no Octile in"),
                                 ((self.tree("12.8"), "x"), "is of CUDA 12; allowed is 13")):
            code, said, told = self.wheel(*arguments)
            self.assertEqual((code, told), (1, []), said)
            self.assertIn(words, said)
            self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
