#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""python/kernel_types: each leaf kernel that docs/kernels.md lists has a function with its parameters among the types of octile.kernels.
python/tests/test_types.py compares them with what there is at run time."""
import ast
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
FILES = ("python/kernel_types", "python/kernels.pyi.in", "docs/kernels.md")
USAGE = "periodic(attribute, length, period)\n"


class KernelTypes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in FILES:
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)

    def change(self, old, new):
        path = self.folder / "docs/kernels.md"
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def write(self):
        """(exit code, what was said)."""
        done = subprocess.run([self.folder / FILES[0], self.folder / "kernels.pyi"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def functions(self):
        self.assertEqual(self.write(), (0, ""))
        tree = ast.parse((self.folder / "kernels.pyi").read_text(encoding="utf-8"))
        return {node.name: ast.unparse(node.args) for node in tree.body if isinstance(node, ast.FunctionDef)}

    def test_functions_have_the_parameters_and_the_defaults_of_the_list(self):
        functions, bounds = self.functions(), "*, bounds: _AnyBounds=None"
        self.assertEqual(functions["wendland"], f"attribute: str, radius: _Number, k: _Number=1.0, d: _Number=3.0, {bounds}")
        self.assertEqual(functions["tanimoto"], f"attribute: str, {bounds}")
        self.assertIn("normalize", functions)

    def test_a_leaf_kernel_that_is_new_in_the_list_has_a_function(self):
        known = self.functions()
        self.change(USAGE, "new(attribute, width [, power])\n    value     1\n    width     at least 0\n    power     at least 1; 2.5 unless given\n" + USAGE)
        self.assertEqual(self.functions(), known | {"new": "attribute: str, width: _Number, power: _Number=2.5, *, bounds: _AnyBounds=None"})

    def test_a_list_that_cannot_be_read_is_refused_and_nothing_is_written(self):
        for old, new, words in ((USAGE, USAGE.replace("length", "[, length]"), "the line of its 'length' do not agree"),
                                (USAGE, USAGE.replace("period)", "turns)"), "the line of its 'turns' do not agree"),
                                ("1 unless given", "one", "the line of its 'k' do not agree"),
                                ("1 unless given", "one unless given", "'one'"),
                                (USAGE, "periodic: of an angle\n", "'periodic: of an angle' is no usage"),
                                ("\nleaf kernels\n", "\nkernels\n", "it has no list 'leaf kernels'")):
            with self.subTest(new):
                shutil.copy(ROOT / FILES[2], self.folder / FILES[2])
                self.change(old, new)
                code, said = self.write()
                self.assertEqual(code, 1, said)
                self.assertIn(words, said)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertFalse((self.folder / "kernels.pyi").exists())


if __name__ == "__main__":
    unittest.main()
